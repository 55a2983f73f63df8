import Foundation
import Testing

/// A page that somebody follows step by step: the files that they write, and what they type.
struct Tutorial {
  enum Step: Equatable {
    case write(text: String, to: String)
    /// A line that is typed, and what the page shows below it.
    case type(String, shown: [String])
  }

  let steps: [Step]

  init(_ page: Markdown) {
    steps = page.blocks.flatMap { block -> [Step] in
      if !block.file.isEmpty { return [.write(text: block.text, to: block.file)] }
      return block.language == "console" ? Self.session(block.lines) : []
    }
  }

  private static func session(_ lines: [String]) -> [Step] {
    var steps: [Step] = []
    for line in lines {
      if line.hasPrefix("$ ") {
        steps.append(.type(String(line.dropFirst(2)), shown: []))
      } else if case .type(let typed, let shown)? = steps.popLast() {
        steps.append(.type(typed, shown: shown + [line]))
      }
    }
    return steps
  }

  /// Does all of it in one folder, with the built program as `./lab`.
  ///
  /// - Parameters:
  ///   - user: Whose folder it is.
  ///   - patience: How many seconds a program in the background may take to say what is shown, and to
  ///     end when all is done.
  /// - Returns: Each line that printed something else than the page shows, with what it printed.
  /// - Throws: When a program could not be started, or a file could not be written.
  func follow(as user: User, patience: Double = 60) throws -> [String] {
    try user.shell("ln -s '\(User.programs)/lab' lab")
    var wrong: [String] = []
    var background: [(line: String, process: Running)] = []
    for step in steps {
      switch step {
      case .write(let text, let name):
        try FileManager.default.createDirectory(
          atPath: URL(filePath: "\(user.folder)/\(name)").deletingLastPathComponent().path,
          withIntermediateDirectories: true)
        try user.write(text, to: name)
      case .type(let line, let shown) where line.hasSuffix(" &"):
        let process = try user.begin(shell: "exec \(line.dropLast(2)) 2>&1")
        background.append((line, process))
        if !eventually(seconds: patience, { Shown(shown).fits(process.output) }) {
          wrong.append("$ \(line)\n\(process.output)")
        }
      case .type(let line, let shown):
        let ended = try user.begin(shell: "{ \(line); } 2>&1").wait(seconds: 300)
        if !Shown(shown).fits(ended.output) { wrong.append("$ \(line)\n\(ended.output)") }
      }
    }
    for (line, process) in background where !eventually(seconds: patience, { !process.isRunning }) {
      wrong.append("$ \(line)\nis still running")
    }
    return wrong
  }
}

/// What a page shows of an output: `…` alone in a line stands for any lines, within one for any text.
struct Shown {
  private let lines: [String]

  init(_ lines: [String]) { self.lines = lines }

  func fits(_ output: String) -> Bool {
    var actual = output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if actual.last == "" { actual.removeLast() }
    return Self.fit(lines[...], actual[...]) { expected, line in
      expected == "…" || Self.fit(Array(expected)[...], Array(line)[...]) { $0 == $1 }
    }
  }

  /// Whether a list fits a pattern in which `…` stands for any number of elements.
  private static func fit<Element: Wildcard>(
    _ pattern: ArraySlice<Element>, _ list: ArraySlice<Element>,
    _ isLike: (Element, Element) -> Bool
  ) -> Bool {
    guard let first = pattern.first else { return list.isEmpty }
    guard first.isWildcard else {
      guard let element = list.first, isLike(first, element) else { return false }
      return fit(pattern.dropFirst(), list.dropFirst(), isLike)
    }
    let rest = pattern.dropFirst()
    return list.indices.contains { fit(rest, list[$0...], isLike) } || fit(rest, [], isLike)
  }
}

/// An element of a pattern that may stand for others.
protocol Wildcard {
  var isWildcard: Bool { get }
}

extension String: Wildcard {
  var isWildcard: Bool { self == "…" }
}

extension Character: Wildcard {
  var isWildcard: Bool { self == "…" }
}
