/// The checks. Each gives its findings as `path:line: what is wrong`, none if all is well.
enum Checks {
  static func fileLength(_ file: SourceFile) -> [String] {
    file.lineCount <= 600 ? [] : ["\(file.path):1: \(file.lineCount) lines, 600 at most"]
  }

  static func functionLength(_ file: SourceFile) -> [String] {
    Functions.all(in: file).filter { $0.lineCount > 70 }
      .map { "\(file.path):\($0.line): a function of \($0.lineCount) lines, 70 at most" }
  }

  /// Notes to oneself: they belong to the tracker.
  static func leftovers(_ file: SourceFile) -> [String] {
    // Put together, or this file would find itself.
    let words = ["FIX" + "ME", "TO" + "DO", "X" + "XX"]
    return find(#"\b(?:\#(words.joined(separator: "|")))\b"#, in: file, file.text, "leftover")
  }

  /// Time, chance, order and environment that a run would depend on without knowing.
  static func hiddenInputs(_ file: SourceFile) -> [String] {
    guard let target = file.target, !Layers.frontEnds.contains(target) else { return [] }
    let banned = [
      #"\b(?:Date|UUID|random)\(\)"#, #"\b(?:Continuous|Suspending)Clock\b"#, #"\bTask\.sleep\b"#,
      #"\brandom\(in:"#, #"\b(?:randomElement|shuffled?|ObjectIdentifier|getenv)\("#,
      #"\b(?:SystemRandomNumberGenerator|hashValue|Locale|TimeZone)\b"#,
      #"\b(?:print|fatalError)\("#,
    ]
    return find(banned.joined(separator: "|"), in: file, file.code, "banned below the front ends")
  }

  /// What leaves the executor of the simulator.
  static func escapes(_ file: SourceFile) -> [String] {
    guard let target = file.target, ["Phone", "Session", "Backend", "Zoo"].contains(target) else {
      return []
    }
    let banned = #"\bTask\s*[{(]|\bTask\.detached\b|@MainActor\b"#
    return find(banned, in: file, file.code, "leaves the simulator's executor")
  }

  static func unsafeCode(_ file: SourceFile) -> [String] {
    guard let target = file.target, Layers.models.contains(target) else { return [] }
    // Swift's executors hand themselves on unowned.
    if target == "Simulation", file.path.contains("SimulatorExecutor") { return [] }
    return find(
      #"\bunsafe\b|\bUnsafe\w+|\bwithUnsafe\w+"#, in: file, file.code, "no place in a model")
  }

  static func swallowedErrors(_ file: SourceFile) -> [String] {
    find(#"\bcatch\s*\{\s*\}"#, in: file, file.code, "drops an error")
  }

  static func imports(_ file: SourceFile, _ manifest: Manifest) -> [String] {
    guard let target = file.target else { return [] }
    let declared = Set(manifest.dependencies[target] ?? [])
    let system = Layers.system(target)
    return file.imports.filter { !declared.contains($0) && !system.contains($0) }
      .map { "\(file.path): imports \($0), which is not for \(target)" }
  }

  static func arrows(_ manifest: Manifest) -> [String] {
    manifest.dependencies.sorted { $0.key < $1.key }.flatMap { target, imports in
      guard let allowed = Layers.allowed(target) else {
        return ["Package.swift: \(target) has no row in the table of layers"]
      }
      return imports.filter { !allowed.contains($0) && $0 != "embed-scenarios" }
        .map { "Package.swift: \(target) may not depend on \($0)" }
    }
  }

  static func undocumented(_ file: SourceFile) -> [String] {
    let lines = file.text.split(separator: "\n", omittingEmptySubsequences: false).map {
      $0.drop { $0 == " " }
    }
    let pattern = #"(?m)^ *(?:@\w+(?:\([^)\n]*\))? +)*(public) +(?!import)"#
    return file.code.hits(pattern).compactMap { hit in
      let line = file.line(of: hit)
      var above = line - 2
      while above >= 0, lines[above].hasPrefix("@") { above -= 1 }
      if above >= 0, lines[above].hasPrefix("///") { return nil }
      return "\(file.path):\(line): public without a doc comment"
    }
  }

  /// `JSON.JSON` would hide the module from everybody who wants to name it.
  static func moduleNames(_ file: SourceFile) -> [String] {
    guard let target = file.target else { return [] }
    return file.code.hits(#"\b(?:struct|class|enum|actor|protocol|typealias)\s+(\w+)"#)
      .filter { $0.group == target }
      .map { "\(file.path):\(file.line(of: $0)): a type named as its module" }
  }

  /// Links of the docs that lead to nothing declared in the target: a name that has changed, or one
  /// of another target, which takes single backticks.
  static func deadLinks(_ files: [SourceFile]) -> [String] {
    let names = Dictionary(grouping: files, by: \.target)
      .mapValues { Set($0.flatMap(declaredNames)) }
    return files.flatMap { file in
      let lines = file.text.split(separator: "\n", omittingEmptySubsequences: false)
      return lines.enumerated().filter { $1.drop { $0 == " " }.hasPrefix("///") }
        .flatMap { index, line in
          String(line).hits(#"``([^`]+)``"#).flatMap { hit in
            hit.group.split(separator: "/").map { String($0.prefix { $0 != "(" }) }
              .filter { names[file.target]?.contains($0) != true }
              .map { "\(file.path):\(index + 1): \(hit.whole): no '\($0)' in this target" }
          }
        }
    }
  }

  private static func declaredNames(in file: SourceFile) -> [String] {
    let words = "struct|class|enum|actor|protocol|typealias|associatedtype|func|var|let"
    let cases = file.code.hits(#"\bcase\s+(\w+(?:\([^)\n]*\))?(?:\s*,\s*\w+(?:\([^)\n]*\))?)*)"#)
    return file.code.hits(#"\b(?:\#(words))\s+(\w+)"#).map(\.group)
      + cases.flatMap { $0.group.hits(#"\w+"#).map(\.group) }
      + ["init", "subscript"]
  }

  /// `text` is the file's whole text, or only its code.
  private static func find(
    _ pattern: String, in file: SourceFile, _ text: String, _ reason: String
  ) -> [String] {
    text.hits(pattern).map { hit in
      let word = hit.whole.split(whereSeparator: \.isNewline).joined(separator: " ")
      let line = text.utf16.prefix(hit.start).count { $0 == 0x0A } + 1
      return "\(file.path):\(line): \(word): \(reason)"
    }
  }
}
