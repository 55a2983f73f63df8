import Glibc

/// Runs pieces of asynchronous code on the thread that made it, in the order of their arrival.
///
/// A piece that arrives from another thread (`Task {}`, `Task.detached`, the main actor,
/// `Task.sleep`) is a defect of the app code, and traps.
final class SimulatorExecutor: TaskExecutor, @unchecked Sendable {
  // Only the owner's thread touches the queue; `enqueue` and `drain` check it.
  private var jobs: [UnownedJob] = []
  private let owner = pthread_self()

  func enqueue(_ job: consuming ExecutorJob) {
    requireOwner("a continuation or task")
    jobs.append(UnownedJob(job))
  }

  /// Runs all that can run; `false` when that was not done after `count` pieces.
  func drain(atMost count: Int) -> Bool {
    requireOwner("the simulator")
    for _ in 0..<count {
      guard !jobs.isEmpty else { return true }
      let job = jobs.removeFirst()
      unsafe job.runSynchronously(on: asUnownedTaskExecutor())
    }
    return jobs.isEmpty
  }

  func requireOwner(_ what: String) {
    precondition(
      pthread_equal(pthread_self(), owner) != 0,
      "\(what) came from a thread that is not the simulator's; app code uses Spawner and Sleeper")
  }
}
