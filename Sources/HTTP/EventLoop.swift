import CEvent
import Glibc
package import Linux

/// One thread's wait for everything that it serves or has asked for: sockets, times, wake-ups.
///
/// Belongs to the thread that turns it; nothing here may be touched from another one. Lives as long as
/// whatever is on it.
@safe package final class EventLoop {
  let base: OpaquePointer
  private var retired: [AnyObject] = []

  /// - Throws: `SystemError` when the machine has no descriptor left for it.
  package init() throws(SystemError) {
    let settings = unsafe event_config_new()
    defer { unsafe event_config_free(settings) }
    // The clock that is used otherwise stands still for milliseconds, and times would end early.
    unsafe event_config_set_flag(settings, Int32(EVENT_BASE_FLAG_PRECISE_TIMER.rawValue))
    guard let base = unsafe event_base_new_with_config(settings) else {
      throw SystemError(call: "event_base_new", subject: "a loop", code: errno)
    }
    unsafe self.base = base
    // Libevent writes to sockets as to files.
    Signals.ignoreBrokenPipes()
  }

  deinit {
    unsafe event_base_free(base)
  }

  /// Waits until something happens, and does what belongs to it.
  ///
  /// - Returns: `false` at once when there is nothing to wait for.
  @discardableResult
  package func turn() -> Bool {
    let result = unsafe event_base_loop(base, EVLOOP_ONCE)
    // What goes away now may retire others.
    let gone = retired
    retired = []
    return withExtendedLifetime(gone) { result == 0 }
  }

  /// Keeps an object until no callback of this turn runs any more: libevent goes on using a
  /// connection after it has called back.
  func retire(_ object: AnyObject) {
    retired.append(object)
  }
}

/// Which library this target calls: `2.1.12-stable`.
package let eventLibraryVersion = unsafe String(cString: event_get_version())
