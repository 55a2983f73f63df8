import Chaos
import Device
import Phone
import Testing

/// What the comparison says of tiers that differ: here both are in memory, and one is another phone.
@Suite struct `A comparison of two tiers` {
  /// A power cut in a save, on a phone with these settings.
  private func run(_ settings: String, seed: UInt64 = 1) throws -> CaseRun {
    let scenario = try Mounted.scenario(
      """
      settings: { \(settings) },
      steps: [
        { do: "sign-in" }, { do: "refresh", to: 2, fault: "power-cut@S1", survivors: "none" },
        { do: "launch" },
      ],
      expect: { good: { "*": "noFailure" } },
      """)
    let one = try #require(scenario.cases.first)
    let runner = ScenarioRunner(on: try SimulatedPhone(PhoneSetup()), seed: seed)
    runner.tracesStorage = true
    return try runner.run(
      one, in: .init(scenario: scenario, phone: .ios, store: "recipe"), isControl: false)
  }

  @Test func `is silent about equal ones`() throws {
    #expect(try TierComparison.differences(simulated: run(""), mounted: run("")).isEmpty)
  }

  @Test func `names the file whose sync is missing, and the two calls`() throws {
    let differences = try TierComparison.differences(
      simulated: run(#"keychainSynchronous: "full""#), mounted: run(""))
    let calls = differences.compactMap { difference -> (String, StorageCall?, StorageCall?)? in
      guard case .call(let file, _, let ours, let theirs) = difference else { return nil }
      return (file, ours, theirs)
    }
    let (file, ours, theirs) = try #require(calls.first)
    #expect(calls.count == 1)
    #expect(file == "/private/var/Keychains/keychain-2.db-wal")
    #expect(ours?.kind == .sync && theirs?.kind == .write)
    #expect(
      differences.contains {
        if case .image("after power-cut at S1 (save acknowledged)", .durable, file, _, _) = $0 {
          true
        } else {
          false
        }
      }, "\(differences)")
  }

  @Test func `names the file that holds other bytes`() throws {
    let differences = try TierComparison.differences(
      simulated: run("", seed: 1), mounted: run("", seed: 2))
    let others = differences.compactMap { difference -> String? in
      guard case .image(_, .live, let file, let ours?, let theirs?) = difference,
        ours.sizeBytes == theirs.sizeBytes, ours.content != theirs.content
      else { return nil }
      return file
    }
    #expect(others.contains { $0.hasPrefix("/private/var/Keychains/") }, "\(differences)")
  }

  @Test func `tells other verdicts`() throws {
    let differences = try TierComparison.differences(
      simulated: run(#"profile: "strict""#), mounted: run(""))
    let isShown = differences.contains {
      guard case .shown(let ours, let theirs) = $0 else { return false }
      return ours != theirs && theirs.contains("cleanOut")
    }
    #expect(isShown, "\(differences)")
  }
}
