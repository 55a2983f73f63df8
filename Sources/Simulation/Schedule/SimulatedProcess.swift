package import Ports

/// A process of a simulated phone: it owns tasks, and may be killed.
///
/// A killed process goes on for as long as its tasks need to end, and nobody sees it: each of its
/// ports fails at once and has no effect (`ProcessGone`). Make all that app code touches through
/// ``SimulatedProcess/secureStorage(over:)`` and its kin; files are cut off by `DeviceBox`.
package final class SimulatedProcess {
  package let name: String
  private let simulator: Simulator
  private let isAlive: () -> Bool
  private var wasKilled = false

  init(_ name: String, in simulator: Simulator, isAlive: @escaping () -> Bool) {
    self.name = name
    self.simulator = simulator
    self.isAlive = isAlive
  }

  /// Whether it was killed, here or by a fault of its device.
  package var isGone: Bool { wasKilled || !isAlive() }

  /// Ends the process where it is: calls that have begun may have had their effect or not.
  package func kill() { wasKilled = true }

  /// Makes a call of a port an interleaving point.
  ///
  /// In a process that has ended before the call, it has no effect; ended after it, the effect
  /// stays.
  ///
  /// - Parameters:
  ///   - call: What is called, such as `http.post`.
  ///   - subject: What it is called on; never a value.
  ///   - gone: What is thrown when the process has ended.
  ///   - body: The call.
  /// - Returns: What the call returns.
  /// - Throws: What the call throws, or `gone`.
  package func interleave<Value, Failure: Error>(
    _ call: String, _ subject: String, ifGone gone: Failure,
    _ body: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    guard await pass(call, subject, .begins) else { throw gone }
    let result: Result<Value, Failure>
    do throws(Failure) {
      result = .success(try await body())
    } catch {
      result = .failure(error)
    }
    let goesOn =
      switch simulator.interleaving {
      case .beforeCalls: !isGone
      case .aroundCalls: await pass(call, subject, .returns)
      }
    guard goesOn else { throw gone }
    return try result.get()
  }

  /// Waits until the scheduler lets this task go on; `false` when the process has ended.
  private func pass(
    _ call: String, _ subject: String, _ moment: Checkpoint.Moment,
    after delay: Duration = .zero
  ) async -> Bool {
    simulator.executor.requireOwner("a call of \(call)")
    guard let task = SimulatedTask.current else {
      preconditionFailure("\(call) was called outside the tasks of a simulated process")
    }
    let checkpoint = Checkpoint(
      process: name, task: task.name, call: call, subject: subject, moment: moment)
    task.last = checkpoint
    await simulator.park(task, in: self, at: checkpoint, after: delay)
    return !isGone
  }
}

extension SimulatedProcess: Spawner {
  package func spawn(_ name: String, _ work: @escaping () async -> Void) {
    guard !isGone else { return }
    simulator.start(name, in: self, work)
  }
}

extension SimulatedProcess: Sleeper {
  package func sleep(for duration: Duration) async throws(ProcessGone) {
    guard await pass("sleep", "\(duration)", .begins, after: duration) else { throw ProcessGone() }
  }
}

extension SimulatedProcess: CrashHandler {
  package func crash(_ exception: String) { kill() }
}
