/// Runs asynchronous app code on one thread, in an order that a ``Choices`` decides.
///
///     let simulator = Simulator(choices)
///     simulator.launch("app") { process in
///       let secure = process.secureStorage(over: keychain)
///       process.spawn("second save") { … }
///       …
///     }
///     let outcome = simulator.run()
///
/// The model: a *task* is what ``launch(_:isAlive:_:)`` or `Spawner` starts. It runs until it calls
/// a port; there, at a *checkpoint*, it is parked. When all tasks are parked, ended, or wait for
/// each other, one parked task is chosen (a choice of the kind `schedule`, among those that may go
/// on, longest parked first) and goes on until everything has come to rest again: that is a *step*.
/// What happens inside a step happens in the order in which Swift enqueues it, first in, first out,
/// as JavaScript's promises do on their one thread, and is no choice. So app code may use
/// continuations, child tasks, groups, actors and streams as it likes, but may not leave the thread:
/// `Task {}`, `Task.detached` and `Task.sleep` trap as soon as they come back, and look like a hang
/// until then. So does the main actor, to which closures belong that the `main` of a program holds.
///
/// Time is virtual. It moves only when no parked task may go on, to the earliest time that one
/// waits for; tasks that wait for the same time are a choice like any other.
///
/// When a process ends, its tasks are cancelled and those that are parked go on, before all others
/// and without a choice, for nobody can see what they do. They find their ports cut off, and should
/// end. One that does not is reported by name, and leaks.
///
/// Not modelled: two threads of a process at once, a scheduler's fairness, the duration of calls.
package final class Simulator {
  package let clock: VirtualClock

  /// What was done so far, in order; tasks of ended processes are left out.
  package private(set) var steps: [Step] = []

  /// Called before a step, when the task is about to leave its checkpoint: the moment to kill.
  package var onStep: ((Checkpoint) -> Void)?

  let executor = SimulatorExecutor()
  let interleaving: Interleaving
  /// What decides from here on; one run's.
  package var choices: Choices
  private let limits: SimulationLimits
  private var parked: [Parked] = []
  /// Those that have not ended, in the order of their start.
  private var tasks: [SimulatedTask] = []
  /// Those that went on for too long after the end of their process.
  private var abandoned: [CheckedContinuation<Void, Never>] = []
  private var stepsAtThisTime = 0

  private struct Parked {
    let task: SimulatedTask
    /// Whose port was called.
    let process: SimulatedProcess
    let checkpoint: Checkpoint
    let due: Duration
    let continuation: CheckedContinuation<Void, Never>
  }

  /// Makes a simulator for the calling thread.
  ///
  /// - Parameters:
  ///   - choices: What decides; one run's.
  ///   - startMs: The time of day at the start, in milliseconds since 1970.
  ///   - interleaving: Where calls let others go first.
  ///   - limits: When the run counts as one that will not end.
  package init(
    _ choices: Choices, startMs: Int64 = 1_700_000_000_000,
    interleaving: Interleaving = .aroundCalls, limits: SimulationLimits = SimulationLimits()
  ) {
    self.choices = choices
    self.interleaving = interleaving
    self.limits = limits
    clock = VirtualClock(startMs: startMs)
  }

  /// Starts a process, whose first task begins with the next ``run(until:)``.
  ///
  /// `isAlive` says whether its device has not ended it. Names should differ: steps and reports
  /// show them.
  @discardableResult
  package func launch(
    _ name: String, isAlive: @escaping () -> Bool = { true },
    _ body: @escaping (SimulatedProcess) async -> Void
  ) -> SimulatedProcess {
    let process = self.process(name, isAlive: isAlive)
    start("main", in: process) { await body(process) }
    return process
  }

  /// A process that does nothing by itself, but what is spawned in it.
  package func process(
    _ name: String, isAlive: @escaping () -> Bool = { true }
  ) -> SimulatedProcess {
    SimulatedProcess(name, in: self, isAlive: isAlive)
  }

  /// A hash of ``steps``, the same in every process.
  package var traceDigest: UInt64 {
    var hash = StableHash()
    for step in steps {
      hash.add(step.elapsed.description)
      hash.add(step.checkpoint.description)
    }
    return hash.value
  }
}

// MARK: - Running

extension Simulator {
  /// Runs until all tasks have ended, something is wrong, or the next thing to do lies after a
  /// deadline, given as time since the start (one year, unless said).
  ///
  /// After anything but ``Outcome/timeUp`` all processes have ended, and nothing is left behind
  /// but what ``unfinished`` names. After it the run may go on; kill what is not to go on.
  ///
  /// - Complexity: O(*t*) a step, for *t* tasks that have not ended.
  package func run(until deadline: Duration = .seconds(31_536_000)) -> Outcome {
    stepsAtThisTime = 0
    while executor.drain(atMost: limits.jobsMax) {
      if cutOff() { continue }
      if let divergence = choices.divergence { return end(.diverged(divergence)) }
      let ready = parked.indices.filter { parked[$0].due <= clock.elapsed }
      if !ready.isEmpty {
        guard stepsAtThisTime < limits.stepsMax else { return end(.livelock(unfinished)) }
        step(ready)
      } else if let next = parked.lazy.map(\.due).min() {
        guard next <= deadline else {
          clock.move(to: max(deadline, clock.elapsed))
          return .timeUp
        }
        clock.move(to: next)
        stepsAtThisTime = 0
      } else {
        return end(verdictAtRest)
      }
    }
    return end(.livelock(unfinished))
  }

  /// Lets time pass up to a moment since the start, when nothing is there that could run before it.
  package func pass(to elapsed: Duration) {
    precondition(parked.isEmpty, "somebody waits")
    clock.move(to: max(elapsed, clock.elapsed))
  }

  /// What the tasks that have not ended wait for, in the order of their start.
  package var unfinished: [Wait] {
    tasks.flatMap { task -> [Wait] in
      let places = parked.filter { $0.task === task }.map(\.checkpoint)
      let wait = Wait(
        process: task.process.name, task: task.name, last: task.last, isAtCheckpoint: false)
      guard !places.isEmpty else { return [wait] }
      return places.map {
        Wait(process: task.process.name, task: task.name, last: $0, isAtCheckpoint: true)
      }
    }
  }

  private var verdictAtRest: Outcome {
    if tasks.isEmpty { return .finished }
    return tasks.allSatisfy { $0.process.isGone } ? .undead(unfinished) : .hang(unfinished)
  }

  private func step(_ ready: [Int]) {
    let index = ready[choices.choose(ready.count, "schedule")]
    guard choices.divergence == nil else { return }
    onStep?(parked[index].checkpoint)
    guard !parked[index].process.isGone else { return }
    stepsAtThisTime += 1
    let next = parked.remove(at: index)
    steps.append(Step(elapsed: clock.elapsed, checkpoint: next.checkpoint))
    next.continuation.resume()
  }

  /// Lets the tasks of ended processes come to their end; `false` when there is nothing to do.
  private func cutOff() -> Bool {
    var isAnyNew = false
    for task in tasks where task.process.isGone && task.cancel() { isAnyNew = true }
    guard let index = parked.firstIndex(where: { $0.process.isGone }) else { return isAnyNew }
    parked.remove(at: index).continuation.resume()
    return true
  }

  /// Ends all processes.
  private func end(_ outcome: Outcome) -> Outcome {
    for task in tasks { task.process.kill() }
    while cutOff() {
      guard executor.drain(atMost: limits.jobsMax) else { break }
    }
    return outcome
  }
}

// MARK: - What processes ask for

extension Simulator {
  func start(_ name: String, in process: SimulatedProcess, _ work: @escaping () async -> Void) {
    let task = SimulatedTask(name, in: process)
    tasks.append(task)
    task.start(on: executor, work) { ended in
      self.tasks.removeAll { $0 === ended }
    }
  }

  /// Suspends the running task at a checkpoint, at least for a time. Returns at once when the
  /// process has ended, and never when the task has gone on for too long after that.
  func park(
    _ task: SimulatedTask, in process: SimulatedProcess, at checkpoint: Checkpoint,
    after delay: Duration
  ) async {
    if process.isGone {
      task.callsAfterEnd += 1
      guard task.callsAfterEnd > limits.callsAfterEndMax else { return }
      return await withCheckedContinuation { abandoned.append($0) }
    }
    let due = clock.elapsed + max(delay, .zero)
    await withCheckedContinuation {
      parked.append(
        Parked(task: task, process: process, checkpoint: checkpoint, due: due, continuation: $0))
    }
  }
}
