/// What a program of somebody else's did against `lab.adapter/1`, with what it printed.
struct AdapterProblem: Error {
  let text: String

  /// - Parameters:
  ///   - reason: What it did, as the end of a sentence that begins with the program.
  ///   - program: Its command line.
  ///   - doing: The command under way.
  ///   - lines: What it printed, without the middle and without secrets.
  init(_ reason: String, program: [String], doing: String, lines: [String]) {
    let last =
      lines.isEmpty
      ? ["  it printed nothing on its standard error"]
      : ["  it printed:"] + lines.map { "    \($0)" }
    let head = "the app '\(program.joined(separator: " "))' \(reason) (during '\(doing)')"
    text = ([head] + last).joined(separator: "\n")
  }
}
