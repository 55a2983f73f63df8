/// Compares the same case on the two tiers: what it showed, the calls to each file that count for
/// what a crash may leave, and what was stored after each crash and at the end.
///
/// Only the calls of one file have an order here: the app and the phone's service are two processes on
/// the mounted tier, and what they do to different files at the same time has none.
package enum TierComparison {
  /// Where two runs of one case part, the first of each file; empty when they are equal.
  ///
  /// Both must have been made by a runner that ``ScenarioRunner/tracesStorage``.
  package static func differences(
    simulated: CaseRun, mounted: CaseRun
  ) -> [TierDifference] {
    guard let ours = simulated.trace, let theirs = mounted.trace else {
      preconditionFailure("a run that is compared was traced")
    }
    return shown(simulated, mounted) + calls(ours, theirs) + images(ours, theirs)
  }

  /// Where two runs of a scenario part, by the name of the case.
  package static func differences(
    simulated: ScenarioRun, mounted: ScenarioRun
  ) -> [(name: String, difference: TierDifference)] {
    let (ours, theirs) = (simulated.all, mounted.all)
    guard ours.map(\.name) == theirs.map(\.name) else {
      return [
        ("", .cases(simulated: ours.map(\.name), mounted: theirs.map(\.name)))
      ]
    }
    return zip(ours, theirs).flatMap { ours, theirs in
      differences(simulated: ours, mounted: theirs).map { (ours.name, $0) }
    }
  }

  private static func shown(_ simulated: CaseRun, _ mounted: CaseRun) -> [TierDifference] {
    let pairs = [
      ("\(simulated.judgements)", "\(mounted.judgements)"),
      ("\(simulated.faults)", "\(mounted.faults)"),
      ("\(simulated.images)", "\(mounted.images)"),
    ]
    let rows = zip(simulated.story, mounted.story).first { $0 != $1 }.map { ("\($0)", "\($1)") }
    return (pairs.filter { $0 != $1 } + [rows].compactMap(\.self))
      .map { .shown(simulated: $0, mounted: $1) }
  }

  private static func calls(_ simulated: StorageTrace, _ mounted: StorageTrace) -> [TierDifference]
  {
    let (ours, theirs) = (simulated.callsByFile, mounted.callsByFile)
    return Set(ours.keys).union(theirs.keys).sorted().compactMap { file in
      let (ours, theirs) = (ours[file] ?? [], theirs[file] ?? [])
      guard ours != theirs else { return nil }
      let position = zip(ours, theirs).prefix { $0 == $1 }.count
      return .call(
        file: file, position: position,
        simulated: position < ours.count ? ours[position] : nil,
        mounted: position < theirs.count ? theirs[position] : nil)
    }
  }

  private static func images(_ simulated: StorageTrace, _ mounted: StorageTrace) -> [TierDifference]
  {
    let (ours, theirs) = (simulated.images, mounted.images)
    guard ours.map(\.moment) == theirs.map(\.moment) else {
      return [.moments(simulated: ours.map(\.moment), mounted: theirs.map(\.moment))]
    }
    return zip(ours, theirs).flatMap { ours, theirs in
      files(ours, theirs, .live, \.live) + files(ours, theirs, .durable, \.durable)
    }
  }

  private static func files(
    _ simulated: StoredImage, _ mounted: StoredImage, _ view: TierDifference.View,
    _ files: (StoredImage) -> [String: StoredFile]
  ) -> [TierDifference] {
    let (ours, theirs) = (files(simulated), files(mounted))
    guard ours != theirs else { return [] }
    return Set(ours.keys).union(theirs.keys).sorted().filter { ours[$0] != theirs[$0] }.map {
      .image(
        moment: simulated.moment, view: view, file: $0, simulated: ours[$0], mounted: theirs[$0])
    }
  }
}
