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
    var fields = fields(of: one, in: scenario)
    fields["tier"] = .text(one.tier.rawValue)
    return .object(fields)
  }

  /// What went alike on several tiers is one row, which names them.
  static func rows(_ runs: [ScenarioRun]) -> [JSONValue] {
    var rows: [(fields: JSONObject, tiers: [JSONValue])] = []
    var places: [String: Int] = [:]
    for run in runs {
      for one in run.all {
        let fields = fields(of: one, in: run.scenario)
        let text = JSONWriter.text(of: .object(fields))
        let tier = JSONValue.text(one.tier.rawValue)
        if let place = places[text] {
          rows[place].tiers.append(tier)
        } else {
          places[text] = rows.count
          rows.append((fields, [tier]))
        }
      }
    }
    return rows.map { fields, tiers in
      var fields = fields
      fields["tiers"] = .list(tiers)
      return .object(fields)
    }
  }

  private static func fields(of one: CaseRun, in scenario: Scenario) -> JSONObject {
    var fields = JSONObject()
    fields["scenario"] = .text(one.scenario)
    fields["case"] = .text(one.name)
    fields["phone"] = .text(one.phone.rawValue)
    fields["store"] = .text(one.store)
    fields["client"] = .text(one.client)
    fields["verdicts"] = .list(one.verdicts.map { .text($0.rawValue) })
    fields["expected"] = .list(expected(one, in: scenario).words.map(JSONValue.text))
    fields["asExpected"] = .bool(one.outcome == .asExpected)
    fields["faults"] = one.faults.json
    fields["images"] = .list(one.images.map { .text($0.description) })
    return fields
  }

  private static func expected(_ one: CaseRun, in scenario: Scenario) -> Scenario.Expected {
    if case .unexpected(let expected) = one.outcome { return expected }
    if one.isControl { return .allKeep }
    return scenario.expectedRow(for: one.parts, phone: one.phone, store: one.store)?.expected
      ?? .notRun
  }
}
