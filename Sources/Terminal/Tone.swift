/// What a colour means. Meaning never rests on it: the word stands there too.
package enum Tone: Sendable {
  /// keep, recover
  case good
  /// defer, reject, cleanOut
  case wait
  /// every failure
  case fail
  case neutral

  /// Differ in lightness, and have no red and green pair.
  var escape: String {
    switch self {
    case .good: "\u{1B}[94m"
    case .wait: "\u{1B}[33m"
    case .fail: "\u{1B}[1;31m"
    case .neutral: "\u{1B}[90m"
    }
  }

  static let reset = "\u{1B}[0m"
}

/// The value of `--color`.
package enum ColorChoice: String, CaseIterable, Sendable { case auto, always, never }
