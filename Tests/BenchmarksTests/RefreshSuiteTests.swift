import Testing

@testable import Benchmarks

@Suite(.serialized, .timeLimit(.minutes(5))) struct `The suite for refreshing` {
  @Test func `measures every case, and does the same work again`() throws {
    let measured = try RefreshSuite(.smoke).run(.quiet)
    for row in measured.sections.flatMap(\.rows) {
      #expect(row.value.isFinite, "\(row.name) (\(row.implementation))")
    }
    let fleets = measured.sections.prefix(3)
    #expect(fleets.allSatisfy { Set($0.rows.map(\.implementation)).count == 6 })
    #expect(measured.sections.flatMap(\.rows).flatMap(\.demands).count == 1)
    #expect(measured.conclusion?.contains("Use the hardened profile") == true)
    let again = try RefreshSuite(.smoke).run(.quiet)
    #expect(measured.digest == again.digest)
    var other = RefreshSuite.Parameters.smoke
    other.seed += 1
    let elsewhere = try RefreshSuite(other).run(.quiet)
    #expect(measured.digest != elsewhere.digest)
  }

  @Test func `stops when it is told to`() {
    let watch = Watch(shouldStop: { true }, progress: { _, _ in })
    #expect(throws: BenchmarkError.interrupted) { try RefreshSuite(.smoke).run(watch) }
  }
}
