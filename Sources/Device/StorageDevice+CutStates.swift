/// States that a power cut may leave at one moment, each named once.
package struct CutStates: Sendable {
  package let survivors: [Survivors]
  /// Whether these are all that the profiles allow; else they were drawn.
  package let isExhaustive: Bool
}

extension StorageDevice {
  /// The states that a power cut now may leave: every one that the profiles allow, or a sample.
  ///
  /// Each domain is cut by itself. Of the last operation, when it was a write, also a part of its
  /// sectors may arrive, counted from its first; other writes arrive whole or not at all.
  ///
  /// - Parameters:
  ///   - countMax: How many choices are looked at; more than that are sampled.
  ///   - seed: The start of the sample.
  /// - Returns: States that differ in what became of at least one pending change.
  /// - Complexity: O(*countMax* · *n*²) for *n* pending changes.
  package func cutStates(countMax: Int, seed: UInt64) -> CutStates {
    let changes = pending.ordered
    let choices = CutChoices(changes, domains, lastOperation: OperationNumber(lastNumber))
    var known: Set<[Fate]> = []
    var survivors: [Survivors] = []
    func add(_ candidate: Survivors) {
      let fates = CrashChoice(candidate, domains: domains).fates(of: changes)
      if known.insert(fates).inserted { survivors.append(candidate) }
    }
    if let count = choices.count, count <= countMax {
      for index in 0..<count { add(choices.choice(index)) }
      return CutStates(survivors: survivors, isExhaustive: true)
    }
    add(.none)
    add(.kept(Set(changes.indices)))
    var draws = Draws(seed: seed)
    for _ in survivors.count..<max(countMax, survivors.count) { add(choices.drawn(&draws)) }
    return CutStates(survivors: survivors, isExhaustive: false)
  }
}

/// What can be chosen of pending changes: in each domain, how far those in order survive, and each
/// of the others by itself.
private struct CutChoices {
  /// Indices of changes that share a fate, in the order in which they are lost from the end.
  private var ordered: [[[Int]]] = []
  private var free: [Int] = []
  private let lastOperation: OperationNumber
  /// How many sectors the last operation wrote, where a cut can tear them; else 0.
  private var sectorCount = 0

  init(
    _ changes: [PendingChange], _ domains: [DurabilityDomain], lastOperation: OperationNumber
  ) {
    self.lastOperation = lastOperation
    for (index, domain) in domains.enumerated() {
      var groups: [(key: Int, members: [Int])] = []
      for member in changes.indices where changes[member].domain == index {
        let change = changes[member]
        guard let key = change.orderKey(in: domain.profile) else {
          free.append(member)
          continue
        }
        if groups.last?.key == key {
          groups[groups.count - 1].members.append(member)
        } else {
          groups.append((key, [member]))
        }
      }
      ordered.append(groups.map(\.members))
    }
    for change in changes where change.operation == lastOperation {
      guard case .data(_, _, let offset, let bytes) = change.change,
        !domains[change.domain].profile.keepsItemsWhole
      else { continue }
      sectorCount += Inode.sectorCount(of: bytes.count, from: offset)
    }
  }

  private var tearCount: Int { max(1, sectorCount) }

  /// How many choices there are; `nil` for more than anybody looks at.
  var count: Int? {
    guard free.count < 30 else { return nil }
    var count = tearCount << free.count
    for groups in ordered {
      let (product, isTooLarge) = count.multipliedReportingOverflow(by: groups.count + 1)
      if isTooLarge { return nil }
      count = product
    }
    return count
  }

  func choice(_ index: Int) -> Survivors {
    var rest = index
    return choice { bound in
      defer { rest /= bound }
      return rest % bound
    }
  }

  func drawn(_ draws: inout Draws) -> Survivors {
    var copy = draws
    defer { draws = copy }
    return choice { copy.below($0) }
  }

  private func choice(_ next: (Int) -> Int) -> Survivors {
    let tear = next(tearCount)
    var kept: Set<Int> = []
    for groups in ordered { kept.formUnion(groups.prefix(next(groups.count + 1)).joined()) }
    for member in free where next(2) == 1 { kept.insert(member) }
    guard tear > 0 else { return .kept(kept) }
    return .torn(lastOperation, sectorCount: tear, rest: .kept(kept))
  }
}
