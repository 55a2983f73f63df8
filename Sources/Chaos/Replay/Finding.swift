import Phone

/// A failure that was found, as a replay that is as small as it gets.
package struct Finding: Equatable, Sendable {
  package let replay: Replay
  /// How many decisions it had when it was found.
  package let foundChoiceCount: Int
  /// What the replay shows.
  package let run: CaseRun

  /// Records a history that showed a failure, and makes it smaller in memory.
  ///
  /// - Parameters:
  ///   - history: What was played.
  ///   - name: Of the file that is to be written.
  ///   - foundBy: The command that found it.
  ///   - host: The phone that it was found on. What cannot be seen in memory stays as it was found.
  ///   - memory: A phone of the simulated tier, which may be the same.
  /// - Throws: ``PhoneHostError`` when the lab could not play it.
  package init(
    _ history: Replay.History, named name: String, foundBy: String, on host: any HostedPhone,
    shrinkingOn memory: any HostedPhone
  ) throws(PhoneHostError) {
    let found = try ReplayPlayer(on: host).record(history, named: name, foundBy: foundBy)
    let shrunk = try Shrinker(on: memory).shrink(found)
    replay = shrunk?.after ?? found
    foundChoiceCount = found.choices.count
    var player = ReplayPlayer(on: shrunk == nil ? host : memory)
    player.tellsOperations = true
    var run = try player.play(replay.history, named: name).run
    run.judge(by: .noFailure)
    self.run = run
  }

  /// One that another process has found.
  init(_ replay: Replay, foundChoiceCount: Int, run: CaseRun) {
    self.replay = replay
    self.foundChoiceCount = foundChoiceCount
    self.run = run
  }

  /// The words behind `./lab` that show it again, from the folder of its file.
  package func command(in folder: String) -> String {
    "replay \(folder)/\(replay.name).json" + (run.tier == .simulated ? "" : " --tier mounted")
  }
}
