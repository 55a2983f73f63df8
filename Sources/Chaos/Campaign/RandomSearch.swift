import JSON
import Phone

/// Runs random histories, each with its control.
struct RandomSearch {
  private let runner: ScenarioRunner
  private let seed: UInt64

  init(on runner: ScenarioRunner, seed: UInt64) {
    self.runner = runner
    self.seed = seed
  }

  /// A run that showed a failure, and what it played.
  struct Failed {
    let run: CaseRun
    let history: Replay.History
  }

  /// Runs one history: the control, which is recorded, and then the same with its event.
  ///
  /// - Parameters:
  ///   - number: Which one; all draws follow from it and the seed.
  ///   - round: Says which kind of event it has.
  ///   - phone: On which phone.
  ///   - store: With which store.
  /// - Returns: Both runs, and what was played in those that show a failure.
  /// - Throws: ``PhoneHostError`` when the lab could not run it.
  func run(
    _ number: Int, round: Int, _ phone: PhoneKind, store: String
  ) throws(PhoneHostError) -> (ScenarioRun, [Failed]) {
    let history = RandomHistory(
      number: number, round: round, seed: seed, phone: phone, store: store)
    let quiet = ScenarioRunner.Bench(
      scenario: Self.scenario(history.quiet, history.name), phone: phone, store: store)
    guard let calm = quiet.scenario.cases.first else { throw .refused("a random history is empty") }
    var run = ScenarioRun(quiet.scenario, phone: phone, store: store)
    let (control, recording) = try runner.record(calm, in: quiet, step: history.hitStep)
    run.controls.append(control)
    var failed = [failure(of: calm, control, in: quiet)]
    let disturbed = ScenarioRunner.Bench(
      scenario: Self.scenario(history.disturbed(recording), history.name), phone: phone,
      store: store)
    for one in disturbed.scenario.cases {
      var result = try runner.run(one, in: disturbed, isControl: false)
      result.judge(by: .noFailure)
      run.cases.append(result)
      failed.append(failure(of: one, result, in: disturbed))
    }
    return (run, failed.compactMap(\.self))
  }

  private func failure(
    of one: ScenarioCase, _ run: CaseRun, in bench: ScenarioRunner.Bench
  ) -> Failed? {
    guard case .unexpected = run.outcome else { return nil }
    return Failed(run: run, history: runner.history(of: one, named: run.name, in: bench))
  }

  static func scenario(_ json: JSONValue, _ name: String) -> Scenario {
    do {
      return try ScenarioReader.read(JSONWriter.bytes(of: json), name: name)
    } catch {
      preconditionFailure("a drawn history is a valid scenario: \(error)")
    }
  }
}
