import Device
import Linux

/// Runs scenarios on one mounted phone, one case after the other, each on a new device.
///
/// Everything that is drawn follows from the seed and the case's name, so that a case is the same
/// whatever ran before it.
package final class ScenarioRunner {
  private let host: PhoneHost
  private let seed: UInt64
  private let acknowledgements: String
  /// Asked between cases; what is left is then not run, and the run is partial.
  package var shouldStop: () -> Bool = { false }

  package init(on host: PhoneHost, seed: UInt64) {
    self.host = host
    self.seed = seed
    acknowledgements = "\(host.runtimeDirectory)/acknowledgements.ndjson"
  }

  /// Runs all cases of a scenario with one store: the controls, then the faults.
  ///
  /// - Parameters:
  ///   - scenario: What to run.
  ///   - store: With which store.
  ///   - part: Only cases that have this part in their name; `nil` for all.
  /// - Returns: What each case showed.
  /// - Throws: ``PhoneHostError`` when the lab could not run a case.
  package func run(
    _ scenario: Scenario, store: String, only part: String? = nil
  ) throws(PhoneHostError) -> ScenarioRun {
    var run = ScenarioRun(scenario)
    run.isPartial = part != nil
    for control in scenario.controls where !shouldStop() {
      var result = try self.run(control, of: scenario, store: store, isControl: true)
      result.judge(by: .allKeep)
      run.controls.append(result)
    }
    for spread in scenario.cases where !shouldStop() {
      for one in try cases(of: spread, in: scenario, store: store)
      where !shouldStop() && (part.map { one.parts.contains($0) } ?? true) {
        guard let row = scenario.expectedRow(for: one.parts, store: store) else {
          throw .refused("\(scenario.name): nothing is expected of \(store) in case \(one.name)")
        }
        if row.expected == .notRun { continue }
        var result = try self.run(one, of: scenario, store: store, isControl: false)
        result.judge(by: row.expected)
        run.cases.append(result)
      }
    }
    run.isPartial = run.isPartial || shouldStop()
    return run
  }

  /// Runs one case as it is.
  package func run(
    _ one: ScenarioCase, of scenario: Scenario, store: String, isControl: Bool
  ) throws(PhoneHostError) -> CaseRun {
    let name = isControl ? "control" + one.parts.map { " \($0)" }.joined() : one.name
    let player = try play(one, of: scenario, store: store, name: name)
    return result(of: player, one, name, scenario, store, isControl: isControl)
  }

  /// Runs a case without its faults, and says what one of its steps reached.
  func record(
    _ one: ScenarioCase, of scenario: Scenario, store: String, step: Int
  ) throws(PhoneHostError) -> (control: CaseRun, recording: RandomHistory.Recording) {
    let player = try play(one, of: scenario, store: store, name: "control")
    var control = result(of: player, one, "control", scenario, store, isControl: true)
    control.judge(by: .allKeep)
    let recording = RandomHistory.Recording(
      operationCount: player.operationCount(inStep: step), points: player.points(inStep: step))
    return (control, recording)
  }

  private func play(
    _ one: ScenarioCase, of scenario: Scenario, store: String, name: String
  ) throws(PhoneHostError) -> CasePlayer {
    let caseSeed = Self.seed(scenario.seed ?? seed, scenario.name, store, name)
    try host.reset(PhoneSetup(one.settings, seed: caseSeed))
    try? Files.remove(acknowledgements)
    let player = CasePlayer(on: host, launch: launch(store, one.settings))
    try player.play(one.steps)
    return player
  }

  private func result(
    of player: CasePlayer, _ one: ScenarioCase, _ name: String, _ scenario: Scenario,
    _ store: String, isControl: Bool
  ) -> CaseRun {
    CaseRun(
      scenario: scenario.name, name: name, parts: one.parts, phone: "ios", store: store,
      judgements: player.judgements, faults: player.faults, images: player.images,
      faultKinds: isControl ? [] : one.faultKinds, story: player.story, outcome: .asExpected,
      isControl: isControl)
  }

  /// Spreads a fault at `each` point over the points that a recording reaches.
  private func cases(
    of spread: ScenarioCase, in scenario: Scenario, store: String
  ) throws(PhoneHostError) -> [ScenarioCase] {
    guard let step = spread.stepOfEach else { return [spread] }
    let player = try play(
      spread.recording, of: scenario, store: store, name: "recording \(spread.name)")
    return spread.cases(at: player.points(inStep: step))
  }

  private func launch(_ store: String, _ settings: ScenarioSettings) -> AppLaunch {
    var launch = AppLaunch(store: store, settings: settings)
    launch.acknowledgements = acknowledgements
    return launch
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
  /// What a store must show: its own row, or that of every correct store.
  package func expectedRow(for parts: [String], store: String) -> Expectation.Row? {
    let own = expectations.first { $0.store == store }?.row(for: parts)
    return own ?? expectations.first { $0.store == Self.goodStore }?.row(for: parts)
  }

  /// The rows of a store, by their cases, that no case of a run fitted.
  package func rowsWithoutCase(of store: String, in run: ScenarioRun) -> [Expectation.Row] {
    guard let own = expectations.first(where: { $0.store == store }) else { return [] }
    return own.rows.filter { row in
      row.expected != .notRun && !run.cases.contains { own.row(for: $0.parts) == row }
    }
  }
}
