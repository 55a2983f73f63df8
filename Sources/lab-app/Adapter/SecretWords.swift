import JSON
import Machine

/// What must not be shown of a text that somebody else's program wrote.
final class SecretWords {
  /// The values of the sessions that the program was given, and what it has put into SecureStore,
  /// longest first.
  private var known: [String] = []
  /// Shorter values are words such as `bearer`.
  private static let knownMin = 8

  private static let lineMax = 160
  /// What is looked at of a longer line, and what can be shown of that: a secret that begins before
  /// the second place is seen as one.
  private static let (lookedAt, showable) = (4096, 3072)

  /// A line without control characters, without what is known to be of a session, and without what
  /// may be a key or a token.
  ///
  /// - Parameters:
  ///   - line: What was printed.
  ///   - isInList: Whether the line before it has opened a list of numbers.
  /// - Returns: What can be shown.
  func shown(_ line: String, isInList: Bool = false) -> String {
    let window = line.unicodeScalars.prefix(Self.lookedAt).map { scalar -> Unicode.Scalar in
      scalar.value < 0x20 || scalar.value == 0x7f ? " " : scalar
    }
    var text = String.UnicodeScalarView()
    text.append(contentsOf: window)
    let spelled = SecretSpelling(withoutKnown(String(text)), isInList: isInList)
    let isWhole = window.count < Self.lookedAt
    let shown = isWhole ? spelled.shown : spelled.shown(upTo: Self.showable)
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
