import Chaos
import Phone
import Testing

/// A rule of a phone, and what a store shows by it.
struct PhoneRule: CustomTestStringConvertible, Sendable {
  let name: String
  var phone = PhoneKind.ios
  var settings = ""
  var steps = ""
  let shown: [String: [Verdict]]

  var testDescription: String { name }

  private static let backup =
    #"{ do: "snapshot", name: "n" }, { do: "restore", name: "n", device: "DEVICE" }"#
  private static func restore(onto device: String) -> String {
    "{ fault: [\(backup.replacing("DEVICE", with: device))] }, { do: \"launch\" }"
  }

  static let all = [
    PhoneRule(
      name: "akpu items are in no backup", settings: #"accessibility: "akpu""#,
      steps: restore(onto: "same"),
      shown: ["durable": [.cleanOut], "keychain-only": [.cleanOut]]),
    PhoneRule(
      name: "ak items come back to the same phone", steps: restore(onto: "same"),
      shown: ["keychain-only": [.keep]]),
    PhoneRule(
      name: "an item keeps the class that it was added with",
      settings: #"accessibility: "aku""#,
      steps: #"{ do: "update", settings: { accessibility: "ck" } }, { do: "refresh", to: 2 }, "#
        + restore(onto: "new"),
      shown: ["keychain-only": [.cleanOut]]),
    PhoneRule(
      name: "an item gets the class of an update",
      settings: #"accessibility: "aku", keychainUpdate: "sets-class""#,
      steps: #"{ do: "update", settings: { accessibility: "ck" } }, { do: "refresh", to: 2 }, "#
        + restore(onto: "new"),
      shown: ["keychain-only": [.keep]]),
    PhoneRule(
      name: "a Keystore key is in no backup", phone: .android,
      settings: #"backupRules: "none""#, steps: restore(onto: "same"),
      shown: ["durable": [.cleanOut], "keychain-only": [.cleanOut]]),
    PhoneRule(
      name: "a Keystore key that stays opens what a backup brings", phone: .android,
      settings: #"backupRules: "none", clearDataKeys: "kept""#, steps: restore(onto: "same"),
      shown: ["durable": [.keep], "keychain-only": [.keep]]),
    PhoneRule(
      name: "the items of a passcode end with it", settings: #"accessibility: "akpu""#,
      steps: #"{ fault: [{ do: "update", settings: { passcode: "none" } }] }, { do: "launch" }"#,
      shown: ["keychain-only": [.cleanOut], "durable": [.cleanOut]]),
    PhoneRule(
      name: "another passcode does not bring them back", settings: #"accessibility: "akpu""#,
      steps: #"""
        { fault: [
          { do: "update", settings: { passcode: "none" } },
          { do: "update", settings: { passcode: "set" } },
        ] }, { do: "launch" }
        """#, shown: ["keychain-only": [.cleanOut]]),
    PhoneRule(
      name: "a setting of the service holds at once",
      steps: #"""
        { do: "update", settings: { beforeFirstUnlock: "not-found" } },
        { fault: [{ do: "reboot" }] }, { do: "launch" }
        """#, shown: ["keychain-only": [.falseSignOut]]),
    PhoneRule(
      name: "a pre-warmed app reads what the setting says, locked",
      steps: #"{ fault: [{ do: "prewarm" }] }, { do: "launch" }"#,
      shown: ["keychain-only": [.defer]]),
    PhoneRule(
      name: "a pre-warmed app reads what the setting says, not found",
      settings: #"beforeFirstUnlock: "not-found""#,
      steps: #"{ fault: [{ do: "prewarm" }] }, { do: "launch" }"#,
      shown: ["keychain-only": [.falseSignOut]]),
    PhoneRule(
      name: "a pre-warm is an orderly restart, and syncs",
      steps: #"""
        { do: "refresh", to: 2 }, { do: "prewarm" }, { fault: "power-cut", survivors: "none" },
        { do: "unlock" }, { do: "launch" }
        """#, shown: ["recipe": [.keep], "durable": [.keep]]),
    PhoneRule(
      name: "a refused attribute fails no save",
      steps: #"""
        { do: "refresh", to: 2, fault: "call-error", code: "ENOSPC", at: "setxattr:.dat.nosync*" },
        { do: "launch" }
        """#, shown: ["recipe": [.keep]]),
    blobAfterCut(#"rkstorageJournal: "wal""#, isDurable: false),
    blobAfterCut(#"rkstorageJournal: "wal-full""#, isDurable: true),
    blobAfterCut(#"asyncStorage: "v3", roomJournal: "wal""#, isDurable: false),
    blobAfterCut(#"asyncStorage: "v3", roomJournal: "truncate""#, isDurable: true),
  ]

  /// A power cut right after a save. The key half goes back to its `.bak`: with the old blob the
  /// session before is there, and with the new one none.
  private static func blobAfterCut(_ settings: String, isDurable: Bool) -> PhoneRule {
    PhoneRule(
      name: "a blob is as durable as its journal: \(settings)", phone: .android,
      settings: settings,
      steps: #"""
        { do: "refresh", to: 2, fault: "power-cut@S1", survivors: "none" }, { do: "launch" }
        """#, shown: ["recipe": [isDurable ? .falseSignOut : .recover]])
  }

  func check(_ play: (Scenario, String) throws -> ScenarioRun) throws {
    let scenario = try Mounted.scenario(
      """
      settings: { \(settings) },
      steps: [{ do: "sign-in" }, { do: "clock", by: "+10min" }, \(steps)],
      expect: { good: { "*": "noFailure" } },
      """, phone: phone)
    for (store, verdicts) in shown.sorted(by: { $0.key < $1.key }) {
      let run = try play(scenario, store)
      #expect(run.cases.map(\.verdicts) == [verdicts], "\(name), \(store)")
      #expect(run.cases.allSatisfy { $0.outcome != .neverFired })
    }
  }
}

@Suite struct `A rule of a phone` {
  @Test(arguments: PhoneRule.all) func `holds in memory`(rule: PhoneRule) throws {
    try rule.check { scenario, store in
      var setup = PhoneSetup()
      setup.kind = rule.phone
      return try ScenarioRunner(on: try SimulatedPhone(setup), seed: 1)
        .run(scenario, on: rule.phone, store: store)
    }
  }
}

extension Mounted {
  @Suite struct `A rule of a mounted phone` {
    @Test func `holds as in memory`() throws {
      try onLane { lane in
        for rule in PhoneRule.all {
          try rule.check { scenario, store in
            try ScenarioRunner(on: lane.host, seed: 1).run(scenario, on: rule.phone, store: store)
          }
        }
      }
    }
  }
}
