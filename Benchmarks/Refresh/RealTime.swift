import Glibc
import HTTP
import Linux
import Machine
import Ports

/// Runs a client on the calling thread by the clock on the wall. Replies are waited for before sleeps
/// end: on loopback they take no time that a sleeper would notice.
final class RealTime: Ports.Spawner, Sleeper {
  private final class Waits {
    var sleepers: [(dueNs: Int64, wake: CheckedContinuation<Void, Never>)] = []
    var replyCount = 0
  }

  private let waits: Waits
  private let executor: MainExecutor

  init(_ loop: EventLoop) {
    let waits = Waits()
    self.waits = waits
    executor = MainExecutor {
      if waits.replyCount > 0 { return loop.turn() }
      guard
        let index = waits.sleepers.indices.min(by: {
          waits.sleepers[$0].dueNs < waits.sleepers[$1].dueNs
        })
      else { return false }
      let sleeper = waits.sleepers.remove(at: index)
      Self.sleep(untilNs: sleeper.dueNs)
      sleeper.wake.resume()
      return true
    }
  }

  func run<Result: Sendable>(_ body: @escaping () async -> Result) -> Result {
    let work = Work(run: body)
    return executor.run { await work.run() }
  }

  /// Stays on the thread that made it.
  private struct Work<Result>: @unchecked Sendable {
    let run: () async -> Result
  }

  func spawn(_ name: String, _ work: @escaping () async -> Void) {
    let work = Work(run: work)
    Task(executorPreference: executor) { await work.run() }
  }

  func sleep(for duration: Duration) async throws(ProcessGone) {
    let (seconds, attoseconds) = duration.components
    let dueNs = Clocks.monotonicNs + seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    await withCheckedContinuation { waits.sleepers.append((dueNs, $0)) }
  }

  func waitingForReply<Value>(
    _ body: () async throws(NetworkError) -> Value
  ) async throws(NetworkError) -> Value {
    waits.replyCount += 1
    defer { waits.replyCount -= 1 }
    return try await body()
  }

  private static func sleep(untilNs ns: Int64) {
    var time = timespec(tv_sec: Int(ns / 1_000_000_000), tv_nsec: Int(ns % 1_000_000_000))
    while unsafe clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
  }
}
