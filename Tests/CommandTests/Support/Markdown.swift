import Foundation
import Terminal

@testable import lab

/// A page of the documentation, taken apart.
struct Markdown {
  /// From the root of the repository.
  let path: String
  let text: String

  /// What stands between fences, or is indented by four blanks.
  struct Block: Equatable {
    /// The first word behind the fence; empty for none, `nil` for an indented block.
    var language: String?
    /// The rest behind the fence: the name of the file that the block is.
    var file = ""
    var lines: [String] = []
    var text: String { lines.map { $0 + "\n" }.joined() }
  }

  private(set) var blocks: [Block] = []
  private(set) var headings: [String] = []
  /// All that is no block and no heading.
  private(set) var prose = ""

  init(path: String, text: String) {
    (self.path, self.text) = (path, text)
    var open: Block?
    var isBehindBlank = true
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if open?.language != nil {
        if line.hasPrefix("```") { close(&open) } else { open?.lines.append(line) }
      } else if line.hasPrefix("```") {
        close(&open)
        let words = line.dropFirst(3).split(separator: " ", maxSplits: 1).map(String.init)
        open = Block(language: words.first ?? "", file: words.count > 1 ? words[1] : "")
      } else if line.hasPrefix("    "), isBehindBlank || open != nil {
        open = open ?? Block(language: nil)
        open?.lines.append(String(line.dropFirst(4)))
      } else {
        close(&open)
        if let heading = line.wholeMatch(of: /#{1,6} (.*)/) {
          headings.append(String(heading.output.1))
        } else {
          prose += line + "\n"
        }
      }
      isBehindBlank = line.isEmpty
    }
    close(&open)
  }

  private mutating func close(_ open: inout Block?) {
    if let open { blocks.append(open) }
    open = nil
  }

  init(_ path: String) throws {
    self.init(path: path, text: try Repository.text(path))
  }

  /// All pages of the repository.
  static func all() throws -> [Markdown] {
    let files = FileManager.default.enumerator(atPath: Repository.root)
    var paths: [String] = []
    while let path = files?.nextObject() as? String {
      // What was built, kept by git, or left by a run.
      if [".build", ".git", "lab-findings"].contains(path) { files?.skipDescendants() }
      if path.hasSuffix(".md") { paths.append(path) }
    }
    return try paths.sorted().map { try Markdown($0) }
  }

  // MARK: - Links

  /// The targets of all links, but for those inside code.
  var links: [String] {
    let plain = prose.replacing(/`[^`\n]*`/, with: "`")
    return plain.matches(of: /\]\(([^()\s]+)\)/).map { String($0.output.1) }
  }

  /// What the headings are called in an address, as GitHub makes it.
  var anchors: Set<String> {
    var anchors: Set<String> = []
    for heading in headings {
      let words = heading.replacing(/\[([^\]]*)\]\([^)]*\)/) { $0.output.1 }.lowercased()
      let kept = words.unicodeScalars.filter {
        CharacterSet.alphanumerics.contains($0) || "-_ ".unicodeScalars.contains($0)
      }
      let name = String(String.UnicodeScalarView(kept)).replacing(" ", with: "-")
      var count = 0
      var anchor = name
      while !anchors.insert(anchor).inserted {
        count += 1
        anchor = "\(name)-\(count)"
      }
    }
    return anchors
  }

  // MARK: - Command lines

  /// Every line that somebody types: behind `$`, in blocks of a shell, indented.
  var commandLines: [String] {
    blocks.flatMap { block -> [String] in
      let lines = block.text.replacing("\\\n", with: " ").split(separator: "\n").map(String.init)
      return switch block.language {
      case "sh", "yaml": lines
      case nil: lines.filter { $0.hasPrefix("lab ") || $0.hasPrefix("./lab ") }
      default: lines.filter { $0.hasPrefix("$ ") }
      }
    }
  }

  /// Command lines in the text, which may leave out what they need: `lab inject`.
  var mentions: [String] {
    prose.matches(of: /`((?:\.\/)?lab [^`]*)`/).map {
      String($0.output.1).replacing("\n", with: " ").replacing("\\|", with: "|")
    }
  }
}

/// A line that somebody types.
enum CommandLine {
  /// The words behind each `lab` of a line, as a shell takes them apart.
  static func calls(in line: String) -> [[String]] {
    var calls: [[String]] = []
    for part in parts(line.replacing(/\$\{\{.*?\}\}/, with: "1")) {
      guard let place = part.firstIndex(where: { $0 == "lab" || $0.hasSuffix("/lab") }),
        part.prefix(upTo: place).allSatisfy({ !$0.hasPrefix("-C") })
      else { continue }
      let words = Array(part[(place + 1)...])
      // `podman build -t lab .` calls nothing.
      if words.first?.first?.isLetter == true { calls.append(words) }
    }
    return calls
  }

  /// The commands of a line, each as its words.
  private static func parts(_ line: String) -> [[String]] {
    var parts: [[String]] = [[]]
    var word: String?
    var quote: Character?
    func end() {
      if let word { parts[parts.count - 1].append(word) }
      word = nil
    }
    for character in line {
      if let open = quote {
        if character == open { quote = nil } else { word = (word ?? "") + String(character) }
      } else if "'\"".contains(character) {
        quote = character
        word = word ?? ""
      } else if character == " " {
        end()
      } else if "|;&<>()".contains(character) {
        end()
        parts.append([])
      } else if character == "#", word == nil {
        break
      } else {
        word = (word ?? "") + String(character)
      }
    }
    end()
    return parts
  }

  /// Why the program would not take such words; `nil` when it would.
  static func problem(_ words: [String], isMention: Bool = false) -> String? {
    // Words of `./lab`, which builds and tests, and one that stands before a command.
    if ["test", "docs", "help"].contains(words[0]) { return nil }
    do throws(Failure) {
      try Lab.program.parse(words)
      return nil
    } catch {
      let message = error.lines.joined(separator: "\n")
      if isMention, message.contains(" needs ") { return nil }
      // `lab list WHAT` is a line that somebody fills in.
      let gaps = words.filter { $0.wholeMatch(of: /[A-Z]{2,}…?/) != nil }
      return gaps.contains { message.contains("'\($0)'") } ? nil : message
    }
  }
}
