import Device
package import Phone

/// Runs scenarios on one mounted phone, one case after the other, each on a new device.
///
/// Everything that is drawn follows from the seed and the case's name, so that a case is the same
/// whatever ran before it.
package final class ScenarioRunner {
  let host: any HostedPhone
  private let seed: UInt64
  /// Asked between cases; what is left is then not run, and the run is partial.
  package var shouldStop: () -> Bool = { false }
  /// Whether each run keeps what it did to the storage.
  package var tracesStorage = false
  /// Whether every run keeps its operations; else only one that shows what was not expected.
  package var tellsOperations = false
  /// The program that keeps the session in all cases; `nil` for the stores of the lab.
  package var foreign: ForeignApp?

  package init(on host: any HostedPhone, seed: UInt64) {
    self.host = host
    self.seed = seed
  }

  /// Runs all cases of a scenario with one store: the controls, then the faults.
  ///
  /// - Parameters:
  ///   - scenario: What to run.
  ///   - phone: On which phone.
  ///   - store: With which store.
  ///   - part: Only cases that have this part in their name, or several with `+` between them; `nil`
  ///     for all.
  /// - Returns: What each case showed.
  /// - Throws: ``PhoneHostError`` when the lab could not run a case.
  package func run(
    _ scenario: Scenario, on phone: PhoneKind, store: String, only part: String? = nil
  ) throws(PhoneHostError) -> ScenarioRun {
    let bench = Bench(scenario: scenario, phone: phone, store: store)
    var run = ScenarioRun(scenario, phone: phone, store: store)
    run.isPartial = part != nil
    for control in scenario.controls where isPlayable(control) && !shouldStop() {
      run.controls.append(try self.run(control, in: bench, by: .allKeep, isControl: true))
    }
    for spread in scenario.cases where isPlayable(spread) && !shouldStop() {
      for one in try cases(of: spread, in: bench)
      where !shouldStop() {
        guard one.isMeant(by: part) else {
          run.leaveOut(one)
          continue
        }
        guard
          let row = scenario.expectedRow(
            for: one.parts, phone: phone, store: scenario.expectedStore(for: store, foreign))
        else {
          throw .refused("\(scenario.name): nothing is expected of \(store) in case \(one.name)")
        }
        if row.expected == .notRun { continue }
        let expected = try losses(in: one, of: bench) ?? row.expected
        guard let result = try runIfMeant(one, in: bench, by: expected) else { continue }
        run.cases.append(result)
      }
    }
    run.isPartial = run.isPartial || shouldStop()
    return run
  }

  /// What a program loses like a store that the scenario says nothing of, as the twins of the zoo:
  /// what that store shows in memory.
  ///
  /// - Returns: `nil` for all others, and where that store loses nothing.
  private func losses(
    in one: ScenarioCase, of bench: Bench
  ) throws(PhoneHostError) -> Scenario.Expected? {
    let store = bench.scenario.expectedStore(for: bench.store, foreign)
    guard foreign != nil, store != Scenario.goodStore,
      !bench.scenario.expectations.contains(where: { $0.store == store })
    else { return nil }
    let memory = ScenarioRunner(on: try SimulatedPhone(PhoneSetup()), seed: seed)
    let own = Bench(scenario: bench.scenario, phone: bench.phone, store: store)
    let run = try memory.run(one, in: own, isControl: false)
    let loses = run.verdicts.contains(where: \.isFailure)
    return loses ? .exactly(run.verdicts.map { [$0] }) : nil
  }

  /// Runs a case; `nil` when it is not for a program of somebody else's: its fault hits a file that the
  /// program keeps nothing in. Of a store of the lab's the scenario says so.
  private func runIfMeant(
    _ one: ScenarioCase, in bench: Bench, by expected: Scenario.Expected
  ) throws(PhoneHostError) -> CaseRun? {
    do throws(PhoneHostError) {
      return try run(one, in: bench, by: expected, isControl: false)
    } catch .missingFile where foreign != nil {
      return nil
    }
  }

  /// The client's app of a whole case is the lab's; a program of somebody else's is only its store.
  private func isPlayable(_ one: ScenarioCase) -> Bool {
    foreign == nil || one.settings.clientProfile == nil
  }

  /// Runs one case as it is.
  package func run(
    _ one: ScenarioCase, in bench: Bench, isControl: Bool
  ) throws(PhoneHostError) -> CaseRun {
    try run(one, in: bench, by: nil, isControl: isControl)
  }

  private func run(
    _ one: ScenarioCase, in bench: Bench, by expected: Scenario.Expected?, isControl: Bool
  ) throws(PhoneHostError) -> CaseRun {
    let name = isControl ? "control" + one.parts.map { " \($0)" }.joined() : one.name
    let player = try play(one, in: bench, name: name)
    var run = try result(of: player, one, name, bench, isControl: isControl)
    if let expected { run.judge(by: expected) }
    if tellsOperations || run.outcome != .asExpected { run.operations = player.operations }
    return run
  }

  /// What a case plays, with its seed: enough to play it again without its scenario.
  ///
  /// - Parameters:
  ///   - one: The case.
  ///   - name: The name that its run has.
  ///   - bench: What it runs with.
  /// - Returns: Its steps and all that they depend on.
  func history(
    of one: ScenarioCase, named name: String, in bench: Bench
  ) -> Replay.History {
    var history = Replay.History(
      phone: bench.phone, store: bench.store, settings: one.settings,
      seed: caseSeed(name, in: bench), steps: one.steps)
    history.foreign = foreign
    return history
  }

  /// What a case runs with.
  package struct Bench {
    package let scenario: Scenario
    package let phone: PhoneKind
    package let store: String

    package init(scenario: Scenario, phone: PhoneKind, store: String) {
      self.scenario = scenario
      self.phone = phone
      self.store = store
    }
  }

  /// Runs a case without its faults, and says what one of its steps reached.
  func record(
    _ one: ScenarioCase, in bench: Bench, step: Int
  ) throws(PhoneHostError) -> (control: CaseRun, recording: RandomHistory.Recording) {
    let player = try play(one, in: bench, name: "control")
    var control = try result(of: player, one, "control", bench, isControl: true)
    control.judge(by: .allKeep)
    let recording = RandomHistory.Recording(
      operations: player.operations(inStep: step), points: player.points(inStep: step),
      blobFiles: try host.inventory().blobs.compactMap { blob in
        blob.file.map { path in
          (path, host.withDevice { Self.length(of: path, in: $0.live) })
        }
      })
    return (control, recording)
  }

  private static func length(of path: String, in volume: Volume) -> Int {
    volume.resolve(path).flatMap { volume.attributes(of: $0)?.sizeBytes } ?? 0
  }

  private func play(
    _ one: ScenarioCase, in bench: Bench, name: String
  ) throws(PhoneHostError) -> CasePlayer {
    let seed = caseSeed(name, in: bench)
    var setup = PhoneSetup(bench.phone, one.settings, seed: seed)
    setup.isRecorded = tracesStorage
    try host.reset(setup)
    var launch = AppLaunch(store: bench.store, settings: one.settings)
    launch.foreign = foreign
    let player = CasePlayer(
      on: host, launch: launch,
      client: try ClientSide(one.settings, seed: seed, atMs: host.nowMs))
    player.file = bench.scenario.place
    try player.play(one.steps)
    return player
  }

  func result(
    of player: CasePlayer, _ one: ScenarioCase, _ name: String, _ bench: Bench, isControl: Bool
  ) throws(PhoneHostError) -> CaseRun {
    CaseRun(
      scenario: bench.scenario.name, name: name, parts: one.parts, phone: bench.phone,
      tier: host.tier, store: bench.store, client: one.settings[ScenarioSettings.client],
      judgements: player.judgements, faults: player.faults, images: player.images,
      faultKinds: isControl ? [] : one.faultKinds, story: player.story,
      trace: try player.trace(), outcome: .asExpected, isControl: isControl)
  }

  /// Spreads a fault over the points, or the operations, that a recording reaches.
  private func cases(
    of spread: ScenarioCase, in bench: Bench
  ) throws(PhoneHostError) -> [ScenarioCase] {
    guard let step = spread.spreadStep else { return [spread] }
    let player = try play(spread.recording, in: bench, name: "recording \(spread.name)")
    guard spread.steps[step].fault?.trigger == .eachOperation else {
      return spread.cases(at: player.points(inStep: step))
    }
    let count = player.operations(inStep: step).count
    return spread.cases(at: (0..<count).map { .operation(count: $0 + 1) })
  }

  /// The start of all that is drawn in a case.
  private func caseSeed(_ name: String, in bench: Bench) -> UInt64 {
    Self.seed(
      bench.scenario.seed ?? seed, bench.scenario.name, bench.phone.rawValue, bench.store, name)
  }

  private static func seed(_ seed: UInt64, _ words: String...) -> UInt64 {
    var mixed = seed
    for byte in words.joined(separator: "/").utf8 {
      mixed = (mixed ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
    }
    var draws = Draws(seed: mixed)
    return draws.next()
  }
}

extension CaseRun {
  /// Compares what was shown with what is right.
  mutating func judge(by expected: Scenario.Expected) {
    if !faults.neverFired.isEmpty {
      outcome = .neverFired
    } else {
      outcome = expected.accepts(verdicts) ? .asExpected : .unexpected(expected)
    }
  }
}

extension Scenario {
  /// What a store must show: its own row, or that of every correct store. A row may name the phone
  /// as a part of the case.
  package func expectedRow(
    for parts: [String], phone: PhoneKind, store: String
  ) -> Expectation.Row? {
    let parts = parts + [phone.rawValue]
    let own = expectations.first { $0.store == store }?.row(for: parts)
    return own ?? expectations.first { $0.store == Self.goodStore }?.row(for: parts)
  }

  /// The rows of a store, by their cases, that no case of its runs on all phones fitted.
  package func rowsWithoutCase(of store: String, in runs: [ScenarioRun]) -> [Expectation.Row] {
    guard let own = expectations.first(where: { $0.store == store }) else { return [] }
    let cases = runs.flatMap(\.cases).map { $0.parts + [$0.phone.rawValue] }
    return own.rows.filter { row in
      row.expected != .notRun && !cases.contains { own.row(for: $0) == row }
    }
  }
}
