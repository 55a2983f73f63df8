import Linux
import Testing

@Suite struct `A work queue` {
  @Test func `runs jobs in order, and later ones not before their time`() throws {
    let queue = try WorkQueue("test")
    let seen = Locked<[Int]>([])
    let started = Clocks.monotonicNs
    queue.submit(afterMs: 30) { seen.withLock { $0.append(3) } }
    queue.submit { seen.withLock { $0.append(1) } }
    queue.submit { seen.withLock { $0.append(2) } }
    #expect(seen.wait(timeoutMs: 5_000) { $0.count == 3 ? $0 : nil } == [1, 2, 3])
    #expect(Clocks.monotonicNs - started >= 30_000_000)
    queue.stop()
  }

  @Test func `lets an earlier job overtake one that waits`() throws {
    let queue = try WorkQueue("test")
    let seen = Locked<[Int]>([])
    queue.submit(afterMs: 60) { seen.withLock { $0.append(2) } }
    queue.submit(afterMs: 10) { seen.withLock { $0.append(1) } }
    #expect(seen.wait(timeoutMs: 5_000) { $0.count == 2 ? $0 : nil } == [1, 2])
    queue.stop()
  }

  @Test func `runs what is left when it stops, and takes nothing more`() throws {
    let queue = try WorkQueue("test")
    let seen = Locked(0)
    queue.submit(afterMs: 60_000) { seen.withLock { $0 += 1 } }
    queue.stop()
    #expect(seen.withLock { $0 } == 1)
    #expect(!queue.submit { seen.withLock { $0 += 1 } })
    #expect(queue.run { 1 } == nil)
  }

  @Test func `hands back the result of a job`() throws {
    let queue = try WorkQueue("test")
    #expect(queue.run { 6 * 7 } == 42)
    queue.stop()
  }
}
