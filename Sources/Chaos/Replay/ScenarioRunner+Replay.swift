import Phone

extension ScenarioRunner {
  /// Plays an old finding, which must show no failure any more, as a scenario of one case.
  func run(_ replay: Replay) throws(PhoneHostError) -> ScenarioRun {
    var run = ScenarioRun(
      replay.scenario, phone: replay.history.phone, store: replay.history.store)
    var player = ReplayPlayer(on: host)
    player.tellsOperations = true
    var one = try player.play(replay.history, named: replay.name).run
    one.judge(by: .noFailure)
    run.cases.append(one)
    return run
  }
}
