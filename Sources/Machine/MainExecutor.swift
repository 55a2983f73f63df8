import Glibc

/// Runs asynchronous code on the thread that made it, from a synchronous `main`.
///
/// An asynchronous `main` costs a worker 9 to 16 ms at start, this one next to nothing. There is one
/// thread: a job that arrives from another one (a detached task, the main actor) is a defect of
/// the app code, and traps.
package final class MainExecutor: TaskExecutor, @unchecked Sendable {
  // Only the owner's thread touches the queue; `enqueue` checks it.
  private var jobs: [UnownedJob] = []
  private let owner = pthread_self()
  private let wait: () -> Bool

  /// - Parameter wait: Called when no job is left: waits until something that the work waits for has
  ///   happened; `false` when there is nothing of the kind.
  package init(wait: @escaping () -> Bool = { false }) {
    self.wait = wait
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    precondition(
      pthread_equal(pthread_self(), owner) != 0, "a job came from a thread that is not the app's")
    jobs.append(UnownedJob(job))
  }

  /// Runs `body` to its end, and all that it starts on this executor until then.
  package func run<Result: Sendable>(
    _ body: sending @escaping () async -> Result
  ) -> Result {
    let outcome = Outcome<Result>()
    let work = Work(body: body)
    Task(executorPreference: self) {
      outcome.result = await work.body()
    }
    while true {
      if let result = outcome.result { return result }
      guard !jobs.isEmpty else {
        precondition(wait(), "nothing left to run, and the work has not ended")
        continue
      }
      let job = jobs.removeFirst()
      unsafe job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }

  /// Touched on the owner's thread only.
  private final class Outcome<Result>: @unchecked Sendable {
    var result: Result?
  }

  /// Called on the owner's thread only, once.
  private struct Work<Result>: @unchecked Sendable {
    let body: () async -> Result
  }
}
