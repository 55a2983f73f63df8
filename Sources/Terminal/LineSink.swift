/// Where lines go: a descriptor, or a test's memory.
package protocol LineSink: AnyObject, Sendable {
  /// Writes everything.
  func write(_ bytes: [UInt8]) -> WriteOutcome

  var isTerminal: Bool { get }
  /// The width of the terminal, or `nil` if it is none.
  var columnCount: Int? { get }
}
