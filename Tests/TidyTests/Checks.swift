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
    var findings: [String] = []
    for (index, line) in file.text.split(separator: "\n", omittingEmptySubsequences: false)
      .enumerated()
    {
      for match in line.hits(/\b[A-Z]+\b/) where words.contains(String(match.0)) {
        findings.append("\(file.path):\(index + 1): leftover \(match.0)")
      }
    }
    return findings
  }

  /// Time, chance, order and environment that a run would depend on without knowing.
  static func hiddenInputs(_ file: SourceFile) -> [String] {
    guard let target = file.target, !Layers.frontEnds.contains(target) else { return [] }
    let banned = [
      /\bDate\(\)/, /\bUUID\(\)/, /\bContinuousClock\b/, /\bSuspendingClock\b/, /\bTask\.sleep\b/,
      /\brandom\(in:/, /\brandom\(\)/, /\brandomElement\(/, /\bshuffled?\(/,
      /\bSystemRandomNumberGenerator\b/, /\bhashValue\b/, /\bObjectIdentifier\(/, /\bgetenv\(/,
      /\bLocale\b/, /\bTimeZone\b/, /\bprint\(/, /\bfatalError\(/,
    ]
    return banned.flatMap { find($0, in: file, "banned below the front ends") }
  }

  /// What leaves the executor of the simulator.
  static func escapes(_ file: SourceFile) -> [String] {
    guard let target = file.target, ["Phone", "Session"].contains(target) else { return [] }
    let banned = [/\bTask\s*\{/, /\bTask\(/, /\bTask\.detached\b/, /@MainActor\b/]
    return banned.flatMap { find($0, in: file, "leaves the simulator's executor") }
  }

  static func unsafeCode(_ file: SourceFile) -> [String] {
    guard let target = file.target, Layers.models.contains(target) else { return [] }
    // SQLite's VFS interface is C: the simulated one must speak it.
    if target == "Simulation", file.path.contains("VFS") { return [] }
    return find(/\bunsafe\b|\bUnsafe\w+|\bwithUnsafe\w+/, in: file, "no place in a model")
  }

  static func swallowedErrors(_ file: SourceFile) -> [String] {
    find(/\bcatch\s*\{\s*\}/, in: file, "drops an error")
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
      $0.trimmingPrefix(while: \.isWhitespace)
    }
    let code = file.code.split(separator: "\n", omittingEmptySubsequences: false)
    return code.indices.compactMap { index in
      guard code[index].firstMatch(of: /^\s*(?:@\w+(?:\([^)]*\))?\s+)*public\s+(?!import)/) != nil
      else { return nil }
      var above = index - 1
      while above >= 0, lines[above].hasPrefix("@") { above -= 1 }
      if above >= 0, lines[above].hasPrefix("///") { return nil }
      return "\(file.path):\(index + 1): public without a doc comment"
    }
  }

  /// `JSON.JSON` would hide the module from everybody who wants to name it. The device is the one
  /// exception: nothing else of that module needs its name in front.
  static func moduleNames(_ file: SourceFile) -> [String] {
    guard let target = file.target, target != "Device" else { return [] }
    return file.code.hits(/\b(?:struct|class|enum|actor|protocol|typealias)\s+(\w+)/)
      .filter { $0.1 == target }
      .map { "\(file.path):\(file.line(at: $0.range.lowerBound)): a type named as its module" }
  }

  private static func find(
    _ pattern: Regex<Substring>, in file: SourceFile, _ reason: String
  ) -> [String] {
    file.code.hits(pattern).map { match in
      let word = match.0.split(whereSeparator: \.isNewline).joined(separator: " ")
      return "\(file.path):\(file.line(at: match.range.lowerBound)): \(word): \(reason)"
    }
  }
}
