import Device
import Phone
import Ports
import Simulation

/// Plays a history once and notes all moments of its open steps.
final class CrashRecorder {
  private struct Draft {
    let step: Int
    let operation: Int?
    let decisionCount: Int
    let device: StorageDevice
    var killed: StorageDevice?
    let judgements: [Judgement]
    let knowledge: CasePlayer.Knowledge
    let standing: SimulatedPhone.Standing
  }

  /// What a history showed.
  struct Recording {
    /// In order; none when a crash that belongs to the history did not happen.
    let moments: [CrashMoment]
    /// The kinds of the operations of each open step, in order: what `op:N` counts.
    let operations: [Int: [OperationKind]]
  }

  private let phone: SimulatedPhone
  private let player: CasePlayer
  private let history: ExploredHistory
  private let choices: Choices?
  private var drafts: [Draft] = []
  /// How many operations the log had when a step's command began, and when it ended.
  private var starts: [Int: Int] = [:]
  private var ends: [Int: Int] = [:]
  /// The drafts whose operation is one of a service that has not come to rest.
  private var waiting: [Int] = []

  private init(
    _ history: ExploredHistory, _ phone: SimulatedPhone, _ player: CasePlayer, _ choices: Choices?
  ) {
    self.history = history
    self.phone = phone
    self.player = player
    self.choices = choices
  }

  /// Plays a history on a new phone.
  ///
  /// - Parameters:
  ///   - history: What is done.
  ///   - plan: With which store, on which phone.
  ///   - choices: Decide the order of calls that overlap; `nil` when the history does.
  /// - Returns: What it showed.
  /// - Throws: ``PhoneHostError`` when the lab could not play it.
  static func recording(
    of history: ExploredHistory, _ plan: ExplorationPlan, _ choices: Choices? = nil
  ) throws(PhoneHostError) -> Recording {
    guard let one = history.played else {
      return Recording(moments: [], operations: [:])
    }
    let phone = try SimulatedPhone(PhoneSetup(plan.phone, one.settings, seed: plan.seed))
    phone.overlapChoices = choices
    let player = CasePlayer(
      on: phone, launch: AppLaunch(store: plan.store, settings: one.settings))
    let recorder = CrashRecorder(history, phone, player, choices)
    player.onPhase = { [unowned recorder] step, phase in recorder.note(step, phase) }
    defer { player.onPhase = nil }
    try player.goThrough(one.steps)
    return Recording(
      moments: player.faults.neverFired.isEmpty ? recorder.moments : [],
      operations: recorder.operations)
  }

  /// Watches a step's first command, which is where a fault would be armed, and notes its end.
  private func note(_ step: Int, _ phase: CasePlayer.Phase) {
    guard history.openSteps.contains(step) else { return }
    switch phase {
    case .commandBegins:
      guard starts[step] == nil else { return }
      starts[step] = phone.withDevice { $0.operationCount }
      phone.box.onOperation = { [unowned self] process in noteOperation(step, process) }
      phone.onServiceRest = { [unowned self] in noteRest() }
    case .commandEnds:
      ends[step] = ends[step] ?? phone.withDevice { $0.operationCount }
      phone.box.onOperation = nil
      phone.onServiceRest = nil
      waiting = []
    case .stepEnds: add(step, operation: nil, canBeKilled: true)
    }
  }

  private func noteOperation(_ step: Int, _ process: ProcessNumber) {
    let isOfService = phone.withDevice { $0.services.contains(process) }
    if isOfService, phone.hasApp { waiting.append(drafts.count) }
    let operation = drafts.last.map { $0.step == step ? ($0.operation ?? 0) + 1 : 1 } ?? 1
    add(step, operation: operation, canBeKilled: !isOfService)
  }

  private func add(_ step: Int, operation: Int?, canBeKilled: Bool) {
    let device = phone.withDevice { device in
      device.noteShares()
      return device
    }
    drafts.append(
      Draft(
        step: step, operation: operation, decisionCount: choices?.decisions.count ?? 0,
        device: device, killed: canBeKilled ? device : nil, judgements: player.judgements,
        knowledge: player.knowledge, standing: phone.standing))
  }

  private func noteRest() {
    let device = phone.withDevice { $0 }
    for index in waiting { drafts[index].killed = device }
    waiting = []
  }

  private var operations: [Int: [OperationKind]] {
    let log = phone.withDevice { Array($0.log) }.filter { $0.kind != .point }
    return starts.reduce(into: [:]) { operations, start in
      let numbers = start.value..<(ends[start.key] ?? start.value)
      operations[start.key] = log.filter { numbers.contains($0.number.number - 1) }.map(\.kind)
    }
  }

  private var moments: [CrashMoment] {
    let log = phone.withDevice { Array($0.log) }
    let records = log.reduce(into: [Int: OperationRecord]()) { $0[$1.number.number] = $1 }
    let points = log.filter { $0.kind == .point }
    let halves = Half.allCases.reduce(into: [String: Half]()) { halves, half in
      for domain in phone.domains(of: half) { halves[domain] = half }
    }
    var counts = starts
    var last: [Int: LogicalPoint] = [:]
    return drafts.map { draft in
      let count = draft.device.operationCount
      let passed = (counts[draft.step] ?? 0)..<count
      counts[draft.step] = count
      let own = points.filter { passed.contains($0.number.number - 1) }
        .compactMap(\.target).compactMap(LogicalPoint.init).filter { $0 != .itemCommitted }
      last[draft.step] = own.last ?? last[draft.step]
      let record = draft.operation == nil ? nil : records[count]
      return CrashMoment(
        step: draft.step, operation: draft.operation, kind: record?.kind,
        half: record.flatMap { halves[$0.domain] }, points: own, point: last[draft.step],
        decisionCount: draft.decisionCount, device: draft.device, killed: draft.killed,
        judgements: draft.judgements, knowledge: draft.knowledge, standing: draft.standing)
    }
  }
}
