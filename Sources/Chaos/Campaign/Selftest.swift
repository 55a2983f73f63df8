import Linux
import Phone
package import Zoo

/// Has each engine look for each twin of the zoo, and for failures of the stores that are right.
///
/// The contract. Every engine looks at every store with the same workloads, faults and bounds. A twin
/// is caught by a case whose failures hold the word of the twin, where a store that is right shows
/// none of that word; a control is clean when no case shows a failure that its file does not expect.
/// Lenient settings are controls as well: on a device that lies the best store must fail.
package final class Selftest {
  package struct Plan: Sendable {
    package var seed: UInt64
    package var twins = Twin.all
    /// Whether the stores that are right, and the device that lies, are looked at as well.
    package var hasControls = true
    package var engines: [Engine]
    /// How often a random engine goes through all kinds of disturbance, on each phone.
    package var roundCount = 3
    /// How many choices of survivors are looked at for one moment.
    package var cutCountMax = 4

    package init(seed: UInt64, engines: [Engine] = Engine.allCases) {
      self.seed = seed
      self.engines = engines
    }
  }

  package enum Engine: String, CaseIterable, Sendable {
    /// Every crash of three saves, and every case of the gallery, on the simulated tier.
    case exhaustive
    /// Random histories on the simulated tier.
    case random
    /// The same histories with real processes on a mounted device.
    case mounted
  }

  /// What one engine saw of one store.
  package struct Look: Equatable, Sendable {
    package let engine: Engine
    /// How many crashes and cases were looked at, the one that showed it included.
    package var caseCount = 0
    /// What was found: all failures of that case.
    package var found: Set<Verdict> = []
    /// Where: a scenario and its case, or what was explored.
    package var place = ""
    package var milliseconds = 0

    package var hasFound: Bool { !found.isEmpty }
  }

  /// What a row must come to.
  package enum Expected: Equatable, Sendable {
    case failure(Verdict)
    case anyFailure
    case clean
  }

  package struct Row: Equatable, Sendable {
    package let name: String
    package let expected: Expected
    package internal(set) var looks: [Look] = []
    /// How many decisions the smallest replay has that shows a twin's failure: what the first one that
    /// random histories found on the simulated tier was shrunk to.
    package internal(set) var witnessSize: Int?

    /// The engines that saw what they should not, or did not see what they should.
    package var wrong: [Look] {
      looks.filter { $0.hasFound == (expected == .clean) }
    }
  }

  package struct Outcome: Sendable {
    package let plan: Plan
    package internal(set) var rows: [Row] = []
    package internal(set) var wasInterrupted = false

    package var isRight: Bool { rows.allSatisfy(\.wrong.isEmpty) }

    /// Half of the twins have a witness of at most so many decisions; `nil` without a witness.
    package var witnessSizeMedian: Int? {
      let sizes = rows.compactMap(\.witnessSize).sorted()
      return sizes.isEmpty ? nil : sizes[(sizes.count - 1) / 2]
    }
  }

  package static let controls = ["durable", "keychain-only"]

  private let plan: Plan
  private let gallery: [Scenario]
  private let simulated: ScenarioRunner
  private let mounted: ScenarioRunner?
  /// Asked between cases.
  package var shouldStop: () -> Bool = { false }
  /// Told after each row: how many of how many.
  package var progress: (_ row: Row, _ done: Int, _ of: Int) -> Void = { _, _, _ in }
  private var outcome: Outcome

  /// Prepares a self-test.
  ///
  /// - Parameters:
  ///   - plan: Which twins, and how far.
  ///   - gallery: The scenarios of the exhaustive engine.
  ///   - phone: A mounted phone; without one the mounted engine looks at nothing.
  /// - Throws: ``PhoneHostError`` when there is no simulated phone.
  package init(
    _ plan: Plan, gallery: [Scenario], mounted phone: (any HostedPhone)?
  ) throws(PhoneHostError) {
    self.plan = plan
    // What is for some stores only says nothing of others.
    self.gallery = gallery.filter(\.stores.isEmpty)
    outcome = Outcome(plan: plan)
    var setup = PhoneSetup()
    setup.seed = plan.seed
    simulated = ScenarioRunner(on: try SimulatedPhone(setup), seed: plan.seed)
    mounted = phone.map { ScenarioRunner(on: $0, seed: plan.seed) }
  }

  /// Looks for everything.
  ///
  /// - Returns: What was seen, up to a stop.
  /// - Throws: ``PhoneHostError`` when the lab could not look.
  package func run() throws(PhoneHostError) -> Outcome {
    var rows = plan.twins.map { twin in
      (store: twin.storeName, row: Row(name: twin.name, expected: Self.expected(twin)))
    }
    if plan.hasControls { rows += Self.controls.map { ($0, Row(name: $0, expected: .clean)) } }
    let controls =
      plan.hasControls && plan.engines.contains(.exhaustive) ? Self.positiveControls() : []
    let count = rows.count + controls.count
    for (index, start) in rows.enumerated() where !stops() {
      var row = start.row
      for engine in plan.engines where !stops() {
        try look(engine, at: start.store, into: &row)
      }
      if !outcome.wasInterrupted { add(row, index + 1, of: count) }
    }
    for (index, control) in controls.enumerated() where !stops() {
      add(try self.control(control.name, control.settings), rows.count + index + 1, of: count)
    }
    return outcome
  }

  private static func expected(_ twin: Twin) -> Expected {
    guard let failure = Verdict(rawValue: twin.failure) else {
      preconditionFailure("a twin shows a verdict, not '\(twin.failure)'")
    }
    return .failure(failure)
  }

  private func add(_ row: Row, _ done: Int, of count: Int) {
    outcome.rows.append(row)
    progress(row, done, count)
  }

  private func stops() -> Bool {
    if shouldStop() { outcome.wasInterrupted = true }
    return outcome.wasInterrupted
  }

  // MARK: - Engines

  /// Adds what was seen; nothing where the engine cannot run.
  private func look(
    _ engine: Engine, at store: String, into row: inout Row
  ) throws(PhoneHostError) {
    let start = Clocks.monotonicNs
    var look = Look(engine: engine)
    var witness: Replay.History?
    switch engine {
    case .exhaustive: try exhaust(store, row.expected, &look)
    case .random: witness = try drawHistories(on: simulated, store, row.expected, &look)
    case .mounted:
      guard let mounted else { return }
      _ = try drawHistories(on: mounted, store, row.expected, &look)
    }
    look.milliseconds = Int((Clocks.monotonicNs - start) / 1_000_000)
    row.looks.append(look)
    if let witness, row.expected != .clean { row.witnessSize = try shrunkSize(of: witness) }
  }

  private func shrunkSize(of history: Replay.History) throws(PhoneHostError) -> Int {
    let memory = try SimulatedPhone(PhoneSetup())
    return try Finding(
      history, named: "witness", foundBy: "lab selftest", on: memory, shrinkingOn: memory
    ).replay.choices.count
  }

  /// An iPhone's crashes, which are few, then the gallery, then those of an Android phone.
  private func exhaust(
    _ store: String, _ expected: Expected, _ look: inout Look
  ) throws(PhoneHostError) {
    try explore(ExplorationPlan(phone: .ios, store: store, seed: plan.seed), expected, &look)
    for scenario in gallery {
      for phone in scenario.phones where !look.hasFound && !stops() {
        let run = try simulated.run(scenario, on: phone, store: store)
        for one in run.all where !look.hasFound {
          look.caseCount += 1
          let good = scenario.expectedRow(for: one.parts, phone: phone, store: "durable")
          note(one, expected, boundBy: one.isControl ? nil : good?.expected, &look)
        }
      }
    }
    guard !look.hasFound else { return }
    try explore(ExplorationPlan(phone: .android, store: store, seed: plan.seed), expected, &look)
  }

  private func explore(
    _ plan: ExplorationPlan, _ expected: Expected, _ look: inout Look
  ) throws(PhoneHostError) {
    var plan = plan
    plan.cutCountMax = self.plan.cutCountMax
    plan.dangers = [.crashes]
    let explorer = try Explorer(plan)
    explorer.shouldStop = shouldStop
    let exploration = try explorer.run()
    look.caseCount += exploration.originCount
    for image in exploration.images where !look.hasFound {
      look.note(image.judgements.map(\.verdict), expected, at: "explore \(plan.phone.rawValue)")
    }
  }

  /// - Returns: What was played when something was found.
  private func drawHistories(
    on runner: ScenarioRunner, _ store: String, _ expected: Expected, _ look: inout Look
  ) throws(PhoneHostError) -> Replay.History? {
    let search = RandomSearch(on: runner, seed: plan.seed)
    let phones = PhoneKind.allCases
    let count = plan.roundCount * RandomEvent.allCases.count * phones.count
    for number in 0..<count where !look.hasFound && !stops() {
      let (run, failed) = try search.run(
        number, round: number / phones.count, phones[number % phones.count], store: store)
      for one in run.all where !look.hasFound {
        look.caseCount += 1
        note(one, expected, boundBy: nil, &look)
      }
      if look.hasFound {
        return failed.first { look.found.isSubset(of: $0.run.verdicts) }?.history
      }
    }
    return nil
  }

  /// What even a store that is right shows in a case, its `bound`, says nothing of a twin.
  private func note(
    _ one: CaseRun, _ expected: Expected, boundBy bound: Scenario.Expected?, _ look: inout Look
  ) {
    guard case .unexpected = one.outcome else { return }
    if case .failure(let failure) = expected {
      if case .notRun? = bound { return }
      if case .exactly(let words)? = bound, words.joined().contains(failure) { return }
    }
    look.note(one.verdicts, expected, at: "\(one.scenario) \(one.phone.rawValue) \(one.name)")
  }

  // MARK: - Positive controls

  /// The best store on a device that says too early that something is durable, and over a database
  /// that is never synced.
  private static func positiveControls() -> [(name: String, settings: ScenarioSettings)] {
    guard let sync = ScenarioSettings.key("rkstorageSync") else {
      preconditionFailure("the knob of RKStorage's syncs has its name")
    }
    var (lying, unsynced) = (ScenarioSettings(), ScenarioSettings())
    lying[ScenarioSettings.profile] = "fsync-lies"
    unsynced[sync] = "off"
    return [("durable, fsync-lies", lying), ("durable, no syncs", unsynced)]
  }

  private func control(
    _ name: String, _ settings: ScenarioSettings
  ) throws(PhoneHostError) -> Row {
    let start = Clocks.monotonicNs
    var look = Look(engine: .exhaustive)
    var plan = ExplorationPlan(phone: .android, store: "durable", seed: self.plan.seed)
    plan.settings = settings
    try explore(plan, .anyFailure, &look)
    look.milliseconds = Int((Clocks.monotonicNs - start) / 1_000_000)
    return Row(name: name, expected: .anyFailure, looks: [look])
  }
}

extension Selftest.Look {
  /// Takes note of a case that shows what is looked for.
  fileprivate mutating func note(
    _ verdicts: [Verdict], _ expected: Selftest.Expected, at place: String
  ) {
    let failures = Set(verdicts.filter(\.isFailure))
    switch expected {
    case .failure(let failure): guard failures.contains(failure) else { return }
    case .anyFailure, .clean: guard !failures.isEmpty else { return }
    }
    found = failures
    self.place = place
  }
}
