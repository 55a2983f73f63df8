import Linux
import Testing

@testable import Benchmarks

@Suite struct `Rounds that somebody watches` {
  private struct Failed: Error {}

  /// Notes the number of each round, and half a round more when it is stopped in one.
  private struct Counting: Rounds {
    var ledger = Ledger()
    var number = 0.0
    var failsAt = Double.infinity

    mutating func play(_ watch: Watch) throws {
      number += 1
      ledger.add(number, "first", "lab")
      try watch.check()
      if number == failsAt { throw Failed() }
      ledger.add(number, "second", "lab")
    }
  }

  private func play(
    stopsIn last: Int, failsAt: Double = .infinity, failedOfStop: Bool = false
  ) throws -> (Measurements, Watch.Played) {
    var rounds = Counting()
    rounds.failsAt = failsAt
    let asked = Locked(0)
    let watch = Watch(
      shouldStop: {
        asked.withLock { count in
          count += 1
          return count >= last
        }
      }, hasFailedOfStop: { failedOfStop }, progress: { _, _ in })
    var seen = Watch.Played()
    let measured = try watch.play(&rounds, 5) { played in
      seen = played
      return .sample()
    }
    return (measured, seen)
  }

  @Test func `all count when nobody stops them`() throws {
    let (measured, played) = try play(stopsIn: 99)
    #expect(measured.roundCount == 5 && !measured.wasInterrupted)
    #expect(played.ledger["second", "lab"].values == [1, 2, 3, 4, 5])
  }

  @Test func `count as far as they were finished when somebody stops them`() throws {
    let (measured, played) = try play(stopsIn: 3)
    #expect(measured.roundCount == 2 && measured.plannedRoundCount == 5)
    #expect(played.wasInterrupted)
    // Nothing of the third round.
    #expect(played.ledger["first", "lab"].values == [1, 2])
  }

  @Test func `give no figures when the first was not finished`() {
    #expect(throws: BenchmarkError.interrupted) { try play(stopsIn: 1) }
    #expect(throws: BenchmarkError.interrupted) {
      try play(stopsIn: 99, failsAt: 1, failedOfStop: true)
    }
  }

  @Test func `count when one fails of the wish to stop, and give its error when not`() throws {
    let (measured, _) = try play(stopsIn: 99, failsAt: 3, failedOfStop: true)
    #expect(measured.roundCount == 2 && measured.wasInterrupted)
    #expect(throws: Failed.self) { try play(stopsIn: 99, failsAt: 3) }
  }
}
