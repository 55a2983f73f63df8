/// How app code starts a second thing at once, as JavaScript does by not awaiting a promise.
package protocol Spawner: AnyObject {
  /// Starts `work` beside its caller, on the thread of the caller: `work` needs no `Sendable`.
  ///
  /// It begins when the caller next waits. In a process that has ended it never does.
  func spawn(_ name: String, _ work: @escaping () async -> Void)
}

/// How app code waits for time to pass. Virtual time, or the machine's.
package protocol Sleeper: AnyObject {
  /// Returns when the time has passed; at the next occasion for a time that is not above zero.
  ///
  /// - Throws: ``ProcessGone`` when the process ended meanwhile.
  func sleep(for duration: Duration) async throws(ProcessGone)
}

/// The process of the caller has ended: only where a process is simulated can code see that.
///
/// Ports with errors of their own say it in their words, with this description as the reason.
/// Whatever the code does afterwards reaches nobody; it should come to its end.
package struct ProcessGone: Error, Equatable, Sendable, CustomStringConvertible {
  package init() {}

  package var description: String { "the process has ended" }
}
