import CLinux
import Glibc

/// An open file descriptor, closed when its last owner lets go.
///
/// A class, because a pidfd or a socket is polled by one thread and used by another.
package final class Descriptor: Sendable {
  package let number: Int32
  private let owns: Bool

  /// Takes over an open descriptor.
  package init(owning number: Int32) {
    precondition(number >= 0, "a descriptor is not negative")
    self.number = number
    owns = true
  }

  /// Names a descriptor that somebody else closes, or nobody.
  package init(borrowing number: Int32) {
    self.number = number
    owns = false
  }

  deinit {
    if owns { close(number) }
  }

  /// Opens a file close-on-exec. Models nothing; it is `open(2)` of the real machine.
  package static func open(
    _ path: String, _ flags: Int32, permissions: UInt32 = 0
  ) throws(SystemError) -> Descriptor {
    Descriptor(owning: try check("open", path, unsafe clinux_open(path, flags, permissions)))
  }

  /// A pipe: what is written to the second can be read from the first.
  package static func pipe() throws(SystemError) -> (reading: Descriptor, writing: Descriptor) {
    var ends: [Int32] = [-1, -1]
    try check("pipe2", "a pipe", unsafe clinux_pipe(&ends))
    return (Descriptor(owning: ends[0]), Descriptor(owning: ends[1]))
  }

  /// Waits until there is something to read, or the other side is gone, or for a pidfd until its
  /// process has ended.
  ///
  /// - Parameter timeoutMs: The most milliseconds to wait; `nil` waits for ever.
  /// - Returns: `false` when the time ran out.
  /// - Throws: ``SystemError`` of `poll(2)`.
  package func waitReadable(timeoutMs: Int? = nil) throws(SystemError) -> Bool {
    try !Self.waitReadable([self], timeoutMs: timeoutMs).isEmpty
  }

  /// Waits until at least one of the descriptors can be read, and returns the indices of those.
  package static func waitReadable(
    _ descriptors: [Descriptor], timeoutMs: Int? = nil
  ) throws(SystemError) -> [Int] {
    let deadline = timeoutMs.map { Clocks.monotonicNs + Int64($0) * 1_000_000 }
    var polled = descriptors.map { pollfd(fd: $0.number, events: Int16(POLLIN), revents: 0) }
    let ready = retrying {
      let left = deadline.map { max(0, ($0 - Clocks.monotonicNs + 999_999) / 1_000_000) }
      return unsafe poll(&polled, nfds_t(polled.count), left.map { Int32(clamping: $0) } ?? -1)
    }
    try check("poll", "\(descriptors.count) descriptors", ready)
    return polled.indices.filter { polled[$0].revents != 0 }
  }

  /// Reads up to `count` bytes; none at the end.
  package func read(count: Int) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let taken = retrying { unsafe Glibc.read(number, &bytes, count) }
    try check("read", "descriptor \(number)", taken)
    bytes.removeLast(count - taken)
    return bytes
  }

  /// Reads until the end.
  package func readAll() throws(SystemError) -> [UInt8] {
    var all: [UInt8] = []
    while true {
      let some = try read(count: 65_536)
      if some.isEmpty { return all }
      all += some
    }
  }

  /// Writes all bytes. A closed pipe is an error, where ``Signals/ignoreBrokenPipes()`` was called.
  package func write(_ bytes: some Collection<UInt8>) throws(SystemError) {
    let whole = Array(bytes)
    var done = 0
    while done < whole.count {
      let taken = retrying {
        unsafe whole.withUnsafeBytes { buffer in
          unsafe Glibc.write(number, buffer.baseAddress?.advanced(by: done), buffer.count - done)
        }
      }
      done += try check("write", "descriptor \(number)", taken)
    }
  }
}
