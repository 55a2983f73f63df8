import CLinux
import Glibc

/// Signals turned into something to read.
package final class Signals: Sendable {
  package let descriptor: Descriptor

  /// Blocks the signals in this thread and all threads that it starts from now on.
  ///
  /// Call it before the first other thread starts, or that thread still dies of them.
  package init(_ numbers: [Int32] = [SIGINT, SIGTERM, SIGHUP]) throws(SystemError) {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for number in numbers { unsafe sigaddset(&set, number) }
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    let flags = Int32(SFD_CLOEXEC)
    descriptor = Descriptor(
      owning: try check("signalfd", "\(numbers)", unsafe signalfd(-1, &set, flags)))
  }

  /// Waits for the next signal and returns its number; `nil` when the time ran out.
  package func next(timeoutMs: Int? = nil) throws(SystemError) -> Int32? {
    guard try descriptor.waitReadable(timeoutMs: timeoutMs) else { return nil }
    let bytes = try descriptor.read(count: MemoryLayout<signalfd_siginfo>.size)
    return Int32(bytes[0])
  }

  /// What ``Thread/interrupt()`` sends: a signal that does nothing to a process which does not ask for
  /// it.
  static let interruption = SIGURG

  /// Lets ``Thread/interrupt()`` end the waits of the calling thread, also when it was started by one
  /// that blocks all signals, as the threads of a pool do.
  package static func letThisThreadBeInterrupted() {
    var action = sigaction()
    unsafe action.__sigaction_handler.sa_handler = { _ in }
    _ = unsafe sigaction(interruption, &action, nil)
    var set = sigset_t()
    unsafe sigemptyset(&set)
    unsafe sigaddset(&set, interruption)
    unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
  }

  /// Lets a write to a closed pipe or socket fail instead of ending the process.
  package static func ignoreBrokenPipes() {
    signal(SIGPIPE, SIG_IGN)
  }
}
