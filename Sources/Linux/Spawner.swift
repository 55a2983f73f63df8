import Glibc

/// Starts programs that die with this process, and lets each run only once it has been admitted.
///
/// The kernel ties a child's life to the *thread* that starts it, so one thread starts them all and
/// lives as long as the spawner.
package final class Spawner: Sendable {
  private let starter: WorkQueue

  package init() throws(SystemError) {
    starter = try WorkQueue("lab-spawn")
  }

  /// Ends the thread, and with it every program that still runs.
  package func stop() {
    starter.stop()
  }

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - launch: What to start.
  ///   - admit: Called with the new process's number before it touches a file.
  /// - Returns: The running program, and what `admit` returned.
  /// - Throws: ``SystemError`` when it could not be executed, or what `admit` throws; the program
  ///   does not run then.
  package func start<Note>(
    _ launch: ChildProcess.Launch, admit: (Int32) throws(SystemError) -> Note
  ) throws(SystemError) -> (child: ChildProcess, note: Note) {
    let gate = try Gate()
    var gated = launch
    gated.gate = gate
    gated.diesWithParent = true
    let outcome = Locked<Result<ChildProcess, SystemError>?>(nil)
    starter.submit { [gated] in
      let result = Result { () throws(SystemError) in try ChildProcess(gated) }
      outcome.withLock { $0 = result }
      gate.giveUp()
    }
    guard let process = try gate.process(timeoutMs: 10_000) else {
      throw Self.failure(outcome, launch)
    }
    let note: Note
    do {
      note = try admit(process)
    } catch {
      // It would wait at its gate for ever, and the starting thread with it.
      try? Pidfd(process: process).kill()
      throw error
    }
    try gate.open()
    guard let result = outcome.wait(until: { $0 }), case .success(let child) = result else {
      throw Self.failure(outcome, launch)
    }
    return (child, note)
  }

  private static func failure(
    _ outcome: Locked<Result<ChildProcess, SystemError>?>, _ launch: ChildProcess.Launch
  ) -> SystemError {
    if case .failure(let error) = outcome.withLock({ $0 }) { return error }
    return SystemError(call: "spawn", subject: launch.command[0], code: ECHILD)
  }
}
