package import JSON
import Phone

extension Campaign {
  /// What the units of a campaign showed, in their order, whoever did them.
  package struct Outcome {
    package private(set) var gallery: [ScenarioRun] = []
    package private(set) var oldFindings: [ScenarioRun] = []
    package private(set) var explorations: [ExplorationSummary] = []
    package private(set) var histories: [ScenarioRun] = []
    package private(set) var findings: [Finding] = []
    package private(set) var canaries: [Canary] = []
    package let plan: Plan
    /// The part of the campaign that was to be done.
    package let shard: Shard
    package let wasInterrupted: Bool
    /// How many of the shard's histories and canaries there were to be.
    package private(set) var plannedHistoryCount = 0
    /// How many units of each phase were not done, of how many.
    package private(set) var leftOut: [(phase: Phase, count: Int, of: Int)] = []
    package private(set) var plannedCanaryCount = 0

    /// Puts results together.
    ///
    /// - Parameters:
    ///   - plan: What was to be done.
    ///   - shard: Which part of it.
    ///   - gallery: The scenarios of the gallery.
    ///   - results: The results by the numbers of their units.
    ///   - wasInterrupted: Whether some are missing because somebody wanted to stop.
    package init(
      _ plan: Plan, _ shard: Shard = .whole, gallery: [Scenario], results: [Int: UnitResult],
      wasInterrupted: Bool = false
    ) {
      self.plan = plan
      self.shard = shard
      self.wasInterrupted = wasInterrupted
      var (all, missing) = ([Phase: Int](), [Phase: Int]())
      for (number, unit) in plan.units(gallery: gallery).enumerated() where shard.takes(number) {
        all[unit.phase, default: 0] += 1
        if results[number] == nil { missing[unit.phase, default: 0] += 1 }
        if unit.phase == .random { plannedHistoryCount += 1 }
        if unit.phase == .canary { plannedCanaryCount += 1 }
        if let result = results[number] { add(result, of: unit) }
      }
      leftOut = Phase.allCases.compactMap { phase in
        missing[phase].map { (phase, $0, all[phase] ?? 0) }
      }
    }

    private mutating func add(_ result: UnitResult, of unit: CampaignUnit) {
      switch result {
      case .scenario(let run):
        if unit.phase == .gallery { gallery.append(run) } else { oldFindings.append(run) }
      case .exploration(let summary): explorations.append(summary)
      case .history(let run, let finding):
        histories.append(run)
        if let finding { findings.append(finding.naming(plan.foreign)) }
      case .canary(let canary): canaries.append(canary)
      }
    }
  }
}

/// What one unit of a campaign showed.
package enum UnitResult {
  case scenario(ScenarioRun)
  case exploration(ExplorationSummary)
  case history(ScenarioRun, Finding?)
  case canary(Campaign.Canary)

  /// How many things it found that nobody expected.
  package var findingCount: Int {
    switch self {
    case .scenario(let run): run.all.count { $0.outcome != .asExpected }
    case .exploration(let summary): summary.causes.count
    case .history(_, let finding): finding == nil ? 0 : 1
    case .canary: 0
    }
  }
}

// MARK: - Between processes

extension UnitResult {
  package var json: JSONValue {
    switch self {
    case .scenario(let run): return run.json
    case .exploration(let summary): return summary.json
    case .history(let run, let finding):
      var fields = run.json.object ?? JSONObject()
      fields["finding"] = finding?.json
      return .object(fields)
    case .canary(let canary):
      return ["caught": .bool(canary.isCaught), "tries": .integer(canary.tries)]
    }
  }

  /// Reads what ``json`` wrote.
  ///
  /// - Parameters:
  ///   - node: The value.
  ///   - unit: The unit that was done.
  ///   - plan: The plan that it belongs to.
  ///   - gallery: The scenarios of the gallery.
  /// - Throws: `JSONError` at the place of what cannot be read.
  package init(
    _ node: JSONNode, of unit: CampaignUnit, in plan: Campaign.Plan, gallery: [Scenario]
  ) throws(JSONError) {
    switch unit {
    case .scenario(let index, let isOld, let phone, let store, _):
      let scenario = isOld ? plan.oldFindings[index].scenario : gallery[index]
      self = .scenario(
        try ScenarioRun(node, of: scenario, phone: phone, store: store) { run in
          scenario.expectedRow(
            for: run.parts, phone: phone,
            store: scenario.expectedStore(for: store, plan.foreign(behind: store)))?.expected
        })
    case .replay(let index, _):
      let replay = plan.oldReplays[index]
      self = .scenario(
        try ScenarioRun(
          node, of: replay.scenario, phone: replay.history.phone, store: replay.history.store
        ) { _ in .noFailure })
    case .exploration(let phone, let store):
      self = .exploration(try ExplorationSummary(node, phone: phone, store: store))
    case .history(let number, let phone, let store, _):
      let history = RandomHistory(
        number: number, round: plan.round(ofHistory: number), seed: plan.seed, phone: phone,
        store: store)
      let run = try ScenarioRun(
        node, of: RandomSearch.scenario(history.quiet, history.name), phone: phone, store: store
      ) { _ in .noFailure }
      self = .history(run, try node["finding"].map(Finding.init))
    case .canary(let phone, let tier):
      var reader = try node.object("a canary")
      self = .canary(
        Campaign.Canary(
          phone: phone, tier: tier, isCaught: try reader.required("caught").bool(),
          tries: try reader.required("tries").count()))
    }
  }
}
