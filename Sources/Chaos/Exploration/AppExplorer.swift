import Device

/// Ends a program of somebody else's at every operation of its saves, by a kill and by power cuts, and
/// has it start again on what is left, on a mounted phone.
///
/// The contract. The program plays the history once: a sign-in and two refreshes. Of each moment the
/// device is kept, so that nothing is played twice: a kill leaves the live view, a power cut each choice
/// of survivors that the profiles allow, or as many as the plan says, drawn. What is left is recovered
/// by two cold starts of the program, and judged as a scenario's case is; equal states once, by
/// `ImageDigest`, by what is known and by the time. Each cause is a replay, made smaller on the same
/// phone.
///
/// Not looked at: refused calls, flipped bits, several calls at once, crashes during a recovery.
package final class AppExplorer {
  /// How many survivors are looked at for one moment when nobody says more: each costs two cold starts.
  package static let cutCountMax = 8
  /// How many smaller histories are played to shrink one replay.
  static let shrinkTriesMax = 24

  private let plan: ExplorationPlan
  private let host: PhoneHost
  package var shouldStop: () -> Bool = { false }
  /// Told of the work: how many of how many moments are done.
  package var progress: (_ phase: String, _ done: Int, _ of: Int) -> Void = { _, _, _ in }
  private var found: Exploration
  private var known: [Recoverer.State: Int] = [:]

  /// - Parameters:
  ///   - plan: Says which program, by ``ExplorationPlan/foreign``.
  ///   - host: A phone of the lab's own; it is made new.
  package init(_ plan: ExplorationPlan, on host: PhoneHost) {
    self.plan = plan
    self.host = host
    found = Exploration(plan)
  }

  /// Explores the plan.
  ///
  /// - Returns: What was found, up to a stop.
  /// - Throws: ``PhoneHostError``; ``PhoneHostError/adapter(_:)`` when the program broke the protocol,
  ///   with the moment.
  package func run() throws(PhoneHostError) -> Exploration {
    for history in ExploredHistory.beginnings(of: plan) where !stops() {
      let moments = try AppRecorder.moments(of: history, plan, on: host)
      for (number, moment) in moments.enumerated() where !stops() {
        try explore(moment, of: history)
        progress("crashes", number + 1, moments.count)
      }
    }
    found.recoveredCount = found.images.count
    found.endingCount = found.images.count
    if !stops() { try confirmReplays() }
    return found
  }

  private func stops() -> Bool {
    if shouldStop() { found.wasInterrupted = true }
    return found.wasInterrupted
  }

  private func explore(
    _ moment: AppMoment, of history: ExploredHistory
  ) throws(PhoneHostError) {
    let begin = found.originCount
    var shown = Exploration.Moment(
      step: moment.step, title: history.title(ofStep: moment.step), point: moment.point)
    shown.killed = try visit(
      .kill, moment.killed.live.digest(), moment.knowledge, moment, history
    ) { moment.killed }
    var walk = CutWalk(
      moment.device, countMax: plan.cutCountMax,
      seed: plan.seed &+ UInt64(moment.device.operationCount))
    if !walk.isExhaustive { found.sampledMomentCount += 1 }
    var knowledge = moment.knowledge
    knowledge.oracle.note(.recency)
    var seen: Set<ImageDigest> = []
    while let digest = walk.next(), !stops() {
      guard seen.insert(digest).inserted else {
        found.originCount += 1
        continue
      }
      let survivors = walk.survivors
      let image = try visit(.powerCut(survivors), digest, knowledge, moment, history) {
        moment.device.crashState(survivors)
      }
      if !shown.cut.contains(image) { shown.cut.append(image) }
    }
    found.moments.append(shown)
    noteOnMap(shown, moment, cutCount: found.originCount - begin - 1, !walk.isExhaustive)
  }

  private func noteOnMap(
    _ shown: Exploration.Moment, _ moment: AppMoment, cutCount: Int, _ isSampled: Bool
  ) {
    var spot = CrashMap.Spot(step: shown.step, title: shown.title)
    spot.point = moment.point
    spot.operation = moment.operation
    spot.kind = moment.kind
    spot.half = moment.half
    spot.points = moment.points
    found.map.noteMoment(cuts: cutCount, isSampled: isSampled, at: spot)
    let failure = moment.judgements.first(where: \.verdict.isFailure)
    let ends = [(DisturbanceKind.kill, shown.killed.map { [$0] } ?? []), (.powerCut, shown.cut)]
    for (kind, images) in ends {
      for image in images {
        found.map.note((failure ?? found.images[image].outcome)?.verdict, kind, at: spot)
      }
    }
  }

  /// Recovers what a disturbance left, if nothing like it was, and files what that shows.
  ///
  /// - Returns: The position of the image.
  private func visit(
    _ disturbance: Disturbance, _ digest: ImageDigest, _ knowledge: CasePlayer.Knowledge,
    _ moment: AppMoment, _ history: ExploredHistory, _ makeDevice: () -> StorageDevice
  ) throws(PhoneHostError) -> Int {
    found.originCount += 1
    let state = Recoverer.State(
      digest: digest, knowledge: knowledge, nowMs: moment.standing.nowMs)
    let image: Int
    if let known = known[state] {
      image = known
    } else {
      let judgements: [Judgement]
      do throws(PhoneHostError) {
        judgements = try recover(makeDevice(), knowledge, moment)
      } catch {
        throw error.during(history.title(ofStep: moment.step), moment, disturbance)
      }
      image = found.images.count
      known[state] = image
      found.images.append(Exploration.Image(digest: digest, judgements: judgements))
    }
    found.noteFailure(
      in: moment.judgements + found.images[image].judgements, disturbance, in: history,
      at: (moment.step, moment.operation), point: moment.point, image: image)
    return image
  }

  private func recover(
    _ device: StorageDevice, _ knowledge: CasePlayer.Knowledge, _ moment: AppMoment
  ) throws(PhoneHostError) -> [Judgement] {
    try host.goOn(from: moment.standing, with: device)
    let player = CasePlayer(on: host, launch: plan.launch, from: knowledge)
    defer { player.endApp() }
    try player.play([Scenario.Step(.launch(times: 2))])
    return player.judgements
  }

  /// Plays the history of each cause as `lab replay` would, and makes it smaller.
  private func confirmReplays() throws(PhoneHostError) {
    let runner = ScenarioRunner(on: host, seed: plan.seed)
    runner.foreign = plan.foreign
    for index in found.causes.indices {
      progress("replays", index + 1, found.causes.count)
      let cause = found.causes[index]
      let scenario = ExploredHistory.scenario(cause.replay.text, name: cause.replay.name)
      guard let one = scenario.cases.first else { continue }
      let bench = ScenarioRunner.Bench(scenario: scenario, phone: plan.phone, store: plan.store)
      let history = runner.history(of: one, named: one.name, in: bench)
      let finding = try Finding(
        history, named: cause.replay.name, foundBy: "lab explore", on: host, shrinkingOn: host,
        triesMax: Self.shrinkTriesMax)
      found.causes[index].replay.history = history
      found.causes[index].replay.isConfirmed = finding.replay.failure == cause.failure
      found.causes[index].replay.finding = finding
    }
  }
}

extension PhoneHostError {
  /// The same with the moment, for an adapter's problem: a program may break the protocol only on what
  /// a crash has left.
  fileprivate func during(
    _ title: String, _ moment: AppMoment, _ disturbance: Disturbance
  ) -> PhoneHostError {
    guard case .adapter(let problem) = self else { return self }
    let operation = moment.operation.map { "operation \($0) of " } ?? "the end of "
    return .adapter(
      problem + "\n  on what a \(disturbance.kind.rawValue) left after \(operation)\(title)")
  }
}
