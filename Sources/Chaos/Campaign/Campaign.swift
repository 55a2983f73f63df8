import JSON
package import Phone

/// The main job: old findings, the gallery, exploration, random histories, and a canary that must be
/// caught. It is done unit by unit, so that processes and machines can share it.
package final class Campaign {
  /// A part of the campaign, for the progress line.
  package enum Phase: String, CaseIterable, Sendable {
    case oldFindings = "old findings"
    case gallery
    case exploration
    case random
    case canary
  }

  /// The search in a store that is known to lose sessions.
  package struct Canary: Equatable, Sendable {
    package let phone: PhoneKind
    package let tier: Tier
    package let isCaught: Bool
    /// How many histories it took, or were tried in vain.
    package let tries: Int
  }

  private let plan: Plan
  private let gallery: [Scenario]
  private let runners: [Tier: ScenarioRunner]
  private let shouldStop: () -> Bool

  /// Prepares to do units of a campaign.
  ///
  /// - Parameters:
  ///   - plan: How much of what.
  ///   - gallery: The scenarios of the gallery.
  ///   - phones: A phone on each tier of the plan.
  ///   - shouldStop: Asked between cases; what is done so far stays.
  package init(
    _ plan: Plan, gallery: [Scenario], on phones: [any HostedPhone],
    shouldStop: @escaping () -> Bool = { false }
  ) {
    self.plan = plan
    self.gallery = gallery
    self.shouldStop = shouldStop
    runners = phones.reduce(into: [:]) { runners, phone in
      let runner = ScenarioRunner(on: phone, seed: plan.seed)
      runner.shouldStop = shouldStop
      runners[phone.tier] = runner
    }
  }

  private func runner(on tier: Tier) -> ScenarioRunner {
    guard let runner = runners[tier] else {
      preconditionFailure("a campaign has a phone on each tier of its plan")
    }
    return runner
  }

  /// Does one unit.
  ///
  /// - Throws: ``PhoneHostError`` when the lab could not do it.
  package func run(_ unit: CampaignUnit) throws(PhoneHostError) -> UnitResult {
    switch unit {
    case .scenario(let index, let isOld, let phone, let store, let tier):
      let scenario = isOld ? plan.oldFindings[index].scenario : gallery[index]
      return .scenario(try runner(on: tier).run(scenario, on: phone, store: store))
    case .replay(let index, let tier):
      return .scenario(try runner(on: tier).run(plan.oldReplays[index]))
    case .exploration(let phone, let store): return .exploration(try explore(phone, store))
    case .history(let number, let phone, let store, let tier):
      let (run, failed) = try runHistory(number, phone, store: store, on: runner(on: tier))
      guard let failed else { return .history(run, nil) }
      return .history(run, try finding(failed, on: runner(on: tier).host))
    case .canary(let phone, let tier): return .canary(try runCanary(phone, tier))
    }
  }

  private func explore(
    _ phone: PhoneKind, _ store: String
  ) throws(PhoneHostError) -> ExplorationSummary {
    var exploration = ExplorationPlan(phone: phone, store: store, seed: plan.seed)
    exploration.depth = plan.exploredDepth
    exploration.cutCountMax = plan.exploredCutCountMax
    let explorer = try Explorer(exploration)
    explorer.shouldStop = shouldStop
    var found = try explorer.run()
    try found.shrinkReplays(on: SimulatedPhone(PhoneSetup()))
    return ExplorationSummary(found)
  }

  // MARK: - Random histories

  private func runCanary(_ phone: PhoneKind, _ tier: Tier) throws(PhoneHostError) -> Canary {
    var isCaught = false
    var tries = 0
    while !isCaught, tries < plan.canaryTriesMax, !shouldStop() {
      let (_, failed) = try runHistory(
        tries, phone, store: plan.canaryStore, on: runner(on: tier))
      // A control that fails says nothing of the fault that was to be seen.
      if let failed, !failed.run.isControl { isCaught = true }
      tries += 1
    }
    return Canary(phone: phone, tier: tier, isCaught: isCaught, tries: tries)
  }

  /// A run that showed a failure, and what it played.
  private struct Failed {
    let run: CaseRun
    let history: Replay.History
  }

  private func runHistory(
    _ number: Int, _ phone: PhoneKind, store: String, on runner: ScenarioRunner
  ) throws(PhoneHostError) -> (ScenarioRun, Failed?) {
    let history = RandomHistory(number: number, seed: plan.seed, phone: phone, store: store)
    let quiet = ScenarioRunner.Bench(
      scenario: Self.scenario(history.quiet, history.name), phone: phone, store: store)
    guard let calm = quiet.scenario.cases.first else { throw .refused("a random history is empty") }
    var run = ScenarioRun(quiet.scenario, phone: phone, store: store)
    let (control, recording) = try runner.record(calm, in: quiet, step: history.hitStep)
    run.controls.append(control)
    var failed = failure(of: calm, control, in: quiet, on: runner)
    let disturbed = ScenarioRunner.Bench(
      scenario: Self.scenario(history.disturbed(recording), history.name), phone: phone,
      store: store)
    for one in disturbed.scenario.cases {
      var result = try runner.run(one, in: disturbed, isControl: false)
      result.judge(by: .noFailure)
      run.cases.append(result)
      failed = failed ?? failure(of: one, result, in: disturbed, on: runner)
    }
    return (run, failed)
  }

  private func failure(
    of one: ScenarioCase, _ run: CaseRun, in bench: ScenarioRunner.Bench, on runner: ScenarioRunner
  ) -> Failed? {
    guard case .unexpected = run.outcome else { return nil }
    return Failed(run: run, history: runner.history(of: one, named: run.name, in: bench))
  }

  private func finding(
    _ failed: Failed, on host: any HostedPhone
  ) throws(PhoneHostError) -> Finding {
    let word = failed.run.verdicts.first(where: \.isFailure)?.rawValue ?? "unexpected"
    return try Finding(
      failed.history, named: "\(word)-\(failed.run.scenario)", foundBy: "lab chaos", on: host,
      shrinkingOn: SimulatedPhone(PhoneSetup()))
  }

  static func scenario(_ json: JSONValue, _ name: String) -> Scenario {
    do {
      return try ScenarioReader.read(JSONWriter.bytes(of: json), name: name)
    } catch {
      preconditionFailure("a drawn history is a valid scenario: \(error)")
    }
  }
}
