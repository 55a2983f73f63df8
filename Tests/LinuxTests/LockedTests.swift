import Linux
import Testing

@Suite struct `A locked value` {
  @Test func `loses no increment of eight threads`() throws {
    let count = Locked(0)
    let threads = try (0..<8).map { index in
      try Thread("count-\(index)") { for _ in 0..<1_000 { count.withLock { $0 += 1 } } }
    }
    for thread in threads { thread.join() }
    #expect(count.withLock { $0 } == 8_000)
  }

  @Test func `wakes a waiter when the condition comes true`() throws {
    let value = Locked(0)
    let thread = try Thread("raise") { value.withLock { $0 = 7 } }
    #expect(value.wait(timeoutMs: 5_000) { $0 == 7 ? "seen" : nil } == "seen")
    thread.join()
  }

  @Test func `gives up when the time is over`() {
    let started = Clocks.monotonicNs
    #expect(Locked(0).wait(timeoutMs: 20) { $0 == 1 ? true : nil } == nil)
    #expect(Clocks.monotonicNs - started >= 20_000_000)
  }
}
