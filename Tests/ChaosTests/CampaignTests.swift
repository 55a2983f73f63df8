import Chaos
import Gallery
import JSON
import Phone
import Reports
import Terminal
import Testing

extension Mounted {
  @Suite struct `A campaign` {
    private func outcome(_ change: (inout Campaign.Plan) throws -> Void) throws -> Campaign.Outcome
    {
      try onLane { lane in
        var plan = Campaign.Plan(seed: 5, phones: [.ios], galleryStores: [], historyCount: 0)
        try change(&plan)
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
      #expect(report.json(filesIn: "out")["canary"]?["caught"]?.bool == true)
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
      #expect(report.json(filesIn: "out")["canary"]?["caught"]?.bool == false)
    }

    @Test func `finds what a known-bad store loses, in a file that shows it again`() throws {
      let outcome = try outcome {
        $0.randomStores = ["recipe"]
        $0.historyCount = 8
        $0.canaryTriesMax = 0
      }
      let finding = try #require(outcome.findings.first)
      #expect(ChaosReport(outcome, seed: 5).exitCode == .finding)
      #expect(finding.replay.choices.count <= finding.foundChoiceCount)
      let again = try ReplayReader.read(
        Array(finding.replay.text.utf8), name: finding.replay.name)
      let comparison = try onLane { try ReplayPlayer(on: $0.host).replay(again) }
      #expect(comparison.shown.run.verdicts == finding.run.verdicts)
    }

    @Test func `tries old findings first, of both kinds`() throws {
      let file = try #require(GalleryFiles.file("torn-save"))
      let outcome = try outcome {
        $0.canaryTriesMax = 0
        $0.galleryStores = ["durable"]
        $0.oldFindings = [try ScenarioReader.read(Array(file.text.utf8), name: file.name)]
        $0.oldReplays = [try OldReplays.read(OldReplays.kill)]
      }
      #expect(
        outcome.oldFindings.map(\.scenario.name).last == "falseSignOut-explore-recipe-android-4")
      let report = ChaosReport(outcome, seed: 5)
      // The old scenario is as expected; the replay still shows its failure.
      #expect(report.exitCode == .finding)
      #expect(report.conclusion == "1 finding.")
      #expect(
        report.findingLines(filesIn: "out").last
          == "replay: ./lab replay \(OldReplays.kill.dropLast(5))")
    }
  }
}
