extension Replay {
  /// The replay as a scenario of one case, for whoever tells of its run.
  package var scenario: Scenario {
    var scenario = history.scenario(named: name, story: "Found by \(foundBy).")
    scenario.file = file
    return scenario
  }
}

extension Replay.History {
  func scenario(named name: String, story: String = "") -> Scenario {
    Scenario(
      name: name, title: name, phones: [phone], seed: seed, story: story, stores: [store],
      settings: settings, variations: [], steps: steps, expectations: [])
  }
}
