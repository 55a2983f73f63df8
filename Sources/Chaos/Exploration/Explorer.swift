import Device
import Phone
import Ports

/// Ends the app at every operation of three saves, in every way that the phone allows, and has it
/// start again on what is left.
///
/// The contract. The history is played once. At each operation of a save a kill leaves the live view,
/// and a power cut any state that the profiles allow; an operation of the phone's service goes on
/// until the service rests, for a kill does not end it. Each distinct image is recovered once with
/// what is then known, by two cold starts on a fresh phone whose service is new, and judged as a
/// scenario's case is. Images are equal by ``ImageDigest``, so owners, times and inode numbers do not
/// count. With depth 2 each distinct recovery that went well is played again, and crashes at its own
/// operations.
///
/// Not looked at: writes before the last one that arrive torn, two writers, and an app that goes on
/// saving after its recovery.
package final class Explorer {
  private let plan: ExplorationPlan
  /// Asked between moments; what is found so far stays.
  package var shouldStop: () -> Bool = { false }
  /// Told after each moment of a history: how many of how many.
  package var progress: (_ depth: Int, _ done: Int, _ of: Int) -> Void = { _, _, _ in }
  /// Whether equal images are recovered once; without it each is, and the outcomes must be the same.
  package var collapses = true

  private var found: Exploration
  private var known: [Key: Int] = [:]
  private var continued: Set<DeepKey> = []
  private var next: [ExploredHistory] = []
  private let phone: SimulatedPhone

  private struct Key: Hashable {
    let digest: ImageDigest
    let knowledge: CasePlayer.Knowledge
    let nowMs: Int64
  }

  /// A second crash may also lose what a kill has left pending.
  private struct DeepKey: Hashable {
    let key: Key
    let durable: ImageDigest
  }

  /// - Throws: ``PhoneHostError`` when the plan's settings make no phone.
  package init(_ plan: ExplorationPlan) throws(PhoneHostError) {
    self.plan = plan
    found = Exploration(plan)
    phone = try SimulatedPhone(PhoneSetup(plan.phone, ScenarioSettings(), seed: plan.seed))
  }

  /// Explores the plan.
  ///
  /// - Returns: What was found, up to a stop.
  /// - Throws: ``PhoneHostError`` when the lab could not play or recover.
  package func run() throws(PhoneHostError) -> Exploration {
    var histories = [ExploredHistory(plan)]
    for depth in 1...plan.depth {
      next = []
      for (index, history) in histories.enumerated() where !stops() {
        let moments = try CrashRecorder.moments(of: history, plan)
        for (number, moment) in moments.enumerated() where !stops() {
          try explore(moment, of: history, depth)
          if depth == 1 { progress(depth, number + 1, moments.count) }
        }
        if depth > 1 { progress(depth, index + 1, histories.count) }
      }
      histories = next
    }
    try confirmReplays()
    return found
  }

  private func stops() -> Bool {
    if shouldStop() { found.wasInterrupted = true }
    return found.wasInterrupted
  }

  // MARK: - Crashes

  private func explore(
    _ moment: CrashMoment, of history: ExploredHistory, _ depth: Int
  ) throws(PhoneHostError) {
    var shown = Exploration.Moment(save: moment.step / 2 + 1, point: moment.point)
    if let killed = moment.killed {
      shown.killed = try visit(.kill, killed, moment, history, depth)
    }
    let states = moment.device.cutStates(
      countMax: plan.cutCountMax, seed: plan.seed &+ UInt64(moment.device.operationCount))
    if !states.isExhaustive { found.sampledMomentCount += 1 }
    for survivors in states.survivors {
      let image = try visit(
        .powerCut(survivors), moment.device.crashState(survivors), moment, history, depth)
      if !shown.cut.contains(image) { shown.cut.append(image) }
    }
    if depth == 1 { found.moments.append(shown) }
  }

  /// Recovers what a crash left, unless it is known.
  ///
  /// - Returns: The position of the image.
  private func visit(
    _ crash: Crash, _ device: StorageDevice, _ moment: CrashMoment, _ history: ExploredHistory,
    _ depth: Int
  ) throws(PhoneHostError) -> Int {
    found.originCount += 1
    var knowledge = moment.knowledge
    if crash.isCut { knowledge.oracle.note(.recency) }
    let key = Key(
      digest: device.live.digest(), knowledge: knowledge, nowMs: moment.standing.nowMs)
    let image = try self.image(of: device, key, moment)
    if found.images[image].isViolation {
      noteCause(image, crash, moment, history, depth)
    } else if depth < plan.depth,
      continued.insert(DeepKey(key: key, durable: device.durable.digest())).inserted
    {
      next.append(history.continued(after: crash, at: moment))
    }
    return image
  }

  private func image(
    of device: StorageDevice, _ key: Key, _ moment: CrashMoment
  ) throws(PhoneHostError) -> Int {
    if collapses, let image = known[key] { return image }
    let judgements = try recover(device, key.knowledge, moment)
    let image = found.images.count
    known[key] = image
    found.images.append(Exploration.Image(digest: key.digest, judgements: judgements))
    return image
  }

  /// Starts the app twice on what is left, and twice more to see that it has come to rest.
  private func recover(
    _ device: StorageDevice, _ knowledge: CasePlayer.Knowledge, _ moment: CrashMoment
  ) throws(PhoneHostError) -> [Judgement] {
    try phone.goOn(from: moment.standing, with: device)
    let player = CasePlayer(on: phone, launch: AppLaunch(store: plan.store), from: knowledge)
    try player.play([Scenario.Step(.launch(times: 2))])
    return player.judgements
  }

  // MARK: - Causes

  private func noteCause(
    _ image: Int, _ crash: Crash, _ moment: CrashMoment, _ history: ExploredHistory, _ depth: Int
  ) {
    guard let worst = found.images[image].outcome else { return }
    let index = found.causes.firstIndex { cause in
      cause.failure == worst.verdict && cause.point == moment.point && cause.isCut == crash.isCut
        && cause.depth == depth
    }
    if let index {
      found.causes[index].images.insert(image)
      return
    }
    let name =
      "\(worst.verdict.rawValue)-explore-\(plan.store)-\(plan.phone.rawValue)-"
      + "\(found.causes.count + 1)"
    found.causes.append(
      Exploration.Cause(
        failure: worst.verdict, point: moment.point, isCut: crash.isCut, depth: depth,
        images: [image], because: worst.because,
        replay: history.replay(
          of: crash, at: moment, name: name,
          verdicts: found.images[image].judgements.map(\.verdict))))
  }

  /// Runs the file of each cause as `lab run` would.
  private func confirmReplays() throws(PhoneHostError) {
    for index in found.causes.indices {
      let cause = found.causes[index]
      let scenario = ExploredHistory.scenario(cause.replay.text, name: cause.replay.name)
      let run = try ScenarioRunner(on: phone, seed: plan.seed).run(
        scenario, on: plan.phone, store: plan.store)
      let shown = run.cases.first?.verdicts ?? []
      found.causes[index].replay.isConfirmed =
        run.faults.neverFired.isEmpty
        && shown.suffix(cause.replay.verdicts.count) == cause.replay.verdicts[...]
    }
  }
}
