import CLinux
import Glibc

/// A thread of the operating system with a name.
///
/// Front ends block on their own mounts and sockets; a task of the small Swift pool must not.
package final class Thread: Sendable {
  private let handle: Locked<pthread_t?>

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - name: What `ps` and a debugger show; Linux keeps 15 bytes.
  ///   - body: What it runs.
  /// - Throws: ``SystemError`` when the machine has no more threads.
  package init(_ name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
    let start = unsafe Unmanaged.passRetained(Start(name: name, body: body))
    var created = pthread_t()
    let code = unsafe pthread_create(&created, nil, runThread, start.toOpaque())
    guard code == 0 else {
      unsafe start.release()
      throw SystemError(call: "pthread_create", subject: name, code: code)
    }
    handle = Locked(created)
  }

  deinit {
    if let left = handle.withLock({ $0 }) { pthread_detach(left) }
  }

  /// Waits until the thread has ended. A second call returns at once; a thread that joins itself
  /// returns at once, too.
  package func join() {
    let joined = handle.withLock { handle -> pthread_t? in
      guard let running = handle, pthread_equal(running, pthread_self()) == 0 else { return nil }
      handle = nil
      return running
    }
    if let joined { pthread_join(joined, nil) }
  }

  /// Ends a wait of the thread inside a system call, which then fails with `EINTR`. A thread that has
  /// ended, waits in no call or has not called ``Signals/letThisThreadBeInterrupted()`` notices nothing.
  package func interrupt() {
    handle.withLock { handle in
      if let running = handle { pthread_kill(running, Signals.interruption) }
    }
  }

  /// Spares the calling thread a write of the kernel each time it runs again, for one that waits and
  /// runs a hundred thousand times in a second.
  package static func leaveRestartableSequences() {
    clinux_leave_restartable_sequences()
  }

  /// The kernel's number of the calling thread; the number that FUSE reports as a request's pid.
  package static var currentID: Int32 { clinux_thread_id() }
}

/// What a new thread needs; its one retain is taken over by ``runThread``.
private final class Start {
  let name: String
  let body: @Sendable () -> Void

  init(name: String, body: @escaping @Sendable () -> Void) {
    self.name = name
    self.body = body
  }
}

private func runThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context = unsafe context else { return nil }
  let start = unsafe Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
  unsafe clinux_name_thread(start.name)
  start.body()
  return nil
}
