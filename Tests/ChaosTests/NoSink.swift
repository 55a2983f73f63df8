import Terminal

/// A sink for lines that nobody reads.
final class NoSink: LineSink {
  var isTerminal: Bool { false }
  var columnCount: Int? { nil }
  func write(_ bytes: [UInt8]) -> WriteOutcome { .written }
}
