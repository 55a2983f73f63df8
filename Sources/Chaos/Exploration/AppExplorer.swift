import Device
import Linux

/// Does to a program of somebody else's, on a mounted phone, what ``Explorer`` does to a store in memory.
///
/// The contract. A history is played by the program, and of each moment the device is kept, so that
/// crashes are played once: a kill leaves the live view, a power cut each choice of survivors that the
/// profiles allow, or as many as the plan says, drawn. Calls that are refused, and crashes in a recovery,
/// are played for each of them. What is left is recovered by two cold starts of the program, and judged
/// as a scenario's case is; equal states once, by `ImageDigest`, by what is known and by the time. Each
/// cause is a replay, made smaller on the same phone.
///
/// Overlapping calls are given to the program at once, if it takes them so, and its calls of native
/// modules that wait at the same time are let go in every order, up to the plan's bound. What a
/// program does beside its calls, it does as fast as it can.
package final class AppExplorer {
  /// How many survivors are looked at for one moment, and bytes of one file, when nobody says more: each
  /// costs two cold starts.
  package static let cutCountMax = 8
  /// How many smaller histories are played to shrink one replay.
  static let shrinkTriesMax = 24

  let plan: ExplorationPlan
  let host: PhoneHost
  /// Asked between moments; what is found so far stays.
  package var shouldStop: () -> Bool = { false }
  /// Told of each piece of work: which, and how many of how many are done.
  package var progress: (_ phase: String, _ done: Int, _ of: Int) -> Void = { _, _, _ in }
  /// Told before the first crash how much there is to do.
  package var announce: (Extent) -> Void = { _ in }
  var found: Exploration
  private var known: [State: Int] = [:]
  private var seenMoments: Set<MomentKey> = []
  private var continued: Set<DeepKey> = []
  private var next: [ExploredHistory] = []

  /// What a recovery follows from.
  struct State: Hashable {
    let digest: ImageDigest
    let knowledge: CasePlayer.Knowledge
    let nowMs: Int64
    /// What the phone may lose by itself, where that counts.
    let items: ItemMemory?
  }

  /// A second crash may also lose what a kill has left pending.
  private struct DeepKey: Hashable {
    let state: State
    let durable: ImageDigest
  }

  /// What two orders of calls have in common.
  private struct MomentKey: Hashable {
    let state: State
    let durable: ImageDigest
    let step: Int
    let operation: Int?
  }

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
  ///   with the moment; ``PhoneHostError/refused(_:)`` when calls are to overlap and it takes one after
  ///   the other.
  package func run() throws(PhoneHostError) -> Exploration {
    let histories = ExploredHistory.beginnings(of: plan)
    let first = try survey(histories)
    if plan.dangers.contains(.crashes) { try exploreCrashes(of: histories, first) }
    if plan.dangers.contains(.errors) { try exploreErrors(of: histories) }
    if plan.dangers.contains(.flips) { try exploreFlips(of: histories) }
    found.recoveredCount = found.images.count
    found.endingCount = found.images.count
    try confirmReplays()
    return found
  }

  func stops() -> Bool {
    if shouldStop() { found.wasInterrupted = true }
    return found.wasInterrupted
  }

  // MARK: - Crashes

  private func exploreCrashes(
    of beginnings: [ExploredHistory], _ first: [AppRecorder.Recording]
  ) throws(PhoneHostError) {
    var histories = beginnings
    for depth in 1...plan.depth {
      next = []
      for (index, history) in histories.enumerated() where !stops() {
        if history.isOpenOverlap {
          try exploreOrders(of: history, first[index], depth)
        } else {
          let recording =
            depth == 1 ? first[index] : try AppRecorder.recording(of: history, plan, on: host)
          try explore(recording.moments, of: history, depth)
        }
        if depth > 1 { progress("depth \(depth)", index + 1, histories.count) }
      }
      histories = next
    }
  }

  private func explore(
    _ moments: [AppMoment], of history: ExploredHistory, _ depth: Int
  ) throws(PhoneHostError) {
    for (number, moment) in moments.enumerated() where !stops() {
      try explore(moment, of: history, depth)
      if depth == 1, !plan.hasOverlaps { progress("crashes", number + 1, moments.count) }
    }
  }

  /// Plays a history in every order of the calls that wait at the same time. What an order shares with
  /// one before it was looked at there.
  private func exploreOrders(
    of history: ExploredHistory, _ first: AppRecorder.Recording, _ depth: Int
  ) throws(PhoneHostError) {
    var orders = CallOrders(countMax: plan.orderCountMax)
    while !stops(), let order = orders.next() {
      let ordered = history.ordered(by: order)
      let recording =
        order.isEmpty ? first : try AppRecorder.recording(of: ordered, plan, on: host)
      orders.played(recording.order)
      let news = recording.moments.filter { moment in
        let key = MomentKey(
          state: state(moment.killed.live.digest(), moment.knowledge, moment.standing),
          durable: moment.device.durable.digest(), step: moment.step, operation: moment.operation)
        return seenMoments.insert(key).inserted
      }
      try explore(news, of: ordered, depth)
      progress("orders of \(history.title(ofStep: history.stepCount - 1))", orders.playedCount, 0)
    }
    found.orderCount += orders.playedCount
    found.cutOrderCount += orders.untriedCount
  }

  private func explore(
    _ moment: AppMoment, of history: ExploredHistory, _ depth: Int
  ) throws(PhoneHostError) {
    var shown = Exploration.Moment(
      step: moment.step, title: history.title(ofStep: moment.step), point: moment.point)
    let isEndOfOrder = plan.hasOverlaps && depth == 1 && moment.operation == nil
    let end: Disturbance = isEndOfOrder ? .none : .kill
    let killed = try visit(
      end, moment.killed.live.digest(), moment.knowledge, moment, history, depth
    ) { moment.killed }
    shown.killed = killed
    let cutsBegin = found.originCount
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
      let image = try visit(.powerCut(survivors), digest, knowledge, moment, history, depth) {
        moment.device.crashState(survivors)
      }
      if !shown.cut.contains(image) { shown.cut.append(image) }
    }
    guard depth == 1 else { return }
    found.moments.append(shown)
    let spot = history.spot(moment)
    found.map.noteMoment(
      cuts: found.originCount - cutsBegin, isSampled: !walk.isExhaustive, at: spot)
    for (kind, images) in [(end.kind, [killed]), (.powerCut, shown.cut)] {
      for image in images {
        found.map.note(verdict(ofImage: image, after: moment.judgements), kind, at: spot)
      }
    }
  }

  /// Recovers what a disturbance left, if nothing like it was, and files what that shows; what went well
  /// is recovered again, with a crash in it.
  ///
  /// - Returns: The position of the image.
  private func visit(
    _ disturbance: Disturbance, _ digest: ImageDigest, _ knowledge: CasePlayer.Knowledge,
    _ moment: AppMoment, _ history: ExploredHistory, _ depth: Int,
    _ makeDevice: () -> StorageDevice
  ) throws(PhoneHostError) -> Int {
    let state = state(digest, knowledge, moment.standing)
    let image = try image(
      of: state, moment.standing, after: { history.words(disturbance, at: moment) }, makeDevice)
    let judgements = moment.judgements + found.images[image].judgements
    guard !judgements.contains(where: \.verdict.isFailure) else {
      found.noteFailure(
        in: judgements, disturbance, in: history, at: (moment.step, moment.operation),
        point: moment.point, depth: depth, image: image)
      return image
    }
    guard depth < plan.depth else { return image }
    let durable = disturbance.kind == .powerCut ? digest : moment.killed.durable.digest()
    if continued.insert(DeepKey(state: state, durable: durable)).inserted {
      next.append(history.continued(after: disturbance, at: moment))
    }
    return image
  }

  // MARK: - Recoveries

  func state(
    _ digest: ImageDigest, _ knowledge: CasePlayer.Knowledge, _ standing: PhoneHost.Standing
  ) -> State {
    State(
      digest: digest, knowledge: knowledge, nowMs: standing.nowMs,
      items: standing.state.countsModuleLosses ? standing.state.items.forNewNotes : nil)
  }

  /// The image that a state is: recovered by two cold starts, if none like it was.
  ///
  /// - Parameters:
  ///   - state: What the recovery follows from.
  ///   - standing: What the phone is beside its device.
  ///   - after: What has happened, for an adapter's problem.
  ///   - makeDevice: Makes the device, when the state is new.
  /// - Returns: Its position.
  /// - Throws: ``PhoneHostError``.
  func image(
    of state: State, _ standing: PhoneHost.Standing, after: () -> String,
    _ makeDevice: () -> StorageDevice
  ) throws(PhoneHostError) -> Int {
    found.originCount += 1
    if let image = known[state] { return image }
    let judgements: [Judgement]
    do throws(PhoneHostError) {
      judgements = try recover(makeDevice(), state.knowledge, standing)
    } catch {
      throw error.after(after())
    }
    known[state] = found.images.count
    found.images.append(Exploration.Image(digest: state.digest, judgements: judgements))
    return found.images.count - 1
  }

  func recover(
    _ device: StorageDevice, _ knowledge: CasePlayer.Knowledge, _ standing: PhoneHost.Standing
  ) throws(PhoneHostError) -> [Judgement] {
    try host.goOn(from: standing, with: device)
    let player = CasePlayer(on: host, launch: plan.launch, from: knowledge)
    defer { player.endApp() }
    try player.play([Scenario.Step(.launch(times: 2))])
    if standing.state.countsModuleLosses {
      found.moduleLossCount += moduleLossCount - standing.state.items.lossCount
    }
    return player.judgements
  }

  /// How often a module of the phone has lost something by itself.
  var moduleLossCount: Int { host.state.withLock { $0.items.lossCount } }

  /// What a state counts as: the first failure, before it or by its image, or else the image's outcome.
  func verdict(ofImage image: Int, after judgements: [Judgement] = []) -> Verdict? {
    let failure = judgements.first(where: \.verdict.isFailure)
    return (failure ?? found.images[image].outcome)?.verdict
  }

  // MARK: - Causes

  /// Plays the history of each cause as `lab replay` would, and makes it smaller; somebody who wants to
  /// stop gets it as it was found.
  private func confirmReplays() throws(PhoneHostError) {
    for index in found.causes.indices {
      let cause = found.causes[index]
      let scenario = ExploredHistory.scenario(cause.replay.text, name: cause.replay.name)
      guard let one = scenario.cases.first else { continue }
      // The phone draws the same again: a changed bit of another key would be another fault.
      var history = Chaos.Replay.History(
        phone: plan.phone, store: plan.store, settings: one.settings, seed: plan.seed,
        steps: one.steps)
      history.foreign = plan.foreign
      let finding = try Finding(
        history, named: cause.replay.name, foundBy: "lab explore", on: host, shrinkingOn: host,
        triesMax: Self.shrinkTriesMax, shouldStop: { [shouldStop] in shouldStop() })
      found.causes[index].replay.history = history
      // What a module drops after a refused call counts as lost here, and not in a run.
      let shown = finding.replay.failure
      found.causes[index].replay.isConfirmed =
        cause.kind == .callError ? shown != nil : shown == cause.failure
      found.causes[index].replay.finding = finding
      progress("replays", index + 1, found.causes.count)
      _ = stops()
    }
  }
}

extension PhoneHostError {
  /// The same with what had happened, for an adapter's problem: a program may break the protocol only
  /// on what a crash has left.
  func after(_ words: String) -> PhoneHostError {
    guard case .adapter(let problem) = self else { return self }
    return .adapter("\(problem)\n  \(words)")
  }
}

extension ExploredHistory {
  /// `on what a kill left after operation 3 of refresh to 2`.
  fileprivate func words(_ disturbance: Disturbance, at moment: AppMoment) -> String {
    let operation = moment.operation.map { "operation \($0) of " } ?? "the end of "
    return "on what \(disturbance.kind.subject) left after \(operation)"
      + title(ofStep: moment.step)
  }
}

extension DisturbanceKind {
  fileprivate var subject: String {
    switch self {
    case .none: "calls at once"
    case .kill: "a kill"
    case .powerCut: "a power cut"
    case .callError: "a refused call"
    case .bitFlip: "a flipped bit"
    }
  }
}
