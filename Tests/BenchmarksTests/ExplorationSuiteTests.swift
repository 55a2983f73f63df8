import Chaos
import Device
import Linux
import Testing

@testable import Benchmarks

@Suite(.serialized, .timeLimit(.minutes(5))) struct `The suite for explorations` {
  /// Without a mount, so that it runs everywhere.
  @Test func `measures every case, and knows what it has done`() throws {
    let suite = ExplorationSuite(.smoke, executable: nil)
    let measured = try suite.run(.quiet)
    for section in measured.sections {
      for row in section.rows {
        #expect(row.value.isFinite, "\(row.name) (\(row.implementation))")
      }
      #expect(
        section.rows.flatMap(\.ratios).allSatisfy { $0.value > 0 && $0.value.isFinite },
        "\(section.title)")
    }
    #expect(measured.sections.flatMap(\.rows).flatMap(\.demands).count == 10)
    #expect(measured.sections.flatMap(\.curves).map(\.over).contains("writers"))
    #expect(measured.notes.contains { $0.contains("nothing mounted") })
    #expect(measured.digest.count == 32)
  }

  @Test func `knows as many states and images as the naive replay`() throws {
    for saveCount in 1...2 {
      let workload = CrashWorkload(saveCount: saveCount)
      let naive = NaiveReplay(workload)
      let walked = StateWork.walk(try workload.device(), tears: .none, keepsImages: true)
      #expect(walked.stateCount == naive.stateCount)
      #expect(walked.stateCount == 1 << (7 * saveCount))
      if saveCount == 1 { #expect(walked.images.count == naive.imageCount()) }
    }
  }

  @Test func `stops when it is told to`() {
    let watch = Watch(shouldStop: { true }, progress: { _, _ in })
    #expect(throws: BenchmarkError.interrupted) {
      try ExplorationSuite(.smoke, executable: nil).run(watch)
    }
  }
}

@Suite struct `The power that fits costs best` {
  @Test func `has their exponent, and goes through them`() {
    let square = PowerFit([1, 2, 4, 8].map { ($0, 3 * $0 * $0) })
    #expect(abs(square.exponent - 2) < 1e-9)
    #expect(abs(square.cost(of: 16) - 768) < 1e-6)
    let flat = PowerFit([1, 2, 4].map { ($0, 5) })
    #expect(abs(flat.exponent) < 1e-9)
  }
}
