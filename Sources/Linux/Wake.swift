import CLinux
import Glibc

/// A descriptor that one thread makes readable for another.
package final class Wake: Sendable {
  package let descriptor: Descriptor

  package init() throws(SystemError) {
    descriptor = Descriptor(owning: try check("eventfd", "a wake-up", clinux_eventfd()))
  }

  /// Makes the descriptor readable. Ringing twice before ``clear()`` is ringing once.
  package func ring() {
    // Cannot fail: the counter is far from its limit.
    try? descriptor.write([1, 0, 0, 0, 0, 0, 0, 0])
  }

  package func clear() {
    _ = try? descriptor.read(count: 8)
  }
}

extension Descriptor {
  /// Says whether reads and writes wait, or fail with `EAGAIN` instead.
  package func setNonblocking(_ isOn: Bool) throws(SystemError) {
    try check("fcntl", "descriptor \(number)", clinux_set_nonblocking(number, isOn ? 1 : 0))
  }

  /// Takes the lock of the open file without waiting; the kernel drops it with the last descriptor.
  ///
  /// - Throws: ``SystemError`` with `EWOULDBLOCK` when somebody else holds it.
  package func lockFile(shared: Bool = false) throws(SystemError) {
    try check(
      "flock", "descriptor \(number)", flock(number, (shared ? LOCK_SH : LOCK_EX) | LOCK_NB))
  }

  /// Another descriptor of the same open file, close-on-exec and owned by nobody.
  package func duplicateNumber() throws(SystemError) -> Int32 {
    try check("dup", "descriptor \(number)", clinux_duplicate(number))
  }
}
