import Device
import Phone

/// Plays histories on a phone of either tier, each on a new device, and compares what they show with
/// what was recorded.
package struct ReplayPlayer {
  let host: any HostedPhone
  /// Whether runs are traced, for ``TierComparison``.
  package var tracesStorage = false
  /// Whether runs keep their operations.
  package var tellsOperations = false

  package init(on host: any HostedPhone) {
    self.host = host
  }

  /// Plays a replay again.
  ///
  /// - Throws: ``PhoneHostError`` when the lab could not play it.
  package func replay(_ replay: Replay) throws(PhoneHostError) -> ReplayComparison {
    let shown = try play(replay.history, named: replay.name)
    let divergence = replay.divergence(from: shown)
    return ReplayComparison(
      replay: replay, shown: shown, divergence: divergence,
      moved: divergence == nil ? nil : try moved(replay, shown))
  }

  /// Plays a history and notes what it shows as what a replay of it has to show.
  ///
  /// - Throws: ``PhoneHostError`` when the lab could not play it.
  package func record(
    _ history: Replay.History, named name: String, foundBy: String
  ) throws(PhoneHostError) -> Replay {
    let shown = try play(history, named: name)
    var sites = shown.sites
    for (index, site) in sites where site.operation != nil {
      sites[index]?.operation?.count = try operations(of: history, step: index).count
    }
    return Replay(
      name: name, history: history, sites: sites, verdicts: shown.run.verdicts,
      images: shown.images, failure: shown.failure?.verdict,
      because: shown.failure?.because ?? "", foundBy: foundBy)
  }

  /// Plays a history.
  ///
  /// - Throws: ``PhoneHostError`` when the lab could not play it, or when it cannot be played at all.
  func play(_ history: Replay.History, named name: String) throws(PhoneHostError) -> Replayed {
    let (player, log) = try run(history)
    let one = ScenarioCase(parts: [], settings: history.settings, steps: history.steps)
    let bench = ScenarioRunner.Bench(
      scenario: history.scenario(named: name), phone: history.phone, store: history.store)
    var run = try ScenarioRunner(on: host, seed: history.seed).result(
      of: player, one, one.name, bench, isControl: false)
    if tellsOperations { run.operations = player.operations }
    let end = host.withDevice { $0.liveDigest() }
    return Replayed(
      run: run, sites: sites(of: history, log),
      images: (run.images + [end]).map(\.description))
  }

  private func run(_ history: Replay.History) throws(PhoneHostError) -> (CasePlayer, StepLog) {
    var setup = PhoneSetup(history.phone, history.settings, seed: history.seed)
    setup.isRecorded = tracesStorage
    try host.reset(setup)
    var launch = AppLaunch(store: history.store, settings: history.settings)
    launch.foreign = history.foreign
    let player = CasePlayer(
      on: host, launch: launch,
      client: try ClientSide(history.settings, seed: history.seed, atMs: host.nowMs))
    var bounds = [host.withDevice { $0.operationCount }]
    var settled: Set<Int> = []
    player.onPhase = { [host] step, phase in
      guard phase == .stepEnds else { return }
      bounds.append(host.withDevice { $0.operationCount })
      if host.withDevice({ $0.volatileDomains.isEmpty }) { settled.insert(step + 1) }
    }
    defer { player.onPhase = nil }
    try player.play(history.steps)
    let records = host.withDevice { Array($0.log) }
    return (player, StepLog(records, bounds: bounds, settled: settled))
  }

  /// Where the faults fell. Those that waited stand on the device's board in the order of the steps.
  private func sites(of history: Replay.History, _ log: StepLog) -> [Int: FaultSite] {
    var sites: [Int: FaultSite] = [:]
    var armed = host.withDevice { $0.faults.entries }[...]
    for (index, step) in history.steps.enumerated() {
      if case .happen(let request) = step.action, request.kind == .powerCut {
        sites[index] = FaultSite(
          survivors: log.kept(request.values.survivors, beforeStep: index))
      }
      guard let fault = step.fault, case .fired(let number)? = armed.popFirst()?.status else {
        continue
      }
      sites[index] = FaultSite(
        operation: log.operation(number, inStep: index),
        survivors: fault.kind.group == .power
          ? log.kept(fault.values.survivors, after: number) : nil)
    }
    return sites
  }

  // MARK: - Operations

  /// What a step does when its own fault is left out.
  private func operations(
    of history: Replay.History, step index: Int
  ) throws(PhoneHostError) -> [FaultSite.Operation] {
    var quiet = history
    quiet.steps = Array(history.steps[...index])
    quiet.steps[index] = Scenario.Step(history.steps[index].action)
    return try run(quiet).1.operations(inStep: index)
  }

  /// Looks for the first recorded operation that its fault did not meet: by its words, its occurrence
  /// and the point before it.
  private func moved(
    _ replay: Replay, _ shown: Replayed
  ) throws(PhoneHostError) -> (step: Int, operation: Int)? {
    for (index, site) in replay.sites.sorted(by: { $0.key < $1.key }) {
      guard let recorded = site.operation,
        recorded.description != shown.sites[index]?.operation?.description
      else { continue }
      let now = try operations(of: replay.history, step: index)
        .firstIndex { $0.description == recorded.description }
      return now.map { (index, $0 + 1) }
    }
    return nil
  }
}
