import Glibc

/// Lines of text from a pipe or socket.
package final class LineReader {
  private let descriptor: Descriptor
  private var unread: [UInt8] = []

  package init(_ descriptor: Descriptor) {
    self.descriptor = descriptor
  }

  /// The next line without its end; `nil` when the other side closed. A last line without an end
  /// was cut off, and does not count.
  ///
  /// - Parameter patienceMs: How long to wait for more bytes; `nil` waits for ever.
  /// - Returns: The line.
  /// - Throws: ``SystemError`` of the read, or with `ETIMEDOUT` when the patience ran out.
  package func next(patienceMs: Int? = nil) throws(SystemError) -> String? {
    while true {
      if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: unread[..<end], as: UTF8.self)
        unread.removeSubrange(...end)
        return line
      }
      guard try descriptor.waitReadable(timeoutMs: patienceMs) else {
        throw SystemError(call: "read", subject: "a line", code: ETIMEDOUT)
      }
      let bytes = try descriptor.read(count: 65_536)
      if bytes.isEmpty { return nil }
      unread += bytes
    }
  }
}
