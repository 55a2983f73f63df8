/// What became of lines that were written.
package enum WriteOutcome: Equatable, Sendable {
  case written
  /// Nobody reads any more.
  case closed
  /// They could not be written, such as on a full disk; the system's words.
  case failed(String)
}
