import Foundation

/// A Swift file, or a snippet that stands for one.
struct SourceFile {
  /// From the root of the repository.
  let path: String
  let text: String
  /// The text with every character of comments and texts replaced by a blank, so that what is
  /// left is code. Line ends stay.
  let code: String

  init(path: String, text: String) {
    self.path = path
    self.text = text
    code = Mask.code(of: text)
  }

  /// The target that the file belongs to; `nil` for the manifest, plugins and tests.
  var target: String? {
    let parts = path.split(separator: "/").map(String.init)
    switch parts.first {
    case "Sources" where parts.count > 2: return parts[1]
    case "Faults": return "Gallery"
    case "Benchmarks": return "Benchmarks"
    default: return nil
    }
  }

  var isTest: Bool { path.hasPrefix("Tests/") }

  var lineCount: Int { text.split(separator: "\n", omittingEmptySubsequences: false).count - 1 }

  /// The modules that it imports.
  var imports: [String] {
    let kinds = "struct|class|enum|protocol|func|var|let|typealias"
    let access = "public|package|internal|private|fileprivate"
    let pattern = #"(?m)^\s*(?:@\w+\s+)*(?:(?:\#(access))\s+)?import\s+(?:(?:\#(kinds))\s+)?(\w+)"#
    return code.hits(pattern).map(\.group)
  }

  /// The line of a hit in ``code``.
  func line(of hit: Hit) -> Int {
    code.utf16.prefix(hit.start).count { $0 == 0x0A } + 1
  }
}

/// The repository that the tests were built from.
enum Repository {
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// All Swift files of these folders, sorted by path.
  static func swiftFiles(in folders: [String]) throws -> [SourceFile] {
    var files: [SourceFile] = []
    for folder in folders {
      let url = root.appending(path: folder)
      let paths = FileManager.default.enumerator(atPath: url.path)?.allObjects ?? []
      for case let path as String in paths where path.hasSuffix(".swift") {
        let whole = folder + "/" + path
        files.append(SourceFile(path: whole, text: try text(whole)))
      }
    }
    return files.sorted { $0.path < $1.path }
  }
}

/// A place where a pattern matches.
struct Hit {
  /// In UTF-16 units, of the first group if there is one.
  let start: Int
  let whole: String
  /// The first group, or the whole.
  let group: String
}

extension String {
  /// Where a pattern matches. Foundation's engine: Swift's is many times slower in debug builds.
  func hits(_ pattern: String) -> [Hit] {
    guard let expression = try? NSRegularExpression(pattern: pattern) else {
      preconditionFailure("bad pattern \(pattern)")
    }
    let text = self as NSString
    let range = NSRange(location: 0, length: text.length)
    return expression.matches(in: self, range: range).map { match in
      let group = match.numberOfRanges > 1 ? match.range(at: 1) : match.range
      let isThere = group.location != NSNotFound
      return Hit(
        start: isThere ? group.location : match.range.location,
        whole: text.substring(with: match.range),
        group: isThere ? text.substring(with: group) : "")
    }
  }
}
