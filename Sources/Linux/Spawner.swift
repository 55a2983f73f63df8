import Glibc

/// Starts programs that die with this process, and lets each run only once it has been admitted.
///
/// The kernel ties a child's life to the *thread* that starts it, so one thread starts them all and
/// lives as long as the spawner.
package final class Spawner: Sendable {
  private let starter: WorkQueue
  private let nest: Locked<Nest>

  /// Where launches of one program are forked from.
  private struct Nest {
    /// `nil` when there is no such program, or it cannot fork here.
    var command: [String]?
    var zygote: Zygote?
  }

  /// - Parameter zygote: A program and the words that make it serve as a ``ZygoteServer``: its
  ///   launches are forked from one process. Started with the first of them, and again when it has
  ///   died. `nil` starts everything anew.
  /// - Throws: ``SystemError`` when the machine has no more threads.
  package init(zygote: [String]? = nil) throws(SystemError) {
    starter = try WorkQueue("lab-spawn")
    nest = Locked(Nest(command: zygote))
  }

  /// Ends the thread, and with it every program that still runs.
  package func stop() {
    nest.withLock { $0 = Nest() }
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
    if let fork = fork(launch) {
      // When it is not admitted, nobody lets it go, and it ends.
      let note = try admit(fork.child.processNumber)
      try fork.go.writing.write([1])
      return (fork.child, note)
    }
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

  /// Forks for a launch of the zygote's program.
  ///
  /// - Returns: `nil` for any other program, and when two zygotes in a row could not do it: then none
  ///   can here, as under a sanitizer, which has a thread of its own.
  private func fork(_ launch: ChildProcess.Launch) -> Zygote.Fork? {
    guard launch.environment == nil, launch.directory == nil else { return nil }
    return nest.withLock { nest -> Zygote.Fork? in
      guard let command = nest.command, command[0] == launch.command[0] else { return nil }
      for _ in 0..<2 {
        do throws(SystemError) {
          if nest.zygote == nil { nest.zygote = try startZygote(command) }
          if let fork = try nest.zygote?.fork(launch) { return fork }
        } catch {
          nest.zygote = nil
        }
      }
      nest.command = nil
      return nil
    }
  }

  private func startZygote(_ command: [String]) throws(SystemError) -> Zygote {
    let outcome = Locked<Result<Zygote, SystemError>?>(nil)
    starter.submit {
      let result = Result { () throws(SystemError) in try Zygote(command) }
      outcome.withLock { $0 = result }
    }
    guard let result = outcome.wait(timeoutMs: 10_000, until: { $0 }) else {
      throw SystemError(call: "spawn", subject: command[0], code: ETIMEDOUT)
    }
    return try result.get()
  }

  private static func failure(
    _ outcome: Locked<Result<ChildProcess, SystemError>?>, _ launch: ChildProcess.Launch
  ) -> SystemError {
    if case .failure(let error) = outcome.withLock({ $0 }) { return error }
    return SystemError(call: "spawn", subject: launch.command[0], code: ECHILD)
  }
}
