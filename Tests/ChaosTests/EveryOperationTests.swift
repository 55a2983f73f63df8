import Chaos
import Device
import Mount
import Phone
import Session
import Testing

extension Mounted {
  /// A save of each store, hit at its first operation, its second, and so on, until there is none.
  @Suite struct `A save that is hit at each operation` {
    /// One hit: what was shown, and where the fault fell.
    private struct Hit: CustomStringConvertible {
      let run: CaseRun
      let operation: OperationRecord
      /// The last point that was announced before.
      let point: String

      var verdicts: [Verdict] { run.verdicts }
      var hasFailure: Bool { verdicts.contains { $0.isFailure } }
      var isSignOut: Bool { verdicts.contains(.falseSignOut) }
      var isNeverAllowed: Bool { !neverAllowed.isDisjoint(with: verdicts) }

      var description: String {
        "\(run.faults), \(operation.kind) of \(operation.path) after \(point): \(verdicts)"
      }
    }

    /// Runs a fault at `op:1`, `op:2` … until it does not fire any more.
    private func hits(
      _ fault: (Int) -> String, store: String, seed: UInt64 = 3
    ) throws -> [Hit] {
      try onLane { lane in
        let runner = ScenarioRunner(on: lane.host, seed: seed)
        var hits: [Hit] = []
        for number in 1...200 {
          let scenario = try scenario(
            """
            steps: [
              { do: "sign-in" }, { do: "clock", by: "+55min" },
              { do: "refresh", to: 2, fault: "\(fault(number))" }, { do: "launch", times: 2 },
            ],
            expect: { good: { "*": "noFailure" } },
            """)
          let hit = try #require(scenario.cases.first)
          let one = try runner.run(
            hit, in: .init(scenario: scenario, phone: .ios, store: store), isControl: false)
          if !one.faults.neverFired.isEmpty { return hits }
          let log = lane.host.mounted.withDevice { Array($0.log) }
          let index = try #require(log.lastIndex { $0.fault != nil })
          let point = log[..<index].last { $0.kind == .point }?.target
          hits.append(Hit(run: one, operation: log[index], point: point ?? ""))
        }
        Issue.record("a save of \(store) has more than 200 operations")
        return hits
      }
    }

    /// What a two-half store that is not to be trusted may still never do.
    private static let neverAllowed: Set<Verdict> = [
      .resurrection, .garbageAccepted, .dataDeleted, .plaintextLeaked, .keyReused, .limitExceeded,
      .hang, .crashLoop, .requestStorm, .neverConverged,
    ]

    @Test func `by SIGKILL keeps or recovers, with a store of one half`() throws {
      let hits = try hits({ "kill@op:\($0)" }, store: "keychain-only")
      #expect(hits.count >= 3)
      for hit in hits { #expect(!hit.hasFailure, "\(hit)") }
    }

    @Test(arguments: ["recipe", "healing"])
    func `by SIGKILL loses the session between the key and the blob, with two halves`(
      store: String
    ) throws {
      let hits = try hits({ "kill@op:\($0)" }, store: store)
      #expect(hits.count >= 6)
      // A kill ends the app, not the keychain's service: once that has begun, the key is stored. The
      // rename has put the new blob in its place.
      let keyWritten = try #require(hits.firstIndex { $0.point == "K0" })
      let blobWritten = try #require(hits.firstIndex { $0.operation.kind == .rename })
      #expect(hits[keyWritten].operation.domain == "keychain")
      #expect(keyWritten < blobWritten)
      for (index, hit) in hits.enumerated() {
        #expect(!hit.isNeverAllowed, "\(hit)")
        #expect(hit.isSignOut == (keyWritten..<blobWritten).contains(index), "\(hit)")
      }
    }

    @Test(arguments: ["none", "all", "seed"])
    func `by a power cut keeps or recovers, with a store of one half`(survivors: String) throws {
      let hits = try hits({ Self.powerCut(survivors, $0) }, store: "keychain-only")
      #expect(hits.count >= 3)
      for hit in hits {
        #expect(!hit.hasFailure, "\(hit)")
        #expect(hit.run.images.count == 1)
      }
    }

    @Test(arguments: ["none", "all", "seed"])
    func `by a power cut loses at most the session, with two halves`(survivors: String) throws {
      let hits = try hits({ Self.powerCut(survivors, $0) }, store: "recipe")
      #expect(hits.count >= 6)
      for hit in hits { #expect(!hit.isNeverAllowed, "\(hit)") }
      // When nothing of a save survives, its old pair does.
      #expect(hits.contains(where: \.isSignOut) == (survivors != "none"))
    }

    /// The fault with its value, as the members of a step.
    private static func powerCut(_ survivors: String, _ number: Int) -> String {
      let choice = survivors == "seed" ? "seed:\(number)" : survivors
      return #"power-cut@op:\#(number)", survivors: "\#(choice)"#
    }
  }
}
