import Linux

/// Where a shell finds programs.
enum ProgramPath {
  /// The first file of that name in `PATH`; `nil` if there is none.
  static func find(_ program: String) -> String? {
    (Files.environment("PATH") ?? "").split(separator: ":").map { "\($0)/\(program)" }
      .first(where: Files.exists)
  }
}
