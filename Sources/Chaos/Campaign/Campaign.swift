import JSON
package import Phone

/// The main job: the gallery, old findings, random histories, and a canary that must be caught.
package final class Campaign {
  package struct Plan: Sendable {
    package var seed: UInt64
    package var phones: [PhoneKind]
    /// Which stores the gallery runs with.
    package var galleryStores: [String]
    /// Which stores random histories must not find a failure in.
    package var randomStores = ["durable", "keychain-only"]
    /// How many random histories are drawn, over all those stores.
    package var historyCount: Int
    /// A store that is known to lose sessions: an engine that does not see it sees nothing.
    package var canaryStore = "recipe"
    package var canaryTriesMax = 100
    /// Findings of earlier runs, which are tried first.
    package var oldFindings: [Scenario] = []
    package var oldReplays: [Replay] = []

    package init(
      seed: UInt64, phones: [PhoneKind] = PhoneKind.allCases, galleryStores: [String],
      historyCount: Int
    ) {
      self.seed = seed
      self.phones = phones
      self.galleryStores = galleryStores
      self.historyCount = historyCount
    }
  }

  /// A phase of the campaign, for the progress line.
  package enum Phase: String, CaseIterable, Sendable {
    case oldFindings = "old findings"
    case gallery
    case random
    case canary
  }

  package struct Outcome {
    package var gallery: [ScenarioRun] = []
    package var oldFindings: [ScenarioRun] = []
    package var histories: [ScenarioRun] = []
    package var findings: [Finding] = []
    package var plannedHistoryCount = 0
    /// On each phone the run in which the canary was caught, and after how many histories.
    package var canaries: [(phone: PhoneKind, run: CaseRun?, tries: Int)] = []
    package var canaryStore = ""
    package var wasInterrupted = false
  }

  private let runner: ScenarioRunner
  private let plan: Plan
  private let progress: (Phase, _ done: Int, _ of: Int, _ remark: String) -> Void
  private var outcome = Outcome()

  /// Prepares a campaign.
  ///
  /// - Parameters:
  ///   - plan: How much of what.
  ///   - runner: The phone that it runs on; says when to stop.
  ///   - progress: Told after each step of a phase.
  package init(
    _ plan: Plan, on runner: ScenarioRunner,
    progress: @escaping (Phase, _ done: Int, _ of: Int, _ remark: String) -> Void
  ) {
    self.plan = plan
    self.runner = runner
    self.progress = progress
  }

  /// Runs everything.
  package func run(gallery: [Scenario]) throws(PhoneHostError) -> Outcome {
    outcome.plannedHistoryCount = plan.historyCount
    outcome.canaryStore = plan.canaryStore
    try runOldFindings()
    try runGallery(gallery)
    try runHistories()
    try runCanary()
    return outcome
  }

  private func stops() -> Bool {
    if runner.shouldStop() { outcome.wasInterrupted = true }
    return outcome.wasInterrupted
  }

  private var remark: String {
    let files = outcome.gallery + outcome.oldFindings
    let count = outcome.findings.count + files.flatMap(\.all).count { $0.outcome != .asExpected }
    return count == 0 ? "nothing found so far" : "\(count) found so far"
  }

  private func runOldFindings() throws(PhoneHostError) {
    let count = plan.oldFindings.count + plan.oldReplays.count
    for (index, scenario) in plan.oldFindings.enumerated() where !stops() {
      for phone in scenario.phones {
        for store in scenario.stores.isEmpty ? plan.galleryStores : scenario.stores {
          outcome.oldFindings.append(try runner.run(scenario, on: phone, store: store))
        }
      }
      progress(.oldFindings, index + 1, count, remark)
    }
    for (index, replay) in plan.oldReplays.enumerated() where !stops() {
      outcome.oldFindings.append(try runner.run(replay))
      progress(.oldFindings, plan.oldFindings.count + index + 1, count, remark)
    }
  }

  private func runGallery(_ scenarios: [Scenario]) throws(PhoneHostError) {
    var jobs: [(scenario: Scenario, phone: PhoneKind, store: String)] = []
    for phone in plan.phones {
      for scenario in scenarios where scenario.phones.contains(phone) {
        for store in plan.galleryStores
        where scenario.stores.isEmpty || scenario.stores.contains(store) {
          jobs.append((scenario, phone, store))
        }
      }
    }
    for (index, job) in jobs.enumerated() where !stops() {
      outcome.gallery.append(try runner.run(job.scenario, on: job.phone, store: job.store))
      progress(.gallery, index + 1, jobs.count, remark)
    }
  }

  // MARK: - Random histories

  private func runHistories() throws(PhoneHostError) {
    for number in 0..<plan.historyCount where !plan.randomStores.isEmpty && !stops() {
      let phone = plan.phones[number % plan.phones.count]
      let store = plan.randomStores[number / plan.phones.count % plan.randomStores.count]
      let (run, failure) = try runHistory(number, phone, store: store)
      outcome.histories.append(run)
      if let failure { outcome.findings.append(try finding(failure)) }
      progress(.random, number + 1, plan.historyCount, remark)
    }
  }

  private func runCanary() throws(PhoneHostError) {
    for phone in plan.phones where !stops() {
      var caught: CaseRun?
      var tries = 0
      while caught == nil, tries < plan.canaryTriesMax, !stops() {
        let (_, failure) = try runHistory(tries, phone, store: plan.canaryStore)
        // A control that fails says nothing of the fault that was to be seen.
        if let failure, !failure.run.isControl { caught = failure.run }
        tries += 1
        progress(.canary, tries, plan.canaryTriesMax, "not caught so far on \(phone.rawValue)")
      }
      outcome.canaries.append((phone, caught, tries))
    }
  }

  /// A run that showed a failure, and what it played.
  private struct Failed {
    let run: CaseRun
    let history: Replay.History
  }

  private func runHistory(
    _ number: Int, _ phone: PhoneKind, store: String
  ) throws(PhoneHostError) -> (ScenarioRun, Failed?) {
    let history = RandomHistory(number: number, seed: plan.seed, phone: phone, store: store)
    let quiet = ScenarioRunner.Bench(
      scenario: Self.scenario(history.quiet, history.name), phone: phone, store: store)
    guard let calm = quiet.scenario.cases.first else { throw .refused("a random history is empty") }
    var run = ScenarioRun(quiet.scenario, phone: phone, store: store)
    let (control, recording) = try runner.record(calm, in: quiet, step: history.hitStep)
    run.controls.append(control)
    var failed = failure(of: calm, control, in: quiet)
    let disturbed = ScenarioRunner.Bench(
      scenario: Self.scenario(history.disturbed(recording), history.name), phone: phone,
      store: store)
    for one in disturbed.scenario.cases {
      var result = try runner.run(one, in: disturbed, isControl: false)
      result.judge(by: .noFailure)
      run.cases.append(result)
      failed = failed ?? failure(of: one, result, in: disturbed)
    }
    return (run, failed)
  }

  private func failure(
    of one: ScenarioCase, _ run: CaseRun, in bench: ScenarioRunner.Bench
  ) -> Failed? {
    guard case .unexpected = run.outcome else { return nil }
    return Failed(run: run, history: runner.history(of: one, named: run.name, in: bench))
  }

  private func finding(_ failed: Failed) throws(PhoneHostError) -> Finding {
    let word = failed.run.verdicts.first(where: \.isFailure)?.rawValue ?? "unexpected"
    return try Finding(
      failed.history, named: "\(word)-\(failed.run.scenario)", foundBy: "lab chaos",
      on: runner.host, shrinkingOn: SimulatedPhone(PhoneSetup()))
  }

  private static func scenario(_ json: JSONValue, _ name: String) -> Scenario {
    do {
      return try ScenarioReader.read(JSONWriter.bytes(of: json), name: name)
    } catch {
      preconditionFailure("a drawn history is a valid scenario: \(error)")
    }
  }
}
