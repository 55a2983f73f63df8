import Chaos
import JSON
import Phone
import Reports
import Terminal
import Testing

extension Mounted {
  @Suite struct `A campaign` {
    private func outcome(_ change: (inout Campaign.Plan) -> Void) throws -> Campaign.Outcome {
      try onLane { lane in
        var plan = Campaign.Plan(seed: 5, phones: [.ios], galleryStores: [], historyCount: 0)
        change(&plan)
        let runner = ScenarioRunner(on: lane.host, seed: plan.seed)
        return try Campaign(plan, on: runner, progress: { _, _, _, _ in })
          .run(gallery: [])
      }
    }

    @Test func `catches its canary`() throws {
      let outcome = try outcome { $0.canaryTriesMax = 30 }
      let caught = try #require(outcome.canaries.first?.run)
      #expect(caught.store == "recipe")
      #expect(caught.verdicts.contains { $0.isFailure })
      let report = ChaosReport(outcome, seed: 5)
      #expect(report.exitCode == .asExpected)
      #expect(report.json(filesAt: [])["canary"]?["caught"]?.bool == true)
    }

    @Test func `with a correct store for a canary says that it was not caught`() throws {
      let outcome = try outcome {
        $0.canaryStore = "keychain-only"
        $0.canaryTriesMax = 4
      }
      #expect(outcome.canaries.map(\.tries) == [4])
      #expect(outcome.canaries.first?.run == nil)
      let report = ChaosReport(outcome, seed: 5)
      #expect(report.exitCode == .defect)
      #expect(report.conclusion.hasSuffix("was not caught: no pass."))
      #expect(report.json(filesAt: [])["canary"]?["caught"]?.bool == false)
    }

    @Test func `finds what a known-bad store loses, in a file that shows it again`() throws {
      let outcome = try outcome {
        $0.randomStores = ["recipe"]
        $0.historyCount = 8
        $0.canaryTriesMax = 0
      }
      let finding = try #require(outcome.findings.first)
      #expect(ChaosReport(outcome, seed: 5).exitCode == .finding)
      let again = try ScenarioReader.read(Array(finding.text.utf8), name: finding.scenario.name)
      let run = try onLane { lane in
        // The file fixes the seed, so that of the runner does not matter.
        try ScenarioRunner(on: lane.host, seed: 99).run(
          again, on: .ios, store: "recipe")
      }
      #expect(run.cases.first?.verdicts == finding.run.verdicts)
      #expect(run.cases.first?.images == finding.run.images)
    }
  }
}
