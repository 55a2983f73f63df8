import JSON

/// What must not be shown of a text that somebody else's program wrote.
final class SecretWords {
  /// The values of the sessions that the program was given, longest first.
  private var known: [String] = []
  /// Shorter values are words such as `bearer`.
  private static let knownMin = 8

  private static let lineMax = 160
  /// No word of a language is as long, and all keys and tokens are longer.
  private static let secretMin = 20

  /// A line without control characters, without what is known to be of a session, and without what
  /// may be a key or a token: long runs of letters and digits that have both.
  func shown(_ line: String) -> String {
    var shown = ""
    var run = ""
    func endRun() {
      let hasBoth = run.contains(where: \.isNumber) && run.contains(where: \.isLetter)
      // What a dot joins to a part of a token is its next part.
      let isSecret = run.count >= Self.secretMin && hasBoth || !run.isEmpty && shown.hasSuffix("….")
      shown += isSecret ? "…" : run
      run = ""
    }
    for character in withoutKnown(line) {
      if character.isASCII, character.isLetter || character.isNumber || "_-+=".contains(character) {
        run.append(character)
      } else {
        endRun()
        let isControl = character.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7f }
        shown.append(isControl ? " " : character)
      }
    }
    endRun()
    return shown.count > Self.lineMax ? "\(shown.prefix(Self.lineMax))…" : shown
  }

  /// Learns the values of a session.
  func learn(_ session: String) {
    var open: [JSONValue] = [(try? JSONReader.read(session).value) ?? .text(session)]
    while let value = open.popLast() {
      if let members = value.object?.members { open += members.map(\.value) }
      if let items = value.list { open += items }
      guard let text = value.text, text.count >= Self.knownMin, !known.contains(text) else {
        continue
      }
      known.append(text)
    }
    known.sort { $0.count > $1.count }
  }

  private func withoutKnown(_ line: String) -> String {
    known.reduce(line) { $0.contains($1) ? $0.replacing($1, with: "…") : $0 }
  }
}
