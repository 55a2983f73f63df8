import Chaos
import Gallery
import JSON
import Phone
import Reports
import Session
import Terminal
import Testing

extension Mounted {
  @Suite struct `A campaign` {
    /// Does all units of a plan that has nothing but what `change` gives it, on one mounted phone.
    private func outcome(_ change: (inout Campaign.Plan) throws -> Void) throws -> Campaign.Outcome
    {
      try onLane { lane in
        var plan = Campaign.Plan(seed: 5, phones: [.ios], galleryStores: [])
        plan.tiers = [.mounted]
        try change(&plan)
        let campaign = Campaign(plan, gallery: [], on: [lane.host])
        var results: [Int: UnitResult] = [:]
        for (number, unit) in plan.units(gallery: []).enumerated() {
          // As it comes from another process.
          let node = try JSONReader.read(JSONWriter.text(of: try campaign.run(unit).json))
          results[number] = try UnitResult(node, of: unit, in: plan, gallery: [])
        }
        return Campaign.Outcome(plan, gallery: [], results: results)
      }
    }

    @Test func `catches its canary`() throws {
      let outcome = try outcome { $0.canaryTriesMax = 30 }
      let canary = try #require(outcome.canaries.first)
      #expect(canary.isCaught)
      let report = ChaosReport(outcome, findingsIn: "f")
      #expect(report.exitCode == .asExpected)
      #expect(report.json["canary"]?["caught"]?.bool == true)
      #expect(report.json["canary"]?["store"]?.text?.hasPrefix("zoo/") == true)
    }

    @Test func `with a correct store for a canary says that it was not caught`() throws {
      let outcome = try outcome {
        $0.canaryStore = "keychain-only"
        $0.canaryTriesMax = 4
      }
      #expect(outcome.canaries.map(\.tries) == [4])
      #expect(outcome.canaries.first?.isCaught == false)
      let report = ChaosReport(outcome, findingsIn: "f")
      #expect(report.exitCode == .defect)
      #expect(report.conclusion.hasSuffix("was not caught: no pass."))
      #expect(report.json["canary"]?["caught"]?.bool == false)
    }

    @Test func `finds what a known-bad store loses, in a file that shows it again`() throws {
      let outcome = try outcome {
        $0.randomStores = ["recipe"]
        $0.historyCounts = [.mounted: 8]
        $0.canaryTriesMax = 0
      }
      #expect(outcome.histories.count == 8)
      let finding = try #require(outcome.findings.first)
      let report = ChaosReport(outcome, findingsIn: "f")
      #expect(report.exitCode == .finding)
      #expect(report.findingLines.contains { $0.contains("KILLED") || $0.contains("power-cut") })
      #expect(finding.replay.choices.count <= finding.foundChoiceCount)
      let again = try ReplayReader.read(
        Array(finding.replay.text.utf8), name: finding.replay.name)
      let comparison = try onLane { try ReplayPlayer(on: $0.host).replay(again) }
      #expect(comparison.shown.run.verdicts == finding.run.verdicts)
    }

    @Test func `has every scenario of the gallery, also those of a store in no list`() throws {
      let gallery = try GalleryFiles.all.map { file in
        try ScenarioReader.read(Array(file.text.utf8), name: file.name)
      }
      func missing(_ stores: [String]) -> [String] {
        let units = Campaign.Plan(seed: 5, galleryStores: stores).units(gallery: gallery)
        return gallery.indices.filter { index in
          !units.contains { unit in
            if case .scenario(index, _, _, _, _) = unit { true } else { false }
          }
        }.map { gallery[$0].name }
      }
      let listed = StoreKind.all.map(\.name)
      #expect(missing(listed + [StoreKind.chunked.name]).isEmpty)
      #expect(missing(listed).contains("big-jar"))
    }

    @Test func `tries old findings first, of both kinds`() throws {
      let file = try #require(GalleryFiles.file("torn-save"))
      let outcome = try outcome {
        $0.phones = PhoneKind.allCases
        $0.canaryTriesMax = 0
        $0.galleryStores = ["durable"]
        let scenario = try ScenarioReader.read(Array(file.text.utf8), name: file.name)
        $0.oldFindings = [Campaign.OldFinding(scenario, text: file.text)]
        $0.oldReplays = [try OldReplays.read(OldReplays.kill)]
        // As another process takes the plan over.
        $0 = try Campaign.Plan(JSONReader.read(JSONWriter.text(of: $0.json)))
      }
      #expect(
        outcome.oldFindings.map(\.scenario.name).last == "falseSignOut-explore-recipe-android-4")
      let report = ChaosReport(outcome, findingsIn: "f")
      // The old scenario is as expected; the replay still shows its failure.
      #expect(report.exitCode == .finding)
      #expect(report.conclusion == "1 finding.")
      #expect(
        report.findingLines.last == "replay: ./lab replay \(OldReplays.kill.dropLast(5))")
    }

    @Test func `explores what it is told to, and keeps a file of each cause`() throws {
      let outcome = try outcome {
        $0.searchedStores = ["recipe"]
        $0.canaryTriesMax = 0
      }
      let exploration = try #require(outcome.explorations.first)
      #expect(exploration.violationCount > 0 && exploration.imageCount < exploration.originCount)
      let report = ChaosReport(outcome, findingsIn: "f")
      #expect(report.exitCode == .finding)
      #expect(report.replays.count == exploration.causes.count)
      #expect(report.json["findings"]?.list?.count == exploration.causes.count)
    }
  }
}
