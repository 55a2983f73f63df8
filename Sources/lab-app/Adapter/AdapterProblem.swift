/// What a program of somebody else's did against `lab.adapter/1`, with what it printed last.
struct AdapterProblem: Error {
  let text: String

  /// - Parameters:
  ///   - reason: What it did, as the end of a sentence that begins with the program.
  ///   - program: Its command line.
  ///   - doing: The command under way.
  ///   - lines: What it printed last.
  init(_ reason: String, program: [String], doing: String, lines: [String]) {
    let last =
      lines.isEmpty
      ? ["  it printed nothing else"]
      : ["  its last lines:"] + lines.map { "    \(Self.shown($0))" }
    let head = "the app '\(program.joined(separator: " "))' \(reason) (during '\(doing)')"
    text = ([head] + last).joined(separator: "\n")
  }

  private static let lineMax = 160
  /// No word of a language is as long, and all keys and tokens are longer.
  private static let secretMin = 20

  /// A line without control characters, and without what may be a key or a token: long runs of
  /// letters and digits that have both.
  static func shown(_ line: String) -> String {
    var shown = ""
    var run = ""
    func endRun() {
      let hasBoth = run.contains(where: \.isNumber) && run.contains(where: \.isLetter)
      // What a dot joins to a part of a token is its next part.
      let isSecret = run.count >= secretMin && hasBoth || !run.isEmpty && shown.hasSuffix("….")
      shown += isSecret ? "…" : run
      run = ""
    }
    for character in line {
      if character.isASCII, character.isLetter || character.isNumber || "_-+=".contains(character) {
        run.append(character)
      } else {
        endRun()
        let isControl = character.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7f }
        shown.append(isControl ? " " : character)
      }
    }
    endRun()
    return shown.count > lineMax ? "\(shown.prefix(lineMax))…" : shown
  }
}
