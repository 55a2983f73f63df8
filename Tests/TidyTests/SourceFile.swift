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
    code.hits(
      /(?m)^\s*(?:@\w+\s+)*(?:(?:public|package|internal|private|fileprivate)\s+)?import\s+(?:(?:struct|class|enum|protocol|func|var|let|typealias)\s+)?(\w+)/
    ).map { String($0.1) }
  }

  func line(at index: String.Index) -> Int {
    code[..<index].count { $0.isNewline } + 1
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

extension StringProtocol where SubSequence == Substring {
  /// Where a pattern matches, with `\b` as in other languages: in `a.b` too.
  func hits<Output>(_ pattern: Regex<Output>) -> [Regex<Output>.Match] {
    matches(of: pattern.wordBoundaryKind(.simple))
  }
}
