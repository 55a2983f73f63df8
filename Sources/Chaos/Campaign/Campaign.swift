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
    package var findings: [RandomFinding] = []
    package var plannedHistoryCount = 0
    /// On each phone the run in which the canary was caught, and after how many histories.
    package var canaries: [(phone: PhoneKind, run: CaseRun?, tries: Int)] = []
    package var canaryStore = ""
    package var wasInterrupted = false
  }

  /// A failure that a random history showed, with the file that shows it again.
  package struct RandomFinding {
    package let run: CaseRun
    package let scenario: Scenario
    package let text: String
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
    for (index, scenario) in plan.oldFindings.enumerated() where !stops() {
      for phone in scenario.phones {
        for store in scenario.stores.isEmpty ? plan.galleryStores : scenario.stores {
          outcome.oldFindings.append(try runner.run(scenario, on: phone, store: store))
        }
      }
      progress(.oldFindings, index + 1, plan.oldFindings.count, remark)
    }
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
      let (run, finding) = try runHistory(number, phone, store: store)
      outcome.histories.append(run)
      if let finding { outcome.findings.append(finding) }
      progress(.random, number + 1, plan.historyCount, remark)
    }
  }

  private func runCanary() throws(PhoneHostError) {
    for phone in plan.phones where !stops() {
      var caught: CaseRun?
      var tries = 0
      while caught == nil, tries < plan.canaryTriesMax, !stops() {
        let (_, finding) = try runHistory(tries, phone, store: plan.canaryStore)
        // A control that fails says nothing of the fault that was to be seen.
        if let finding, !finding.run.isControl { caught = finding.run }
        tries += 1
        progress(.canary, tries, plan.canaryTriesMax, "not caught so far on \(phone.rawValue)")
      }
      outcome.canaries.append((phone, caught, tries))
    }
  }

  private func runHistory(
    _ number: Int, _ phone: PhoneKind, store: String
  ) throws(PhoneHostError) -> (ScenarioRun, RandomFinding?) {
    let history = RandomHistory(number: number, seed: plan.seed, phone: phone, store: store)
    let quiet = Self.scenario(history.quiet, history.name).scenario
    guard let calm = quiet.cases.first else { throw .refused("a random history is empty") }
    var run = ScenarioRun(quiet, phone: phone, store: store)
    let (control, recording) = try runner.record(
      calm, in: .init(scenario: quiet, phone: phone, store: store), step: history.hitStep)
    run.controls.append(control)
    let (scenario, text) = Self.scenario(history.disturbed(recording), history.name)
    for one in scenario.cases {
      var result = try runner.run(
        one, in: .init(scenario: scenario, phone: phone, store: store), isControl: false)
      result.judge(by: .noFailure)
      run.cases.append(result)
    }
    let bad = run.all.first { if case .unexpected = $0.outcome { true } else { false } }
    return (run, bad.map { RandomFinding(run: $0, scenario: scenario, text: text) })
  }

  private static func scenario(
    _ json: JSONValue, _ name: String
  ) -> (scenario: Scenario, text: String) {
    let text = JSONWriter.text(of: json, .pretty)
    do {
      return (try ScenarioReader.read(Array(text.utf8), name: name), text)
    } catch {
      preconditionFailure("a drawn history is a valid scenario: \(error)")
    }
  }
}
