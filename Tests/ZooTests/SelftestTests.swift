import Chaos
import Gallery
import JSON
import Reports
import Terminal
import Testing
import Zoo

@Suite struct `A self-test` {
  /// One pass of all kinds of disturbance over all twins, and the controls.
  private static let random = Result {
    var plan = Selftest.Plan(seed: 1, engines: [.random])
    plan.roundCount = 1
    return try Selftest(plan, gallery: [], mounted: nil).run()
  }

  private func outcome(
    _ name: String, _ engines: [Selftest.Engine], change: (inout Selftest.Plan) -> Void = { _ in }
  ) throws -> Selftest.Outcome {
    var plan = Selftest.Plan(seed: 1, engines: engines)
    plan.twins = [try #require(Twin.named(name))]
    plan.hasControls = false
    change(&plan)
    let gallery = try GalleryFiles.all.map {
      try ScenarioReader.read(Array($0.text.utf8), name: $0.name)
    }
    return try Selftest(plan, gallery: gallery, mounted: nil).run()
  }

  @Test func `catches every twin with random histories, and nothing in the good stores`() throws {
    let outcome = try Self.random.get()
    #expect(outcome.rows.count == Twin.all.count + Selftest.controls.count)
    for row in outcome.rows {
      #expect(row.wrong.isEmpty, "\(row.name): \(row.looks)")
    }
    #expect(SelftestReport(outcome, hasMounted: false).exitCode == .asExpected)
  }

  @Test func `shrinks what shows a twin to a few decisions`() throws {
    let outcome = try Self.random.get()
    for row in outcome.rows where row.expected != .clean {
      #expect(row.witnessSize != nil, "\(row.name)")
    }
    #expect(try #require(outcome.witnessSizeMedian) <= 10)
  }

  /// Were that oracle off, the case would show nothing. What guards let through no store can show; the
  /// app that lets it through is in the tests of stories.
  @Test(arguments: Verdict.allCases.filter { $0.isFailure && $0 != .guardBroken })
  func `needs each oracle for some twin`(failure: Verdict) throws {
    var looks = try Self.random.get().rows.filter { $0.expected == .failure(failure) }
      .flatMap(\.looks)
    if !looks.contains(where: { $0.found == [failure] }) {
      for twin in Twin.all where twin.failure == failure.rawValue {
        looks += try outcome(twin.name, [.exhaustive]).rows.flatMap(\.looks)
      }
    }
    #expect(looks.contains { $0.found == [failure] }, "\(looks)")
  }

  @Test func `names a twin that it misses, and ends as a finding`() throws {
    let outcome = try outcome("heal-half", [.random]) { $0.roundCount = 0 }
    #expect(!outcome.isRight)
    let report = SelftestReport(outcome, hasMounted: false)
    #expect(report.exitCode == .finding)
    let console = Terminal.Console(output: Lines(), errors: Lines())
    let lines = report.lines(for: console)
    #expect(lines.last == "MISSED heal-half by random: secretLeft in none of 0 cases")
    #expect(lines.contains { $0.contains("MISSED 0 in") && $0.contains("not run") })
    #expect(report.json["twins"]?.list?.first?["asExpected"]?.bool == false)
  }

  @Test func `shows a crash of three saves to the exhaustive engine`() throws {
    let look = try #require(
      try outcome("marker-trusted", [.exhaustive]).rows.first?.looks.first)
    #expect(look.found == [.falseSignOut])
    #expect(look.place == "explore ios")
  }

  @Test func `shows a case of the gallery to the exhaustive engine`() throws {
    let look = try #require(
      try outcome("truncated-accepted", [.exhaustive]).rows.first?.looks.first)
    #expect(look.found == [.garbageAccepted])
    #expect(look.place == "cut-off-blob ios all")
  }

  @Test func `sees the same twice`() throws {
    let reports = try (0..<2).map { _ in
      SelftestReport(try outcome("retry-storm", [.random]), hasMounted: false).json
    }
    #expect(reports[0] == reports[1])
  }
}

private final class Lines: LineSink {
  var isTerminal: Bool { false }
  var columnCount: Int? { nil }
  func write(_ bytes: [UInt8]) -> WriteOutcome { .written }
}
