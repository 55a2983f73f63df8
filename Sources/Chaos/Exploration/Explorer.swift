import Device
import Phone
import Ports
import Simulation

/// Ends the app at every operation of its saves, in every way that the phone allows, and has it start
/// again on what is left.
///
/// The contract. Each history is played once; where calls overlap, once for each order of their
/// waits. At each operation of a save a kill leaves the live view, and a power cut any state that the
/// profiles allow; an operation of the phone's service goes on until the service rests, for a kill
/// does not end it. What is left is recovered by two cold starts on a fresh phone whose service is
/// new, and judged as a scenario's case is; equal states once, as ``Recoverer`` says. With depth 2
/// each distinct recovery that went well is played again, and crashes at its own operations.
///
/// Beside crashes, each operation is refused with every error that it can give, and stored bytes are
/// changed: see the extensions.
///
/// Not looked at: an app that goes on saving after its recovery, and a second process of the app.
package final class Explorer {
  let plan: ExplorationPlan
  /// Asked between moments; what is found so far stays.
  package var shouldStop: () -> Bool = { false }
  /// Told of each piece of work: which, and how many of how many are done.
  package var progress: (_ phase: String, _ done: Int, _ of: Int) -> Void = { _, _, _ in }
  /// Told of each history before its first crash: how many states its crashes may leave, and at how
  /// many moments.
  package var announce: (_ stateCount: Int, _ momentCount: Int) -> Void = { _, _ in }
  /// What is recovered once; whatever is left out, the outcomes must be the same.
  package var collapses: Collapses {
    get { recoverer.collapses }
    set { recoverer.collapses = newValue }
  }

  var found: Exploration
  let phone: SimulatedPhone
  private let recoverer: Recoverer
  private var continued: Set<DeepKey> = []
  private var next: [ExploredHistory] = []

  /// A second crash may also lose what a kill has left pending.
  private struct DeepKey: Hashable {
    let state: Recoverer.State
    let durable: ImageDigest
  }

  /// - Throws: ``PhoneHostError`` when the plan's settings make no phone.
  package init(_ plan: ExplorationPlan) throws(PhoneHostError) {
    self.plan = plan
    found = Exploration(plan)
    phone = try SimulatedPhone(PhoneSetup(plan.phone, plan.settings, seed: plan.seed))
    recoverer = Recoverer(on: phone, AppLaunch(store: plan.store, settings: plan.settings))
  }

  /// Explores the plan.
  ///
  /// - Returns: What was found, up to a stop.
  /// - Throws: ``PhoneHostError`` when the lab could not play or recover.
  package func run() throws(PhoneHostError) -> Exploration {
    let histories = ExploredHistory.beginnings(of: plan)
    if plan.dangers.contains(.crashes) { try exploreCrashes(of: histories) }
    if plan.dangers.contains(.errors) { try exploreErrors(of: histories) }
    if plan.dangers.contains(.flips) { try exploreFlips(of: histories) }
    found.images = recoverer.images
    found.recoveredCount = recoverer.recoveredCount
    found.endingCount = recoverer.endingCount
    try confirmReplays()
    return found
  }

  func stops() -> Bool {
    if shouldStop() { found.wasInterrupted = true }
    return found.wasInterrupted
  }

  // MARK: - Crashes

  private func exploreCrashes(of beginnings: [ExploredHistory]) throws(PhoneHostError) {
    var histories = beginnings
    for depth in 1...plan.depth {
      next = []
      for (index, history) in histories.enumerated() where !stops() {
        if history.isOpenOverlap {
          try exploreOrders(of: history, depth)
        } else {
          let recording = try CrashRecorder.recording(of: history, plan)
          try explore(recording.moments, of: history, depth)
        }
        if depth > 1 { progress("depth \(depth)", index + 1, histories.count) }
      }
      histories = next
    }
  }

  private func explore(
    _ moments: [CrashMoment], of history: ExploredHistory, _ depth: Int
  ) throws(PhoneHostError) {
    if depth == 1 {
      let counts = moments.map { cuts(of: $0).choiceCount.map { min($0, plan.cutCountMax) } }
      announce(counts.reduce(0) { $0 + ($1 ?? plan.cutCountMax) }, moments.count)
    }
    for (number, moment) in moments.enumerated() where !stops() {
      try explore(moment, of: history, depth)
      if depth == 1, !plan.hasOverlaps { progress("crashes", number + 1, moments.count) }
    }
  }

  /// Plays a history in every order of its overlapping calls. What an order shares with the one
  /// before it was looked at there.
  private func exploreOrders(
    of history: ExploredHistory, _ depth: Int
  ) throws(PhoneHostError) {
    var search = OrderSearch(countMax: plan.orderCountMax)
    var former: [Decision]?
    var count = 0
    while !stops(), let choices = try search.next() {
      let recording = try CrashRecorder.recording(of: history, plan, choices)
      let decisions = choices.decisions
      let ordered = history.ordered(by: decisions.map(\.choice))
      let shared = former.map { zip($0, decisions).prefix { $0 == $1 }.count } ?? -1
      former = decisions
      try explore(recording.moments.filter { $0.decisionCount > shared }, of: ordered, depth)
      count += 1
      progress("orders of \(history.title(ofStep: history.stepCount - 1))", count, 0)
    }
    found.orderCount += count
    found.cutOrderCount += search.untriedCount
  }

  private func explore(
    _ moment: CrashMoment, of history: ExploredHistory, _ depth: Int
  ) throws(PhoneHostError) {
    var shown = Exploration.Moment(
      step: moment.step, title: history.title(ofStep: moment.step), point: moment.point)
    let isEndOfOrder = plan.hasOverlaps && depth == 1 && moment.operation == nil
    let end: Disturbance = isEndOfOrder ? .none : .kill
    if let killed = moment.killed {
      shown.killed = try visit(end, killed, moment, history, depth)
    }
    let cutsBegin = found.originCount
    var walk = cuts(of: moment)
    if !walk.isExhaustive { found.sampledMomentCount += 1 }
    var seen: Set<ImageDigest> = []
    while let digest = walk.next() {
      found.originCount += 1
      guard seen.insert(digest).inserted || !collapses.contains(.images) else { continue }
      let image = try visit(digest, under: walk, moment, history, depth)
      if !shown.cut.contains(image) { shown.cut.append(image) }
    }
    guard depth == 1 else { return }
    found.moments.append(shown)
    let spot = history.spot(moment)
    found.map.noteMoment(
      cuts: found.originCount - cutsBegin, isSampled: !walk.isExhaustive, at: spot)
    for (kind, images) in [(end.kind, shown.killed.map { [$0] } ?? []), (.powerCut, shown.cut)] {
      for image in images {
        found.map.note(verdict(ofImage: image, after: moment.judgements), kind, at: spot)
      }
    }
  }

  /// What power cuts at a moment may leave.
  private func cuts(of moment: CrashMoment) -> CutWalk {
    CutWalk(
      moment.device, countMax: plan.cutCountMax,
      seed: plan.seed &+ UInt64(moment.device.operationCount))
  }

  /// Recovers the state of a power cut that a walk has come to.
  ///
  /// - Returns: The position of the image.
  private func visit(
    _ digest: ImageDigest, under walk: CutWalk, _ moment: CrashMoment, _ history: ExploredHistory,
    _ depth: Int
  ) throws(PhoneHostError) -> Int {
    var knowledge = moment.knowledge
    knowledge.oracle.note(.recency)
    let state = Recoverer.State(
      digest: digest, knowledge: knowledge, nowMs: moment.standing.nowMs)
    let image = try recoverer.image(state, moment.standing, under: (walk, moment.device)) {
      moment.device.crashState(walk.survivors)
    }
    judge(
      image, state, durable: digest, .powerCut(walk.survivors), moment, history, depth)
    return image
  }

  /// Recovers what a kill left.
  ///
  /// - Returns: The position of the image.
  private func visit(
    _ end: Disturbance, _ device: StorageDevice, _ moment: CrashMoment,
    _ history: ExploredHistory, _ depth: Int
  ) throws(PhoneHostError) -> Int {
    let (image, state) = try recover(device, moment.knowledge, moment.standing)
    judge(image, state, durable: device.durable.digest(), end, moment, history, depth)
    return image
  }

  /// Files what an image has shown; one that went well is recovered again, with a crash in it.
  private func judge(
    _ image: Int, _ state: Recoverer.State, durable: @autoclosure () -> ImageDigest,
    _ disturbance: @autoclosure () -> Disturbance, _ moment: CrashMoment,
    _ history: ExploredHistory, _ depth: Int
  ) {
    let judgements = moment.judgements + recoverer.images[image].judgements
    guard !judgements.contains(where: \.verdict.isFailure) else {
      noteFailure(
        in: judgements, disturbance(), in: history, at: (moment.step, moment.operation),
        point: moment.point, depth: depth, image: image)
      return
    }
    guard depth < plan.depth else { return }
    if continued.insert(DeepKey(state: state, durable: durable())).inserted {
      next.append(history.continued(after: disturbance(), at: moment))
    }
  }

  /// The image that a device is, and what it was recovered from.
  func recover(
    _ device: StorageDevice, _ knowledge: CasePlayer.Knowledge,
    _ standing: SimulatedPhone.Standing
  ) throws(PhoneHostError) -> (image: Int, state: Recoverer.State) {
    found.originCount += 1
    var device = device
    let state = Recoverer.State(
      digest: device.liveDigest(), knowledge: knowledge, nowMs: standing.nowMs,
      witnessed: standing.witness?.stored)
    return (try recoverer.image(state, standing) { device }, state)
  }

  func judgements(ofImage image: Int) -> [Judgement] { recoverer.images[image].judgements }

  /// What a state counts as: the first failure, before it or by its image, or else the image's outcome.
  func verdict(ofImage image: Int, after judgements: [Judgement] = []) -> Verdict? {
    let failure = judgements.first(where: \.verdict.isFailure)
    return (failure ?? recoverer.images[image].outcome)?.verdict
  }

  // MARK: - Causes

  /// Files a failure with those that are alike; the first of them gives the replay.
  func noteFailure(
    in judgements: [Judgement], _ disturbance: Disturbance, in history: ExploredHistory,
    at place: (step: Int, operation: Int?), goesOn: Bool = false, point: LogicalPoint?,
    depth: Int = 1, image: Int
  ) {
    found.noteFailure(
      in: judgements, disturbance, in: history, at: place, goesOn: goesOn, point: point,
      depth: depth, image: image)
  }

  /// Runs the file of each cause as `lab run` would.
  private func confirmReplays() throws(PhoneHostError) {
    for index in found.causes.indices {
      let cause = found.causes[index]
      let scenario = ExploredHistory.scenario(cause.replay.text, name: cause.replay.name)
      let runner = ScenarioRunner(on: phone, seed: plan.seed)
      let run = try runner.run(scenario, on: plan.phone, store: plan.store)
      let shown = run.cases.first?.verdicts ?? []
      // What a module drops after a refused call counts as lost here, and not in a run.
      if cause.kind == .callError, shown.contains(where: \.isFailure) {
        found.causes[index].replay.verdicts = shown
      }
      let expected = found.causes[index].replay.verdicts
      found.causes[index].replay.isConfirmed =
        run.faults.neverFired.isEmpty && shown.suffix(expected.count) == expected[...]
      guard let one = scenario.cases.first else { continue }
      let bench = ScenarioRunner.Bench(scenario: scenario, phone: plan.phone, store: plan.store)
      found.causes[index].replay.history = runner.history(of: one, named: one.name, in: bench)
    }
  }
}
