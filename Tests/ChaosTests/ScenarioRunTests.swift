import Chaos
import Gallery
import Phone
import Testing

extension Mounted {
  /// That the whole gallery is as expected is tested where it is run as a whole: `lab chaos`.
  @Suite struct `A scenario` {
    @Test func `is contradicted by a file that claims the opposite`() throws {
      let inner = """
        steps: [ { do: "sign-in" }, { do: "refresh", to: 2, fault: "kill@K1" }, { do: "launch" } ],
        expect: { good: { "*": ["falseSignOut"] }, recipe: { "*": ["keep"] } },
        """
      try onLane { lane in
        let runner = ScenarioRunner(on: lane.host, seed: 1)
        for (store, shown) in [("recipe", Verdict.falseSignOut), ("keychain-only", .keep)] {
          let run = try runner.run(scenario(inner), on: .ios, store: store)
          #expect(run.controls.map(\.outcome) == [.asExpected])
          let one = try #require(run.cases.first)
          #expect(one.verdicts == [shown])
          guard case .unexpected = one.outcome else {
            Issue.record("\(store): \(one.outcome)")
            continue
          }
        }
      }
    }

    @Test func `is not believed when a fault never fired`() throws {
      let inner = """
        steps: [ { do: "sign-in" }, { do: "refresh", to: 2, fault: "kill@R1" }, { do: "launch" } ],
        expect: { good: { "*": ["keep"] } },
        """
      try onLane { lane in
        let run = try ScenarioRunner(on: lane.host, seed: 1).run(
          scenario(inner), on: .ios, store: "recipe")
        let one = try #require(run.cases.first)
        // What it shows is what the file says, and still no proof.
        #expect(one.verdicts == [.keep])
        #expect(one.outcome == .neverFired)
        #expect(one.faults.armed == 1 && one.faults.fired == 0)
        let told = try #require(one.faults.neverFired.first)
        #expect(one.faults.neverFired.count == 1)
        #expect(told.hasPrefix("kill at R1 (recovery ends), line 1; reached: S0 (save begins), "))
        #expect(told.contains("; likely why: only a read that finds half a save begins a recovery"))
        #expect(told.hasSuffix("; try: \"kill@each\" (follows what is really reached)"))
      }
    }

    @Test func `gives equal verdicts, stories and images for one seed on two lanes`() throws {
      let file = try #require(GalleryFiles.file("torn-save"))
      let scenario = try ScenarioReader.read(Array(file.text.utf8), name: file.name)
      let runs = try [7, 7, 8].map { seed in
        try onLane {
          try ScenarioRunner(on: $0.host, seed: seed).run(scenario, on: .ios, store: "recipe")
        }
      }
      #expect(runs[0] == runs[1])
      #expect(runs[0].cases.flatMap(\.images).count == 7)
      #expect(runs[0].cases.map(\.verdicts) == runs[2].cases.map(\.verdicts))
      #expect(runs[0].cases.map(\.images) != runs[2].cases.map(\.images))
    }

    @Test(arguments: PhoneKind.allCases)
    func `equals one whose programs are each started anew`(phone: PhoneKind) throws {
      let file = try #require(GalleryFiles.file("torn-save"))
      let scenario = try ScenarioReader.read(Array(file.text.utf8), name: file.name)
      let runs = try [true, false].map { areForked in
        try onLane(areForked: areForked) {
          try ScenarioRunner(on: $0.host, seed: 7).run(scenario, on: phone, store: "recipe")
        }
      }
      #expect(runs[0] == runs[1])
      #expect(!runs[0].cases.flatMap(\.images).isEmpty)
    }
  }
}
