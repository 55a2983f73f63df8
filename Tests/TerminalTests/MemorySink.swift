import Synchronization
import Terminal

/// A sink that keeps what it gets, and can be closed.
final class MemorySink: LineSink {
  private let written = Mutex<[UInt8]>([])
  private let closed = Mutex(false)
  let isTerminal: Bool
  let columnCount: Int?

  init(isTerminal: Bool = false, columnCount: Int? = nil) {
    self.isTerminal = isTerminal
    self.columnCount = columnCount
  }

  func write(_ bytes: [UInt8]) -> Bool {
    if closed.withLock({ $0 }) { return false }
    written.withLock { $0 += bytes }
    return true
  }

  func close() { closed.withLock { $0 = true } }

  var text: String { written.withLock { String(decoding: $0, as: UTF8.self) } }
}
