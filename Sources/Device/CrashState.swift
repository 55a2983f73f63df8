/// What becomes of one pending change in a power cut.
enum Fate: Equatable, Sendable {
  case lost
  case kept
  /// Only these sectors of the change, counted from its first byte, reach the medium.
  case torn(keptSectors: Set<Int>)
}

/// Chooses the fates of pending changes: what was asked for, bent to what the profiles allow.
///
/// The contract, per domain:
/// - an issued change may be kept or lost like any other, and stands outside the order of names;
/// - `namesInOrder`: once a name, length or attribute is lost, all later ones are lost too;
/// - `dataBeforeSize`: a kept growth of a file keeps the data written to it before;
/// - `keepsItemsWhole`: all changes of an item share one fate, and a lost item loses the later ones;
/// - data may be torn at sectors, unless items are kept whole.
///
/// Between domains no order holds.
struct CrashChoice {
  let domains: [DurabilityDomain]
  private var draws: Draws
  private let survivors: Survivors

  init(_ survivors: Survivors, domains: [DurabilityDomain]) {
    self.domains = domains
    self.survivors = survivors
    draws = Draws(seed: survivors.seed)
  }

  /// The fate of each pending change; `pending` is in order.
  mutating func fates(of pending: [PendingChange]) -> [Fate] {
    var fates = pending.map { wanted($0, by: survivors) }
    for domain in domains.indices {
      let members = pending.indices.filter { pending[$0].domain == domain }
      guard !members.isEmpty else { continue }
      let profile = domains[domain].profile
      if case .seeded = survivors.choice(for: domains[domain].name) {
        cutAtRandom(members, pending, profile, &fates)
      }
      if profile.keepsItemsWhole { keepItemsWhole(members, pending, &fates) }
      if profile.namesInOrder { keepNamesInOrder(members, pending, &fates) }
      if profile.dataBeforeSize { keepDataOfGrownFiles(members, pending, &fates) }
    }
    return fates
  }

  private mutating func wanted(_ change: PendingChange, by survivors: Survivors) -> Fate {
    switch survivors {
    case .none: .lost
    case .issued: change.isIssued ? .kept : .lost
    case .all: .kept
    case .seeded: randomFate(change)
    case .perDomain: wanted(change, by: survivors.choice(for: domains[change.domain].name))
    case .torn(let operation, let sectorCount, let rest):
      change.operation == operation
        ? .torn(keptSectors: Set(0..<max(0, sectorCount))) : wanted(change, by: rest)
    }
  }

  private mutating func randomFate(_ change: PendingChange) -> Fate {
    switch draws.below(4) {
    case 0: .lost
    case 1 where change.change.isData:
      .torn(keptSectors: Set((0..<8).filter { _ in draws.below(2) == 1 }))
    default: .kept
    }
  }

  /// A random point of the order of names, so that every prefix is as likely as another.
  private mutating func cutAtRandom(
    _ members: [Int], _ pending: [PendingChange], _ profile: PersistenceProfile,
    _ fates: inout [Fate]
  ) {
    guard profile.namesInOrder else { return }
    let ordered = members.filter { !pending[$0].change.isData || profile.keepsItemsWhole }
    let cut = draws.below(ordered.count + 1)
    for (position, index) in ordered.enumerated() {
      fates[index] = position < cut ? .kept : .lost
    }
  }

  private func keepItemsWhole(
    _ members: [Int], _ pending: [PendingChange], _ fates: inout [Fate]
  ) {
    let firstLost = members.first { fates[$0] != .kept }.map { pending[$0].item }
    for index in members {
      fates[index] = firstLost.map { pending[index].item < $0 } ?? true ? .kept : .lost
    }
  }

  private func keepNamesInOrder(
    _ members: [Int], _ pending: [PendingChange], _ fates: inout [Fate]
  ) {
    var firstLost: OperationNumber?
    let ordered = members.filter { !pending[$0].change.isData && !pending[$0].isIssued }
    for index in ordered where fates[index] == .lost {
      firstLost = min(firstLost ?? pending[index].operation, pending[index].operation)
    }
    guard let firstLost else { return }
    for index in ordered where pending[index].operation >= firstLost { fates[index] = .lost }
  }

  private func keepDataOfGrownFiles(
    _ members: [Int], _ pending: [PendingChange], _ fates: inout [Fate]
  ) {
    for index in members where fates[index] == .kept {
      guard case .size(let file, let from, let to) = pending[index].change, to > from else {
        continue
      }
      for earlier in members where pending[earlier].sequence < pending[index].sequence {
        guard case .data(file, let page, let offset, let bytes) = pending[earlier].change,
          page * Inode.pageBytes + offset + bytes.count > from
        else { continue }
        fates[earlier] = .kept
      }
    }
  }
}

extension Survivors {
  func choice(for domain: String) -> Survivors {
    guard case .perDomain(let choices, let rest) = self else { return self }
    return choices[domain] ?? rest
  }

  fileprivate var seed: UInt64 {
    switch self {
    case .seeded(let seed): seed
    case .perDomain(let choices, let rest):
      choices.sorted { $0.key < $1.key }.reduce(rest.seed) { $0 &* 31 &+ $1.value.seed }
    case .torn(_, _, let rest): rest.seed
    case .none, .issued, .all: 0
    }
  }
}

extension Volume {
  /// Applies the changes that survived, then forgets what no name leads to.
  mutating func apply(_ pending: [PendingChange], _ fates: [Fate]) {
    for (change, fate) in zip(pending, fates) {
      switch fate {
      case .lost: continue
      case .kept: apply(change.change, at: change.timeNs)
      case .torn(let sectors): applyTorn(change, sectors)
      }
    }
    trimToSize()
  }

  private mutating func applyTorn(_ change: PendingChange, _ sectors: Set<Int>) {
    guard case .data(let id, let page, let offset, let bytes) = change.change else { return }
    // Sectors are those of the device, so the first one may hold fewer bytes of the change.
    var start = 0
    var sector = 0
    while start < bytes.count {
      let room = Inode.sectorBytes - (offset + start) % Inode.sectorBytes
      let end = min(bytes.count, start + room)
      if sectors.contains(sector) {
        apply(
          .data(id, page: page, offset: offset + start, Array(bytes[start..<end])),
          at: change.timeNs)
      }
      start = end
      sector += 1
    }
  }

  /// Bytes that survived past a length that did not are not part of the file.
  private mutating func trimToSize() {
    for id in inodes.keys {
      update(id) { inode in
        if inode.kind == .file { inode.dropContent(from: inode.sizeBytes) }
      }
    }
  }

  /// The same tree with new inode numbers for everything but the root; what no name leads to is
  /// left behind.
  func renumbered(from next: inout UInt64) -> Volume {
    var numbers: [InodeID: InodeID] = [.root: .root]
    var queue = [InodeID.root]
    var result = self
    result.removeAll()
    while let id = queue.popLast() {
      guard var inode = inodes[id], let number = numbers[id] else { continue }
      inode.nameCount = id == .root ? 1 : 0
      inode.parent = inode.parent.flatMap { numbers[$0] }
      for (name, child) in inode.entries.sorted(by: { $0.key < $1.key }) {
        if numbers[child] == nil, inodes[child] != nil {
          numbers[child] = InodeID(next)
          next += 1
          queue.append(child)
        }
        inode.entries[name] = numbers[child]
      }
      result.insert(inode, as: number)
    }
    result.countNames()
    return result
  }

  private mutating func countNames() {
    for id in inodes.keys.sorted() {
      for (name, child) in (inodes[id]?.entries ?? [:]).sorted(by: { $0.key < $1.key }) {
        update(child) { inode in
          inode.nameCount += 1
          inode.parent = id
          inode.name = name
        }
      }
    }
  }
}
