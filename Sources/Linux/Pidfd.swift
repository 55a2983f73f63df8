import CLinux
import Glibc

/// A handle on one process that no later process with the same number can take over.
package final class Pidfd: Sendable {
  package let descriptor: Descriptor

  /// Takes over a pidfd that another process passed.
  package init(owning descriptor: Descriptor) {
    self.descriptor = descriptor
  }

  /// Opens the process that has this number now.
  ///
  /// - Throws: ``SystemError`` with `ESRCH` when there is none, `EINVAL` for a thread's number.
  package init(process: Int32) throws(SystemError) {
    guard process > 0 else {
      throw SystemError(call: "pidfd_open", subject: "process \(process)", code: EINVAL)
    }
    descriptor = Descriptor(
      owning: try check("pidfd_open", "process \(process)", clinux_pidfd_open(process)))
  }

  /// Sends SIGKILL. A process that has ended is no error.
  ///
  /// Returns before the process is gone: a thread in a system call dies only when that returns.
  package func kill() throws(SystemError) {
    try signal(SIGKILL)
  }

  /// Sends a signal. A process that has ended is no error.
  package func signal(_ number: Int32) throws(SystemError) {
    let sent = clinux_pidfd_signal(descriptor.number, number)
    if sent < 0, errno == ESRCH { return }
    try check("pidfd_send_signal", "signal \(number)", sent)
  }

  /// Whether the process has ended, all its threads included. Its parent may not have waited yet.
  package var hasEnded: Bool {
    (try? descriptor.waitReadable(timeoutMs: 0)) ?? true
  }

  /// Waits for the end; `false` when the time ran out.
  package func waitForEnd(timeoutMs: Int? = nil) throws(SystemError) -> Bool {
    try descriptor.waitReadable(timeoutMs: timeoutMs)
  }

  /// The process's number, or `nil` when it has ended or was passed from another machine's view.
  package func processNumber() -> Int32? {
    guard let text = try? Files.read("/proc/self/fdinfo/\(descriptor.number)") else { return nil }
    let field = ProcessTable.field("Pid", in: text)
    return field.flatMap { $0 > 0 ? $0 : nil }
  }
}
