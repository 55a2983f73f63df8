import Ports

/// Runs asynchronous code on the test's own thread, in the order of arrival, until nothing moves.
/// Time moves by ``advance(by:)`` only.
final class TestLoop: TaskExecutor, Spawner, Sleeper, WallClock, @unchecked Sendable {
  // One test owns it, and runs everything on its thread.
  private var jobs: [UnownedJob] = []
  private var sleepers: [(due: Duration, wake: CheckedContinuation<Void, Never>)] = []
  private var now = Duration.zero

  private struct Work: @unchecked Sendable {
    // It stays on the loop's thread.
    let run: () async -> Void
  }

  private final class Box<Value> {
    var value: Value?
  }

  var nowMs: Int64 { 1_790_000_000_000 + Int64(now / .milliseconds(1)) }

  func enqueue(_ job: consuming ExecutorJob) { jobs.append(UnownedJob(job)) }

  func run() {
    while !jobs.isEmpty {
      let job = jobs.removeFirst()
      unsafe job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }

  /// Runs a piece and all that it causes.
  ///
  /// - Returns: What it gave; `nil` if it waits for ever.
  @discardableResult func perform<Value>(_ body: @escaping () async -> Value) -> Value? {
    let box = Box<Value>()
    spawn("test") { box.value = await body() }
    run()
    return box.value
  }

  func spawn(_ name: String, _ work: @escaping () async -> Void) {
    let work = Work(run: work)
    Task(executorPreference: self) { await work.run() }
  }

  func sleep(for duration: Duration) async throws(ProcessGone) {
    await withCheckedContinuation { sleepers.append((now + duration, $0)) }
  }

  func advance(by duration: Duration) {
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

/// A door that a call waits at until the test opens it.
final class Gate {
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private(set) var isOpen = false

  func pass() async {
    if !isOpen { await withCheckedContinuation { waiting.append($0) } }
  }

  func open() {
    isOpen = true
    for waiter in waiting { waiter.resume() }
    waiting = []
  }
}
