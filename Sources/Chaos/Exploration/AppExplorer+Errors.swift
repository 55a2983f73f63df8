import Device
import Linux
import Phone

/// Refused calls and flipped bits, as ``Explorer`` has them. The program plays the history anew for each
/// refused call, because it goes on with what it has in memory.
extension AppExplorer {
  /// An operation that is refused once with an error that its kind can give.
  struct Refusal {
    let moment: AppMoment
    let operation: Int
    let error: DeviceError
  }

  /// What a refused call, or a changed bit, has left.
  private struct Rest {
    let goesOn: Bool
    let device: StorageDevice
    let knowledge: CasePlayer.Knowledge
    let standing: PhoneHost.Standing
    let judgements: [Judgement]
  }

  /// The calls that are refused: all, or as many as the plan says, drawn.
  ///
  /// - Returns: The calls in their order, and how many were left out.
  func refusals(in recording: AppRecorder.Recording) -> (drawn: [Refusal], leftOutCount: Int) {
    let all = recording.moments.flatMap { moment -> [Refusal] in
      guard let operation = moment.operation, let kind = moment.kind else { return [] }
      return LegalErrors.reasons(for: kind).map {
        Refusal(moment: moment, operation: operation, error: $0.error)
      }
    }
    var left = Array(all.indices)
    var draws = Draws(seed: plan.seed)
    while left.count > plan.refusalCountMax { left.remove(at: draws.below(left.count)) }
    return (left.map { all[$0] }, all.count - left.count)
  }

  /// A history for refused calls: those of the cold start behind it, too.
  static func launched(_ history: ExploredHistory) -> ExploredHistory {
    (history.isOpenOverlap ? history.ordered(by: []) : history).launched
  }

  func exploreErrors(of histories: [ExploredHistory]) throws(PhoneHostError) {
    for history in histories where !stops() {
      let launched = Self.launched(history)
      let recording = try AppRecorder.recording(of: launched, plan, on: host)
      let (refusals, leftOutCount) = refusals(in: recording)
      found.cutErrorCount += leftOutCount
      found.map.drawsRefusals = found.cutErrorCount > 0
      for (number, refusal) in refusals.enumerated() where !stops() {
        do throws(PhoneHostError) {
          try explore(refusal, of: launched)
        } catch {
          throw error.after(
            "after operation \(refusal.operation) of "
              + "\(launched.title(ofStep: refusal.moment.step)) was refused with "
              + refusal.error.symbol)
        }
        progress("errors", number + 1, refusals.count)
      }
    }
  }

  private func explore(
    _ refusal: Refusal, of history: ExploredHistory
  ) throws(PhoneHostError) {
    let step = refusal.moment.step
    let rests = try play(refusal, of: history)
    guard !rests.isEmpty else { return }
    found.errorCount += 1
    let spot = history.spot(refusal.moment)
    for rest in rests {
      let state = state(rest.device.live.digest(), rest.knowledge, rest.standing)
      let image = try image(of: state, rest.standing, after: { "in the cold start" }) {
        rest.device
      }
      found.noteFailure(
        in: rest.judgements + found.images[image].judgements, .callError(refusal.error),
        in: history, at: (step, refusal.operation), goesOn: rest.goesOn, point: nil, image: image)
      found.map.note(verdict(ofImage: image, after: rest.judgements), .callError, at: spot)
    }
  }

  /// Plays a history with one call refused.
  ///
  /// - Returns: What was left just behind the step, and behind the others; nothing where the program
  ///   did not make the call this time.
  private func play(
    _ refusal: Refusal, of history: ExploredHistory
  ) throws(PhoneHostError) -> [Rest] {
    let step = refusal.moment.step
    guard
      let one = history.refused(refusal.error, step: step, operation: refusal.operation)
    else { return [] }
    try host.reset(PhoneSetup(plan.phone, one.settings, seed: plan.seed))
    host.state.withLock { $0.countsModuleLosses = true }
    let player = CasePlayer(on: host, launch: plan.launch)
    defer { player.endApp() }
    // The last step is the cold start, which adds nothing to what a recovery does.
    let behind = one.steps[(step + 1)...].dropLast()
    var rests: [Rest] = []
    for (goesOn, steps) in [(false, one.steps[...step]), (true, behind)] where !steps.isEmpty {
      try player.goThrough(Array(steps))
      guard player.faults.neverFired.isEmpty else { return [] }
      rests.append(
        Rest(
          goesOn: goesOn, device: host.withDevice { $0 }, knowledge: player.knowledge,
          standing: host.standing, judgements: player.judgements))
    }
    found.moduleLossCount += moduleLossCount
    return rests
  }

  // MARK: - Flips

  /// A bit of a stored byte that is changed when everything is durable.
  struct Flip {
    let path: String
    let half: Half
    let byte: Int
    /// Follows from the byte's place.
    var bit: Int { byte % 8 }
  }

  /// The bytes that are changed in the files of both halves: all, or as many as the plan says.
  ///
  /// - Returns: The bytes, and in how many files they were drawn.
  func flips(in device: StorageDevice) -> (flips: [Flip], sampledFileCount: Int) {
    var device = device
    let live = device.live
    let domains = Half.allCases.map { ($0, host.domains(of: $0)) }
    var (flips, sampledFileCount): ([Flip], Int) = ([], 0)
    for (number, id) in live.files(matching: PathPattern("*")).enumerated() {
      let path = live.path(of: id)
      guard let domain = device.domainName(ofFileAt: path),
        let half = domains.first(where: { $0.1.contains(domain) })?.0
      else { continue }
      let size = live[id]?.sizeBytes ?? 0
      var draws = Draws(seed: plan.seed &+ UInt64(number))
      let isSampled = size > plan.cutCountMax
      if isSampled { sampledFileCount += 1 }
      let bytes =
        isSampled ? (0..<plan.cutCountMax).map { _ in draws.below(size) } : Array(0..<size)
      flips += bytes.map { Flip(path: path, half: half, byte: $0) }
    }
    return (flips, sampledFileCount)
  }

  /// A history at whose end everything is durable, with the cold start behind it.
  static func settled(_ history: ExploredHistory) -> ExploredHistory {
    (history.isOpenOverlap ? history.ordered(by: []) : history).settled
  }

  func exploreFlips(of histories: [ExploredHistory]) throws(PhoneHostError) {
    for history in histories where !stops() {
      let settled = Self.settled(history)
      let recording = try AppRecorder.recording(of: settled.launched, plan, on: host)
      guard let end = recording.moments.last else { continue }
      let (flips, sampledFileCount) = flips(in: end.device)
      found.sampledFileCount += sampledFileCount
      for (number, flip) in flips.enumerated() where !stops() {
        try explore(flip, end, of: settled)
        progress("flips", number + 1, flips.count)
      }
    }
  }

  private func explore(
    _ flip: Flip, _ moment: AppMoment, of history: ExploredHistory
  ) throws(PhoneHostError) {
    var device = moment.device
    do {
      _ = try device.alter(.flipBit(path: flip.path, byte: flip.byte, bit: flip.bit))
    } catch {
      throw .refused("byte \(flip.byte) of \(flip.path) cannot be changed: \(error)")
    }
    var knowledge = moment.knowledge
    knowledge.oracle.note(flip.half == .key ? .key : .blob)
    found.flipCount += 1
    let state = state(device.live.digest(), knowledge, moment.standing)
    let words = "with a bit changed in byte \(flip.byte) of \(flip.path)"
    let image = try image(of: state, moment.standing, after: { words }) { device }
    found.noteFailure(
      in: found.images[image].judgements,
      .bitFlip(path: flip.path, byte: flip.byte, bit: flip.bit), in: history,
      at: (history.stepCount - 1, nil), point: nil, image: image)
    found.map.note(
      verdict(ofImage: image), .bitFlip,
      at: CrashMap.Spot(step: history.stepCount - 1, title: "all durable"))
  }
}
