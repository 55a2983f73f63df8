import Foundation

/// What the modelled clients promise, and the tests that name each promise.
struct Requirements {
  struct Requirement: Equatable {
    let id: String
    /// Letters: S stated, N a negative, I implied, D a decision of the lab.
    let kinds: String
    let statement: String

    var needsTest: Bool { kinds != "D" }
  }

  struct Group: Equatable {
    let title: String
    var requirements: [Requirement] = []
  }

  private(set) var groups: [Group] = []
  /// By id: `Suite: test`, or the suite alone, in the order of files.
  private(set) var tests: [String: [String]] = [:]

  /// - Parameters:
  ///   - list: Lines of `ID KINDS STATEMENT` under lines of `## GROUP`; others are remarks.
  ///   - files: The tests. An id in a comment belongs to the test or suite below it, one in a name to
  ///     that test.
  init(_ list: String, namedIn files: [SourceFile]) {
    for line in list.split(separator: "\n") {
      if line.hasPrefix("## ") {
        groups.append(Group(title: String(line.dropFirst(3))))
      } else if line.hasPrefix("R-"), !groups.isEmpty {
        let parts = line.split(separator: " ", maxSplits: 2).map(String.init)
        guard parts.count == 3 else { continue }
        groups[groups.count - 1].requirements.append(
          Requirement(id: parts[0], kinds: parts[1], statement: parts[2]))
      }
    }
    for file in files { collect(file) }
  }

  var all: [Requirement] { groups.flatMap(\.requirements) }

  /// The stated, negative and implied ones that no test names.
  var untested: [String] {
    all.filter { $0.needsTest && tests[$0.id] == nil }.map(\.id)
  }

  /// What tests name, and no list holds.
  var unknown: [String] { Set(tests.keys).subtracting(all.map(\.id)).sorted() }

  private mutating func collect(_ file: SourceFile) {
    let places = Self.declarations(in: file.text)
    for hit in file.text.hits(#"R-[A-Z]+-[0-9]+"#) {
      guard let place = places.first(where: { $0.end > hit.start }) else { continue }
      let known = tests[hit.whole] ?? []
      if !known.contains(place.name) { tests[hit.whole] = known + [place.name] }
    }
  }

  /// Suites and tests with the end of their names, in the order of the file.
  private static func declarations(in text: String) -> [(name: String, end: Int)] {
    let pattern = #"(?:struct|func|class|def) (`[^`]+`|[A-Za-z_]\w*)"#
    let whole = text as NSString
    var suite = ""
    return text.hits(pattern).map { hit in
      let name = hit.group.trimmingCharacters(in: ["`"])
      let end = hit.start + (hit.group as NSString).length
      let line = whole.lineRange(for: NSRange(location: hit.start, length: 0))
      let before = whole.substring(with: NSRange(line.location..<hit.start))
      if before.contains("struct ") || before.contains("class ") {
        suite = name
        return (name, end)
      }
      return (suite.isEmpty ? name : "\(suite): \(name)", end)
    }
  }

  /// The page, in Markdown.
  var page: String {
    var lines = [
      "# Requirements", "",
      "What the modelled clients promise, and the tests that name it. S: stated by those who wrote the",
      "clients; N: a negative; I: implied; D: a decision of the lab.", "",
      "Generated from `requirements.txt` and the tests; to renew it: "
        + "`LAB_WRITE_PAGES=1 ./lab test --filter RequirementsTests`.",
    ]
    for group in groups {
      lines += ["", "## \(group.title)", "", "| id | kind | what | tests |"]
      lines.append("| --- | --- | --- | --- |")
      lines += group.requirements.map { one in
        let named = (tests[one.id] ?? []).joined(separator: " · ")
        return "| \(one.id) | \(one.kinds) | \(Self.cell(one.statement)) | \(Self.cell(named)) |"
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func cell(_ text: String) -> String {
    text.replacingOccurrences(of: "|", with: "\\|")
  }
}
