/// One thread that runs jobs one after the other, each not before its time.
///
/// Jobs with the same time run in the order in which they were given.
package final class WorkQueue: Sendable {
  private struct Job {
    let dueNs: Int64
    let run: @Sendable () -> Void
  }

  private struct State {
    var jobs: [Job] = []
    var stops = false
  }

  private let state = Locked(State())
  private let thread: Thread

  package init(_ name: String) throws(SystemError) {
    thread = try Thread(name) { [state] in Self.work(state) }
  }

  /// Stops the thread when the queue is forgotten without a ``stop()``; jobs left still run.
  deinit {
    state.withLock { $0.stops = true }
  }

  /// Gives the thread a job.
  ///
  /// - Parameters:
  ///   - afterMs: How many milliseconds to wait first. Jobs behind it are not held up.
  ///   - job: What to run.
  /// - Returns: `false` after ``stop()``; the job is then not run.
  @discardableResult
  package func submit(afterMs: Int = 0, _ job: @escaping @Sendable () -> Void) -> Bool {
    let due = Clocks.monotonicNs + Int64(afterMs) * 1_000_000
    return state.withLock { state in
      guard !state.stops else { return false }
      let place = state.jobs.lastIndex { $0.dueNs <= due }.map { $0 + 1 } ?? 0
      state.jobs.insert(Job(dueNs: due, run: job), at: place)
      return true
    }
  }

  /// Runs the jobs that are left, without waiting for their time, and ends the thread.
  package func stop() {
    state.withLock { $0.stops = true }
    thread.join()
  }

  /// Runs one job on the queue's thread and waits for its result.
  ///
  /// - Returns: `nil` after ``stop()``. Called on the queue's own thread, it never returns.
  package func run<Result: Sendable>(_ job: @escaping @Sendable () -> Result) -> Result? {
    let answer = Locked<Result?>(nil)
    let accepted = submit {
      let result = job()
      answer.withLock { $0 = result }
    }
    return accepted ? answer.wait { $0 } : nil
  }

  private enum Next {
    case job(Job)
    case waitUntil(Int64)
    case end
  }

  private static func work(_ state: Locked<State>) {
    var deadline: Int64?
    while true {
      let next = state.wait(deadlineNs: deadline) { Self.next(&$0, since: deadline) }
      switch next {
      case .job(let job)?:
        deadline = nil
        job.run()
      case .waitUntil(let due)?: deadline = due
      case .end?: return
      case nil: deadline = nil
      }
    }
  }

  private static func next(_ state: inout State, since deadline: Int64?) -> Next? {
    guard let first = state.jobs.first else { return state.stops ? .end : nil }
    if state.stops || first.dueNs <= Clocks.monotonicNs {
      return .job(state.jobs.removeFirst())
    }
    return first.dueNs == deadline ? nil : .waitUntil(first.dueNs)
  }
}
