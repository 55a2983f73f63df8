package import Chaos
import Device
package import JSON
import Phone

/// The machine-readable forms of runs. No clock time and no absolute path, so that two equal runs
/// give equal texts.
package enum RunJSON {
  /// `lab.run/1`.
  package static func run(_ runs: [ScenarioRun], seed: UInt64) -> JSONValue {
    [
      "schema": "lab.run/1", "seed": .number(seed),
      "runs": .list(runs.flatMap { run in run.all.map { row($0, in: run.scenario) } }),
    ]
  }

  static func row(_ one: CaseRun, in scenario: Scenario) -> JSONValue {
    var fields = JSONObject()
    fields["scenario"] = .text(one.scenario)
    fields["case"] = .text(one.name)
    fields["phone"] = .text(one.phone.rawValue)
    fields["store"] = .text(one.store)
    fields["client"] = .text(one.client)
    fields["tier"] = .text(one.tier.rawValue)
    fields["verdicts"] = .list(one.verdicts.map { .text($0.rawValue) })
    fields["expected"] = .list(expected(one, in: scenario).words.map(JSONValue.text))
    fields["asExpected"] = .bool(one.outcome == .asExpected)
    fields["faults"] = one.faults.json
    fields["images"] = .list(one.images.map { .text($0.description) })
    return .object(fields)
  }

  private static func expected(_ one: CaseRun, in scenario: Scenario) -> Scenario.Expected {
    if case .unexpected(let expected) = one.outcome { return expected }
    if one.isControl { return .allKeep }
    return scenario.expectedRow(for: one.parts, phone: one.phone, store: one.store)?.expected
      ?? .notRun
  }
}
