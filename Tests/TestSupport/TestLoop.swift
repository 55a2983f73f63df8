package import Ports

/// Runs asynchronous code on the test's own thread, in the order of arrival, until nothing moves.
/// Time moves by ``advance(by:)`` only.
package final class TestLoop: TaskExecutor, Spawner, Sleeper, WallClock, @unchecked Sendable {
  // One test owns it, and runs everything on its thread.
  private var jobs: [UnownedJob] = []
  private var sleepers: [(due: Duration, wake: CheckedContinuation<Void, Never>)] = []
  private var now = Duration.zero
  private let isHeld: (String) -> Bool
  private var held: [() async -> Void] = []
  /// What was spawned, in order.
  package private(set) var names: [String] = []

  private struct Work: @unchecked Sendable {
    // It stays on the loop's thread.
    let run: () async -> Void
  }

  private final class Box<Value> {
    var value: Value?
  }

  /// - Parameter isHeld: Says of what is spawned, by its name, whether it waits for ``release()``, so
  ///   that a test sees what comes before it.
  package init(holding isHeld: @escaping (String) -> Bool = { _ in false }) {
    self.isHeld = isHeld
  }

  package var nowMs: Int64 { 1_790_000_000_000 + Int64(now / .milliseconds(1)) }

  package func enqueue(_ job: consuming ExecutorJob) { jobs.append(UnownedJob(job)) }

  package func run() {
    while !jobs.isEmpty {
      let job = jobs.removeFirst()
      unsafe job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }

  /// Starts a piece and runs all that it causes.
  ///
  /// - Returns: What it gave; `nil` as long as it waits.
  package func begin<Value>(_ body: @escaping () async -> Value) -> () -> Value? {
    let box = Box<Value>()
    start { box.value = await body() }
    run()
    return { box.value }
  }

  /// Runs a piece and all that it causes.
  ///
  /// - Returns: What it gave; `nil` if it waits for ever.
  @discardableResult package func perform<Value>(
    _ body: @escaping () async -> Value
  ) -> Value? {
    begin(body)()
  }

  package func spawn(_ name: String, _ work: @escaping () async -> Void) {
    names.append(name)
    if isHeld(name) { held.append(work) } else { start(work) }
  }

  /// Runs what was held back.
  package func release() {
    for work in held { start(work) }
    held = []
    run()
  }

  private func start(_ work: @escaping () async -> Void) {
    let work = Work(run: work)
    Task(executorPreference: self) { await work.run() }
  }

  package func sleep(for duration: Duration) async throws(ProcessGone) {
    await withCheckedContinuation { sleepers.append((now + duration, $0)) }
  }

  package func advance(by duration: Duration) {
    let end = now + duration
    while let index = sleepers.indices.min(by: { sleepers[$0].due < sleepers[$1].due }),
      sleepers[index].due <= end
    {
      let sleeper = sleepers.remove(at: index)
      now = max(now, sleeper.due)
      sleeper.wake.resume()
      run()
    }
    now = end
  }
}
