/// Who may import whom: the table of the design, row by row.
enum Layers {
  struct Row {
    let target: String
    /// `nil` for all Swift targets above.
    let imports: [String]?
    /// Which modules of the system it may import beside ours.
    let system: [String]

    init(_ target: String, _ imports: [String]?, system: [String] = []) {
      self.target = target
      self.imports = imports
      self.system = system
    }
  }

  static let rows: [Row] = [
    Row("CFuse", []), Row("COpenSSL", []), Row("CSQLite", []), Row("CEvent", []),
    Row("CLinux", []), Row("CAESKernel", []),
    Row("embed-scenarios", [], system: ["Glibc"]),
    Row("Crypto", ["CAESKernel", "COpenSSL"], system: ["Glibc", "Synchronization"]),
    Row("JSON", []),
    Row("Wire", []),
    Row("Terminal", ["JSON"], system: ["Glibc", "Synchronization"]),
    Row("SQLite", ["CSQLite"], system: ["Glibc", "Synchronization"]),
    Row("Linux", ["CLinux"], system: ["Glibc", "Synchronization"]),
    Row("Ports", []),
    Row("HTTP", ["Ports", "Linux", "CEvent"], system: ["Glibc"]),
    Row("Device", []),
    Row("Images", ["Device", "SQLite"]),
    Row("Phone", ["Ports", "Crypto", "JSON", "SQLite"]),
    Row("Session", ["Ports", "Crypto", "JSON", "Wire"]),
    Row("Zoo", ["Session", "Ports", "Crypto", "JSON"]),
    Row("Backend", ["Ports", "Crypto", "JSON", "SQLite", "HTTP", "Wire"]),
    Row("Simulation", ["Ports", "Device", "SQLite"], system: ["Glibc"]),
    Row("Machine", ["Ports", "HTTP", "Linux", "Crypto"], system: ["Glibc", "Synchronization"]),
    Row(
      "Mount", ["Device", "Images", "JSON", "Linux", "CFuse"],
      system: ["Glibc", "Synchronization"]),
    Row("Gallery", []),
    Row("Chaos", nil, system: ["Glibc"]),
    Row("Reports", nil, system: ["Glibc"]),
    Row("Benchmarks", nil, system: ["Glibc", "Synchronization"]),
    Row(
      "lab-app",
      ["Ports", "Linux", "Machine", "Phone", "Session", "JSON", "Crypto", "Simulation", "Zoo"],
      system: ["Glibc"]),
    Row("TestSupport", ["Ports"]),
    Row("lab", nil, system: ["Glibc", "Synchronization"]),
  ]

  /// What a test must not find below the front ends may stand here: they are the front ends and
  /// the adapters of the real machine.
  static let frontEnds: Set = [
    "lab", "lab-app", "Terminal", "Machine", "Mount", "Linux", "HTTP", "Benchmarks",
    "embed-scenarios",
  ]

  /// They compute and remember; they own no memory by hand.
  static let models: Set = [
    "Ports", "Device", "Phone", "Session", "Backend", "Simulation", "Chaos", "Wire", "Zoo",
  ]

  /// All modules of ours that a target may import, or `nil` for a target without a row.
  static func allowed(_ target: String) -> Set<String>? {
    guard let index = rows.firstIndex(where: { $0.target == target }) else { return nil }
    if let imports = rows[index].imports { return Set(imports) }
    // A C library has exactly one importer, and a tool of the build none.
    let above = rows[..<index].map(\.target)
    return Set(above.filter { !isCLibrary($0) && !$0.contains("-") })
  }

  static func system(_ target: String) -> Set<String> {
    Set(rows.first { $0.target == target }?.system ?? [])
  }

  static func isCLibrary(_ target: String) -> Bool {
    ["CFuse", "COpenSSL", "CSQLite", "CEvent", "CLinux", "CAESKernel"].contains(target)
  }
}
