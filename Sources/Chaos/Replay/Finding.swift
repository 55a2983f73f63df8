import Phone

/// A failure that was found, as a replay that is as small as it gets.
package struct Finding: Equatable, Sendable {
  package private(set) var replay: Replay
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
  ///   - triesMax: How many smaller histories are played at most.
  ///   - shouldStop: Asked before each of them; it stays as it was found when that is so at once.
  /// - Throws: ``PhoneHostError`` when the lab could not play it.
  package init(
    _ history: Replay.History, named name: String, foundBy: String, on host: any HostedPhone,
    shrinkingOn memory: any HostedPhone, triesMax: Int = Shrinker.triesMax,
    shouldStop: @escaping () -> Bool = { false }
  ) throws(PhoneHostError) {
    let found = try ReplayPlayer(on: host).record(history, named: name, foundBy: foundBy)
    var shrinker = Shrinker(on: memory)
    shrinker.triesMax = triesMax
    shrinker.shouldStop = shouldStop
    let shrunk: Shrinker.Shrunk?
    do throws(PhoneHostError) {
      shrunk = shouldStop() ? nil : try shrinker.shrink(found)
    } catch .refused where history.foreign != nil {
      // A program of somebody else's may draw what nobody gave it: two runs of it differ.
      shrunk = nil
    }
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

  /// The same with the program that it was found with, which no file names.
  func naming(_ foreign: ForeignApp?) -> Finding {
    var named = self
    named.replay.history.foreign = foreign
    return named
  }

  /// The words behind `./lab` that show it again, from the folder of its file.
  package func command(in folder: String) -> String {
    let place = "replay \(folder)/\(replay.name).json"
    if let foreign = replay.history.foreign { return "\(place) \(foreign.shellWords)" }
    return place + (run.tier == .simulated ? "" : " --tier mounted")
  }
}
