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
    #expect(measured.sections.flatMap(\.rows).flatMap(\.demands).count == 6)
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

  @Test func `fits the exponent of a power`() {
    let square = [1, 2, 4, 8].map { (length: $0, cost: 3 * Double($0 * $0)) }
    #expect(abs(StateWork.exponent(of: square) - 2) < 1e-9)
    let flat = [1, 2, 4].map { (length: $0, cost: 5.0) }
    #expect(abs(StateWork.exponent(of: flat)) < 1e-9)
  }
}
