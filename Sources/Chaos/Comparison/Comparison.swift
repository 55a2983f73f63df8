import Device
import Phone

/// Stores against the whole fault catalogue on the simulated tier: in how many states does each of them
/// keep a session, recover it, or lose it?
///
/// The contract. The workload is always a sign-in and two refreshes, each save durable before the next
/// one begins, and then two cold starts. A fault that hits an operation is tried at each operation of
/// each save that it can happen to; an error with each code that the call can give. An event of the
/// operating system happens after each save. Bytes change in each file, at ``alterationCountMax``
/// places. A power cut leaves each combination of survivors that an ``Explorer`` visits. Every try is a
/// state; it counts by its worst verdict.
///
/// Not looked at: two faults in one run, events in the middle of a save, and what only a real kernel does.
package final class Comparison {
  private let plan: Plan
  private let shouldStop: () -> Bool
  private let seed: UInt64
  private var phone: SimulatedPhone?

  /// At how many places of a file one bit flips.
  static let alterationCountMax = 24

  /// Prepares to do units of a comparison.
  ///
  /// - Parameters:
  ///   - plan: What is compared.
  ///   - shouldStop: Asked between states; what is counted so far stays.
  package init(_ plan: Plan, shouldStop: @escaping () -> Bool = { false }) {
    self.plan = plan
    self.shouldStop = shouldStop
    seed = plan.seed
  }

  /// Counts the states of one fault, on one phone with one store.
  ///
  /// - Throws: ``PhoneHostError`` when the lab could not play a state.
  package func run(_ unit: Unit) throws(PhoneHostError) -> StateTally {
    if unit.fault == .hold {
      return StateTally(impossible: "only where somebody can release it: a mounted phone")
    }
    if unit.fault == .powerCut { return try explore(unit) }
    var tally = StateTally()
    for steps in try histories(unit) {
      if shouldStop() {
        tally.isPartial = true
        return tally
      }
      do {
        let player = try play(steps, unit)
        guard player.faults.neverFired.isEmpty else { continue }
        tally.add(player.judgements.worst)
      } catch .refused(let reason) {
        return StateTally(impossible: reason)
      } catch .missingFile(let path) {
        return StateTally(impossible: "\(PhoneHostError.missingFile(path))")
      }
    }
    return tally
  }

  // MARK: - Power cuts

  /// Only the images that a power cut leaves; a kill has a row of its own.
  private func explore(_ unit: Unit) throws(PhoneHostError) -> StateTally {
    var exploration = ExplorationPlan(phone: unit.phone, store: unit.store, seed: seed)
    exploration.depth = plan.depth
    exploration.cutCountMax = plan.cutCountMax
    exploration.dangers = [.crashes]
    let explorer = try Explorer(exploration)
    explorer.shouldStop = shouldStop
    let found = try explorer.run()
    let onlyKilled = Set(found.moments.compactMap(\.killed))
      .subtracting(found.moments.flatMap(\.cut))
    var tally = StateTally()
    for (index, image) in found.images.enumerated() where !onlyKilled.contains(index) {
      tally.add(image.outcome?.verdict)
    }
    tally.sampledMomentCount = found.sampledMomentCount
    tally.isPartial = found.wasInterrupted
    return tally
  }

  // MARK: - Histories

  private func histories(_ unit: Unit) throws(PhoneHostError) -> [[Scenario.Step]] {
    switch unit.fault.group {
    case .process, .power, .call:
      let recording = try record(unit)
      return recording.saves.enumerated().flatMap { save, kinds in
        FaultyWorkload.histories(unit.fault, hitting: kinds, ofSave: save)
      }
    case .data: return FaultyWorkload.histories(unit.fault, altering: try record(unit).files)
    case .system: return FaultyWorkload.histories(eventsOf: unit.fault)
    // Of stores alone; a server is none of theirs.
    case .request, .server: return []
    }
  }

  /// What the workload does when nothing disturbs it.
  private struct Recording {
    /// The operations of each save.
    var saves: [[OperationKind]] = []
    var files: [(path: String, bytes: Int)] = []
  }

  private func record(_ unit: Unit) throws(PhoneHostError) -> Recording {
    let host = try newPhone(unit)
    let player = CasePlayer(on: host, launch: AppLaunch(store: unit.store))
    var recording = Recording()
    var start = 0
    player.onPhase = { step, phase in
      switch phase {
      case .commandBegins: start = host.withDevice { $0.operationCount }
      case .commandEnds where FaultyWorkload.saveSteps.contains(step):
        recording.saves.append(
          host.withDevice { $0.log }
            .filter { $0.kind != .point && $0.number.number > start }.map(\.kind))
      case .commandEnds, .stepEnds: break
      }
    }
    defer { player.onPhase = nil }
    try player.play(FaultyWorkload.saves)
    recording.files = host.withDevice { device in
      let live = device.live
      return live.files(matching: PathPattern("/**")).compactMap { id in
        let bytes = live.attributes(of: id)?.sizeBytes ?? 0
        return bytes > 0 ? (live.path(of: id), bytes) : nil
      }
    }
    return recording
  }

  private func play(
    _ steps: [Scenario.Step], _ unit: Unit
  ) throws(PhoneHostError) -> CasePlayer {
    let player = CasePlayer(on: try newPhone(unit), launch: AppLaunch(store: unit.store))
    try player.play(steps)
    return player
  }

  private func newPhone(_ unit: Unit) throws(PhoneHostError) -> SimulatedPhone {
    let setup = PhoneSetup(unit.phone, ScenarioSettings(), seed: seed)
    if let phone {
      try phone.reset(setup)
      return phone
    }
    let made = try SimulatedPhone(setup)
    phone = made
    return made
  }
}

extension [Judgement] {
  /// The first failure, or else the first verdict; `nil` when there was no session to judge.
  fileprivate var worst: Verdict? {
    (first { $0.verdict.isFailure } ?? first)?.verdict
  }
}
