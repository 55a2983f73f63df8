/// The faults of a device: which wait, which fired, which never did.
package struct FaultBoard: Sendable {
  package struct Entry: Equatable, Sendable {
    package let id: FaultID
    package let fault: ArmedFault
    package internal(set) var status: ArmedFault.Status
    /// How many matching operations have passed since arming.
    var matchCount = 0
    /// Disarmed, or fired as often as it may.
    var isSpent = false
    package internal(set) var firedCount = 0
  }

  package private(set) var entries: [Entry] = []
  private var armedCount = 0

  /// What the board sees of an operation.
  struct Sighting {
    let kind: OperationKind
    let isNumbered: Bool
    let number: OperationNumber
    /// The path, and for a rename or link the second one.
    let paths: [String]
    let point: String?
    /// Whether the caller is known; nobody else can be ended.
    let isKnownProcess: Bool
  }

  package var isQuiet: Bool { armedCount == 0 }

  mutating func arm(_ fault: ArmedFault) -> FaultID {
    let id = FaultID(entries.count + 1)
    entries.append(Entry(id: id, fault: fault, status: .armed))
    armedCount += 1
    return id
  }

  mutating func disarm(_ id: FaultID) {
    guard let index = entries.firstIndex(where: { $0.id == id && $0.isArmed }) else { return }
    spend(index)
    if entries[index].status == .armed { entries[index].status = .expired }
  }

  /// The faults that hit this operation: at most one, and any number of alterations.
  ///
  /// Every armed fault that matches counts the operation, in the order of arming. One that finds
  /// the operation taken by another waits for the next match, unless it names operations by number.
  ///
  /// - Parameters:
  ///   - sighting: The operation.
  ///   - alter: Carries out an alteration; whether there was something to alter.
  /// - Returns: The faults that fire, in the order of arming.
  mutating func consult(_ sighting: Sighting, alter: (Alteration) -> Bool) -> [Entry] {
    var hits: [Entry] = []
    var isTaken = false
    for index in entries.indices where entries[index].isArmed {
      let fault = entries[index].fault
      guard fault.counts(sighting) else { continue }
      entries[index].matchCount += 1
      guard fault.isDue(entries[index].matchCount), fault.effect.applies(to: sighting.kind) else {
        continue
      }
      if let alteration = fault.effect.alteration {
        guard alter(alteration) else { continue }
      } else {
        guard !isTaken else { continue }
        isTaken = true
      }
      entries[index].firedCount += 1
      entries[index].status = .fired(sighting.number)
      if entries[index].firedCount == fault.times { spend(index) }
      hits.append(entries[index])
    }
    return hits
  }

  private mutating func spend(_ index: Int) {
    entries[index].isSpent = true
    armedCount -= 1
  }
}

extension FaultBoard.Entry {
  /// Whether it can fire again.
  package var isArmed: Bool { !isSpent }
}

extension ArmedFault.Effect {
  /// Whether it ends the process that calls, and nobody else.
  var endsCaller: Bool { self == .killBefore || self == .killAfter }
}

extension ArmedFault {
  /// Whether an operation counts towards this fault's moment. One that its effect cannot hit counts
  /// only when operations are named by number.
  func counts(_ sighting: FaultBoard.Sighting) -> Bool {
    guard trigger.sees(sighting), sighting.isKnownProcess || !effect.endsCaller else {
      return false
    }
    if case .operation = trigger { return true }
    return effect.applies(to: sighting.kind)
  }

  /// Whether the fault may fire at its `count`-th match.
  func isDue(_ count: Int) -> Bool {
    switch trigger {
    case .point(_, let occurrence), .call(_, _, let occurrence): count >= occurrence
    case .operation(let first): (first..<first + times).contains(count)
    }
  }
}

extension ArmedFault.Trigger {

  func sees(_ sighting: FaultBoard.Sighting) -> Bool {
    switch self {
    case .point(let name, _): sighting.point == name
    case .operation: sighting.isNumbered && sighting.kind != .point
    case .call(let kind, let pattern, _):
      sighting.kind != .point && (kind.map { $0 == sighting.kind } ?? sighting.isNumbered)
        && sighting.paths.contains { pattern.matches($0) }
    }
  }
}

extension ArmedFault.Effect {
  var alteration: Alteration? {
    if case .alter(let alteration) = self { alteration } else { nil }
  }

  /// Whether this can happen to an operation of that kind. A fault that cannot never fires.
  package func applies(to kind: OperationKind) -> Bool {
    switch self {
    case .error, .delay, .hold, .killBefore, .killAfter, .powerCut, .alter, .event: true
    case .short: kind == .read || kind == .write
    case .torn: kind == .write
    case .lie:
      switch kind {
      case .write, .truncate, .sync, .syncDirectory, .rename, .unlink, .removeDirectory,
        .setAttributes, .setExtendedAttribute:
        true
      default: false
      }
    }
  }
}
