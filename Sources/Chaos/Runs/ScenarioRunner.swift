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

  package init(on host: PhoneHost, seed: UInt64) {
    self.host = host
    self.seed = seed
    acknowledgements = "\(host.runtimeDirectory)/acknowledgements.ndjson"
  }

  /// Runs all cases of a scenario with one store: the controls, then the faults.
  package func run(_ scenario: Scenario, store: String) throws(PhoneHostError) -> ScenarioRun {
    var run = ScenarioRun(scenario)
    for control in scenario.controls {
      var result = try self.run(control, of: scenario, store: store, isControl: true)
      result.judge(by: Array(repeating: [.keep], count: max(1, result.verdicts.count)))
      run.controls.append(result)
    }
    for spread in scenario.cases {
      for one in try cases(of: spread, in: scenario, store: store) {
        guard let row = scenario.expectedRow(for: one.parts, store: store) else {
          throw .refused("\(scenario.name): nothing is expected of \(store) in case \(one.name)")
        }
        guard let verdicts = row.verdicts else { continue }
        var result = try self.run(one, of: scenario, store: store, isControl: false)
        result.judge(by: verdicts)
        run.cases.append(result)
      }
    }
    return run
  }

  /// Runs one case as it is.
  package func run(
    _ one: ScenarioCase, of scenario: Scenario, store: String, isControl: Bool
  ) throws(PhoneHostError) -> CaseRun {
    let name = isControl ? "control" + one.parts.map { " \($0)" }.joined() : one.name
    let caseSeed = Self.seed(seed, scenario.name, store, name)
    try host.reset(PhoneSetup(one.settings, seed: caseSeed))
    try? Files.remove(acknowledgements)
    let player = CasePlayer(
      on: host, launch: launch(store, one.settings), seed: caseSeed)
    try player.play(one.steps)
    return CaseRun(
      scenario: scenario.name, name: name, parts: one.parts, phone: "ios", store: store,
      judgements: player.judgements, faults: player.faults, images: player.images,
      story: player.story, outcome: .asExpected)
  }

  /// Spreads a fault at `each` point over the points that a recording reaches.
  private func cases(
    of spread: ScenarioCase, in scenario: Scenario, store: String
  ) throws(PhoneHostError) -> [ScenarioCase] {
    guard let step = spread.stepOfEach else { return [spread] }
    try host.reset(
      PhoneSetup(
        spread.settings, seed: Self.seed(seed, scenario.name, store, "recording")))
    try? Files.remove(acknowledgements)
    let player = CasePlayer(on: host, launch: launch(store, spread.settings), seed: seed)
    try player.play(spread.recording.steps)
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
  mutating func judge(by expected: [[Verdict]]) {
    if !faults.neverFired.isEmpty {
      outcome = .neverFired
      return
    }
    let fits =
      verdicts.count == expected.count
      && zip(verdicts, expected).allSatisfy { $1.contains($0) }
    outcome = fits ? .asExpected : .unexpected(expected)
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
      row.verdicts != nil && !run.cases.contains { own.row(for: $0.parts) == row }
    }
  }
}
