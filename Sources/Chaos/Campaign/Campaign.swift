package import Phone
import Zoo

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

  /// The search in a store that is known to be broken.
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

  private func runner(on tier: Tier, for store: String? = nil) -> ScenarioRunner {
    guard let runner = runners[tier] else {
      preconditionFailure("a campaign has a phone on each tier of its plan")
    }
    runner.foreign = store.flatMap { plan.foreign(behind: $0) }
    return runner
  }

  /// Does one unit.
  ///
  /// - Throws: ``PhoneHostError`` when the lab could not do it.
  package func run(_ unit: CampaignUnit) throws(PhoneHostError) -> UnitResult {
    switch unit {
    case .scenario(let index, let isOld, let phone, let store, let tier):
      let scenario = isOld ? plan.oldFindings[index].scenario : gallery[index]
      return .scenario(
        try runner(on: tier, for: store).run(scenario, on: phone, store: store))
    case .replay(let index, let tier):
      return .scenario(try runner(on: tier).run(plan.oldReplays[index]))
    case .exploration(let phone, let store): return .exploration(try explore(phone, store))
    case .history(let number, let phone, let store, let tier):
      let (run, failed) = try search(on: tier, for: store).run(
        number, round: plan.round(ofHistory: number), phone, store: store)
      let found = try failed.first.map { failed throws(PhoneHostError) in
        try finding(failed, on: runner(on: tier).host)
      }
      return .history(run, found)
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

  private func search(on tier: Tier, for store: String) -> RandomSearch {
    RandomSearch(on: runner(on: tier, for: store), seed: plan.seed)
  }

  /// A twin is caught when what it is known to do wrong is seen.
  private func runCanary(_ phone: PhoneKind, _ tier: Tier) throws(PhoneHostError) -> Canary {
    let failure = Twin.named(plan.canaryStore).flatMap { Verdict(rawValue: $0.failure) }
    var isCaught = false
    var tries = 0
    while !isCaught, tries < plan.canaryTriesMax, !shouldStop() {
      let (run, _) = try search(on: tier, for: plan.canaryStore).run(
        tries, round: tries, phone, store: plan.canaryStore)
      isCaught = run.all.contains { one in
        failure.map(one.verdicts.contains) ?? one.verdicts.contains(where: \.isFailure)
      }
      tries += 1
    }
    return Canary(phone: phone, tier: tier, isCaught: isCaught, tries: tries)
  }

  private func finding(
    _ failed: RandomSearch.Failed, on host: any HostedPhone
  ) throws(PhoneHostError) -> Finding {
    let word = failed.run.verdicts.first(where: \.isFailure)?.rawValue ?? "unexpected"
    // A program of somebody else's runs on a mounted phone only.
    let isForeign = failed.history.foreign != nil
    var memory = host
    if !isForeign { memory = try SimulatedPhone(PhoneSetup()) }
    return try Finding(
      failed.history, named: "\(word)-\(failed.run.scenario)", foundBy: "lab chaos", on: host,
      shrinkingOn: memory,
      triesMax: isForeign ? AppExplorer.shrinkTriesMax : Shrinker.triesMax,
      shouldStop: shouldStop)
  }
}
