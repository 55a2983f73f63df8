import Synchronization
import Terminal

/// A sink that keeps what it gets, until it loses what comes.
final class MemorySink: LineSink {
  private let written = Mutex<[UInt8]>([])
  private let outcome = Mutex(WriteOutcome.written)
  let isTerminal: Bool
  let columnCount: Int?

  init(isTerminal: Bool = false, columnCount: Int? = nil) {
    self.isTerminal = isTerminal
    self.columnCount = columnCount
  }

  func write(_ bytes: [UInt8]) -> WriteOutcome {
    let outcome = outcome.withLock { $0 }
    if outcome == .written { written.withLock { $0 += bytes } }
    return outcome
  }

  /// Does this with whatever comes from now on.
  func lose(_ outcome: WriteOutcome) { self.outcome.withLock { $0 = outcome } }

  var text: String { written.withLock { String(decoding: $0, as: UTF8.self) } }
}
