import Device
import Linux
import Mount
import Phone
import Ports

/// A moment at which a program of somebody else's may end: just after an operation of a step, or after
/// the step.
struct AppMoment: ExploredMoment {
  let step: Int
  /// Which operation of the step it was, from 1: what `op:N` counts. `nil` after the step.
  let operation: Int?
  let kind: OperationKind?
  /// The half that the operation touched.
  let half: Half?
  /// The last point that the step had announced.
  let point: LogicalPoint?
  /// Those that it had announced since the operation before.
  let points: [LogicalPoint]
  /// What a power cut finds.
  let device: StorageDevice
  /// What a kill leaves: the service goes on until it rests.
  let killed: StorageDevice
  /// What was judged before it.
  let judgements: [Judgement]
  let knowledge: CasePlayer.Knowledge
  let standing: PhoneHost.Standing
}

/// Plays a history once on a mounted phone and keeps the device as it was after every operation of the
/// open steps.
///
/// A kill during an operation of the phone's service is taken to leave what the service has written by
/// the app's next operation: it does not die with the app.
final class AppRecorder {
  /// The device after one operation, and what the app had noted by then.
  private struct Sight {
    let process: ProcessNumber
    let device: StorageDevice
    let notes: String
  }

  private let host: PhoneHost
  private let player: CasePlayer
  private let history: ExploredHistory
  private let sights = Locked<[Sight]>([])
  private var starts: [Int: Int] = [:]
  private var moments: [AppMoment] = []

  private init(_ history: ExploredHistory, _ host: PhoneHost, _ player: CasePlayer) {
    self.history = history
    self.host = host
    self.player = player
  }

  /// What a history showed.
  struct Recording {
    /// In order; none when a crash that belongs to the history did not happen.
    var moments: [AppMoment] = []
    /// How the calls of an overlap were let go, and whether they were made in turn instead.
    var order: [ItemMemory.Choice] = []
    var takesTurns = false
    /// Whether a save was acknowledged, and what was seen first of it, else.
    var hasSaved = false
    var sees: String?
  }

  /// Plays a history on the phone, made new.
  ///
  /// - Returns: What it showed.
  /// - Throws: ``PhoneHostError`` when the lab could not play it.
  static func recording(
    of history: ExploredHistory, _ plan: ExplorationPlan, on host: PhoneHost
  ) throws(PhoneHostError) -> Recording {
    guard let one = history.played else { return Recording() }
    try host.reset(PhoneSetup(plan.phone, one.settings, seed: plan.seed))
    let player = CasePlayer(on: host, launch: plan.launch)
    let recorder = AppRecorder(history, host, player)
    player.onPhase = { [unowned recorder] step, phase in recorder.note(step, phase) }
    defer {
      player.onPhase = nil
      host.mounted.watchOperations(nil)
      player.endApp()
    }
    try player.goThrough(one.steps)
    let items = host.state.withLock { $0.items }
    return Recording(
      moments: player.faults.neverFired.isEmpty ? recorder.moments : [], order: items.order,
      takesTurns: items.takesTurns, hasSaved: player.knowledge.oracle.hasSaved,
      sees: player.story.lazy.compactMap(\.sees).first)
  }

  private func note(_ step: Int, _ phase: CasePlayer.Phase) {
    guard history.openSteps.contains(step) else { return }
    switch phase {
    case .commandBegins:
      guard starts[step] == nil else { return }
      starts[step] = host.withDevice { $0.operationCount }
      host.mounted.watchOperations { [host, sights] process, device in
        let sight = Sight(process: process, device: device, notes: host.acknowledged)
        sights.withLock { $0.append(sight) }
      }
    case .commandEnds:
      host.mounted.watchOperations(nil)
      let seen = sights.withLock { sights in
        defer { sights = [] }
        return sights
      }
      for index in seen.indices { add(seen, index, in: step) }
    case .stepEnds:
      let device = host.withDevice { $0 }
      add(device, killed: device, operation: nil, player.knowledge, in: step)
    }
  }

  private func add(_ sights: [Sight], _ index: Int, in step: Int) {
    let services = sights[index].device.services
    var last = index
    if services.contains(sights[index].process) {
      while last + 1 < sights.count, services.contains(sights[last + 1].process) { last += 1 }
    }
    add(
      sights[index].device, killed: sights[last].device, operation: index + 1,
      player.knowledge(withNotes: sights[index].notes), in: step)
  }

  private func add(
    _ device: StorageDevice, killed: StorageDevice, operation: Int?,
    _ knowledge: CasePlayer.Knowledge, in step: Int
  ) {
    let (count, former) = (
      device.operationCount, moments.last.flatMap { $0.step == step ? $0 : nil }
    )
    let passed = (former?.device.operationCount ?? starts[step] ?? 0)..<count
    let records = device.log.filter { passed.contains($0.number.number - 1) }
    let points = records.filter { $0.kind == .point }
      .compactMap(\.target).compactMap(LogicalPoint.init).filter { $0 != .itemCommitted }
    let record = operation == nil ? nil : records.last { $0.number.number == count }
    let half = Half.allCases.first { half in
      record.map { host.domains(of: half).contains($0.domain) } ?? false
    }
    moments.append(
      AppMoment(
        step: step, operation: operation, kind: record?.kind, half: half,
        point: points.last ?? former?.point, points: points, device: device, killed: killed,
        judgements: player.judgements, knowledge: knowledge, standing: host.standing))
  }
}
