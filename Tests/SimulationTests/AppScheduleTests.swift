import Ports
import Simulation
import Testing

/// An app in virtual time that somebody else moves.
@Suite struct `A schedule of one app` {
  private static func schedule(isAlive: @escaping () -> Bool = { true }) -> AppSchedule {
    AppSchedule("app", startMs: 1_000, isAlive: isAlive)
  }

  @Test func `does first what was due until now`() {
    let schedule = Self.schedule()
    let process = schedule.process
    var times: [Int64] = []
    let first = schedule.perform(atMs: 1_000, patience: .seconds(70), settling: .zero) {
      process.spawn("ticker") {
        while (try? await process.sleep(for: .seconds(30))) != nil { times.append(schedule.nowMs) }
      }
    }
    #expect(first == nil)
    let second = schedule.perform(atMs: 91_000, patience: .seconds(70), settling: .zero) {}
    #expect(second == nil)
    #expect(times == [31_000, 61_000, 91_000])
    #expect(schedule.nowMs == 91_000)
    process.kill()
    _ = schedule.perform(atMs: 91_000, patience: .zero, settling: .zero) {}
  }

  @Test func `waits for an answer, settles, and does not wait for ever`() {
    let schedule = Self.schedule()
    let process = schedule.process
    let done = schedule.perform(atMs: 1_000, patience: .seconds(70), settling: .seconds(2)) {
      try? await process.sleep(for: .seconds(5))
    }
    #expect(done == nil)
    #expect((8_000..<8_100).contains(schedule.nowMs))
    let late = schedule.perform(atMs: 9_000, patience: .seconds(3), settling: .zero) {
      try? await process.sleep(for: .seconds(5))
    }
    #expect(late != nil)
    #expect((12_000..<12_100).contains(schedule.nowMs))
  }

  @Test func `says when nothing can go on any more`() {
    let schedule = Self.schedule()
    let gate = Gate()
    let stuck = schedule.perform(atMs: 1_000, patience: .seconds(70), settling: .zero) {
      await gate.pass()
    }
    #expect(stuck?.contains("command") == true)
    // A continuation must end, also that of a hang.
    gate.open()
  }

  @Test func `ends with its process`() {
    var isAlive = true
    let schedule = Self.schedule { isAlive }
    let process = schedule.process
    let ended = schedule.perform(atMs: 1_000, patience: .seconds(70), settling: .zero) {
      isAlive = false
      try? await process.sleep(for: .seconds(5))
    }
    #expect(ended != nil)
    #expect(schedule.nowMs < 2_000)
  }
}

/// Lets nobody pass until it is opened.
private final class Gate {
  private var waiter: CheckedContinuation<Void, Never>?

  func pass() async { await withCheckedContinuation { waiter = $0 } }

  func open() { waiter?.resume() }
}
