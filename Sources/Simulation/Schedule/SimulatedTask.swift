/// One concurrent piece of app code, with the child tasks that it awaits.
final class SimulatedTask: @unchecked Sendable {
  // Touched on the simulator's thread only: a port that is called elsewhere traps.

  /// The piece that runs; its child tasks see it too.
  @TaskLocal static var current: SimulatedTask?

  let name: String
  let process: SimulatedProcess
  var last: Checkpoint?
  var callsAfterEnd = 0
  private var handle: Task<Void, Never>?
  private var isCancelled = false

  init(_ name: String, in process: SimulatedProcess) {
    self.name = name
    self.process = process
  }

  /// Starts it; `onEnd` is called when it has ended.
  func start(
    on executor: SimulatorExecutor, _ work: @escaping () async -> Void,
    onEnd: @escaping (SimulatedTask) -> Void
  ) {
    let parts = Parts(work: work, onEnd: onEnd)
    handle = Self.$current.withValue(self) {
      Task(executorPreference: executor) {
        await parts.work()
        parts.onEnd(self)
      }
    }
  }

  /// Cancels it, once; streams and groups that it waits for end by that.
  ///
  /// - Returns: Whether it was not cancelled before.
  func cancel() -> Bool {
    guard !isCancelled else { return false }
    isCancelled = true
    handle?.cancel()
    return true
  }

  /// Called on the simulator's thread only, once.
  private struct Parts: @unchecked Sendable {
    let work: () async -> Void
    let onEnd: (SimulatedTask) -> Void
  }
}
