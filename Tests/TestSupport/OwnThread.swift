import Foundation
package import Testing

/// A suite that runs one test at a time and waits for other processes: its tests wait on threads of its
/// own. All others share as many threads as there are processors, and would stand still with them.
package struct OwnThread: SuiteTrait, TestScoping {
  package func provideScope(
    for test: Test, testCase: Test.Case?,
    performing body: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(Threads()) { try await body() }
  }

  /// Runs each piece of work on a new thread, so that a time limit is told while its test waits.
  private final class Threads: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      Thread.detachNewThread {
        unsafe job.runSynchronously(on: self.asUnownedTaskExecutor())
      }
    }
  }
}

extension Trait where Self == OwnThread {
  package static var ownThread: Self { Self() }
}
