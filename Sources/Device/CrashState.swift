/// What becomes of one pending change in a power cut.
enum Fate: Hashable, Sendable {
  case lost
  case kept
  /// Only these sectors of the change, counted from the one with its first byte, reach the medium.
  case torn(keptSectors: Set<Int>)
  /// A length grows only this far, because the write behind it is torn.
  case cut(to: Int)
}

/// Chooses the fates of pending changes: what was asked for, bent to what the profiles allow.
///
/// The contract, per domain:
/// - an issued change may be kept or lost like any other, and stands outside the order of names;
/// - `namesInOrder`: once a name, length or attribute is lost, all later ones are lost too, and all
///   of one operation share one fate;
/// - `dataBeforeSize`: a kept growth of a file keeps the data written to it before, and where a
///   shrinking is lost, so is the data written later to the blocks that it freed;
/// - `keepsItemsWhole`: all changes of an item share one fate, and a lost item loses the later ones;
/// - data may be torn at sectors, unless items are kept whole.
///
/// Between domains no order holds, and each draws by itself.
struct CrashChoice {
  let domains: [DurabilityDomain]
  private let survivors: Survivors

  init(_ survivors: Survivors, domains: [DurabilityDomain]) {
    self.domains = domains
    self.survivors = survivors
  }

  /// The fate of each pending change; `pending` is in order.
  func fates(of pending: [PendingChange]) -> [Fate] {
    var fates = [Fate](repeating: .lost, count: pending.count)
    for (index, domain) in domains.enumerated() {
      let members = pending.indices.filter { pending[$0].domain == index }
      guard !members.isEmpty else { continue }
      choose(members, pending, index, &fates)
      tear(members, pending, survivors, &fates)
      if domain.profile.keepsItemsWhole { keepItemsWhole(members, pending, &fates) }
      if domain.profile.namesInOrder { keepNamesInOrder(members, pending, &fates) }
      guard domain.profile.dataBeforeSize else { continue }
      loseDataOfFreedBlocks(members, pending, &fates)
      keepDataOfGrownFiles(members, pending, &fates)
    }
    return fates
  }

  private func choose(
    _ members: [Int], _ pending: [PendingChange], _ domain: Int, _ fates: inout [Fate]
  ) {
    switch survivors.choice(for: domains[domain].name) {
    case .none, .perDomain, .torn, .partial: break
    case .issued: for index in members where pending[index].isIssued { fates[index] = .kept }
    case .all: for index in members { fates[index] = .kept }
    case .kept(let chosen):
      for index in members where chosen.contains(index) { fates[index] = .kept }
    case .seeded(let seed):
      var draws = Draws(seed: seed &+ UInt64(domain) &* 0xD1B5_4A32_D192_ED03)
      chooseAtRandom(members, pending, domains[domain].profile, &draws, &fates)
    }
  }

  /// Each change by itself, with a share of lost ones that differs from seed to seed; names, where
  /// they have an order, up to a random point of it, so that every prefix is as likely as another.
  private func chooseAtRandom(
    _ members: [Int], _ pending: [PendingChange], _ profile: PersistenceProfile,
    _ draws: inout Draws, _ fates: inout [Fate]
  ) {
    let lostQuarters = draws.below(5)
    for index in members {
      fates[index] = draws.below(4) < lostQuarters ? .lost : .kept
      if pending[index].change.isPageData, draws.below(4) == 0 {
        fates[index] = .torn(keptSectors: Set((0..<8).filter { _ in draws.below(2) == 1 }))
      }
    }
    guard profile.namesInOrder else { return }
    let ordered = members.filter {
      !pending[$0].isIssued && (!pending[$0].change.isData || profile.keepsItemsWhole)
    }
    let cut = draws.below(ordered.count + 1)
    for (position, index) in ordered.enumerated() {
      fates[index] = position < cut ? .kept : .lost
    }
  }

  /// Cuts the writes that ``Survivors/torn(_:sectorCount:rest:)`` and
  /// ``Survivors/partial(_:rest:)`` name.
  private func tear(
    _ members: [Int], _ pending: [PendingChange], _ survivors: Survivors, _ fates: inout [Fate]
  ) {
    switch survivors {
    case .none, .issued, .all, .kept, .seeded, .perDomain: return
    case .torn(let operation, let sectorCount, let rest):
      tear(members, pending, rest, &fates)
      Self.tear(members.filter { pending[$0].operation == operation }, pending, &fates) { count in
        0..<min(count, max(0, sectorCount))
      }
    case .partial(let write, let rest):
      tear(members, pending, rest, &fates)
      guard pending.indices.contains(write.change) else { return }
      let operation = pending[write.change].operation
      Self.tear(
        members.filter { pending[$0].operation == operation }, pending, &fates, write.sectors)
    }
  }

  /// Lets only some sectors of one write arrive.
  ///
  /// - Parameters:
  ///   - members: The changes of the write.
  ///   - pending: All pending changes.
  ///   - fates: What becomes of them; those of `members` are replaced.
  ///   - sectors: Which sectors arrive, of a number of them, counted over the whole write.
  static func tear(
    _ members: [Int], _ pending: [PendingChange], _ fates: inout [Fate],
    _ sectors: (Int) -> Range<Int>
  ) {
    let arriving = sectors(sectorCount(of: members.map { pending[$0].change }))
    var passed = 0
    var end: Int?
    for index in members {
      switch pending[index].change {
      case .data(_, let page, let offset, let bytes):
        let start = page * Inode.pageBytes + offset
        let count = Inode.sectorCount(of: bytes.count, from: offset)
        let hit = arriving.clamped(to: passed..<passed + count)
        fates[index] =
          hit.count == count
          ? .kept : .torn(keptSectors: Set(hit.lowerBound - passed..<hit.upperBound - passed))
        if !hit.isEmpty {
          let reached = (start / Inode.sectorBytes + hit.upperBound - passed) * Inode.sectorBytes
          end = min(start + bytes.count, reached)
        }
        passed += count
      case .size(_, let from, let to) where to > from:
        let reached = min(to, end ?? from)
        fates[index] = reached == to ? .kept : reached > from ? .cut(to: reached) : .lost
      default: fates[index] = .kept
      }
    }
  }

  /// How many sectors the data among some changes touches.
  static func sectorCount(of changes: [Change]) -> Int {
    changes.reduce(0) { sum, change in
      guard case .data(_, _, let offset, let bytes) = change else { return sum }
      return sum + Inode.sectorCount(of: bytes.count, from: offset)
    }
  }

  private func keepItemsWhole(
    _ members: [Int], _ pending: [PendingChange], _ fates: inout [Fate]
  ) {
    guard let firstLost = members.first(where: { fates[$0] != .kept }).map({ pending[$0].item })
    else { return }
    for index in members { fates[index] = pending[index].item < firstLost ? .kept : .lost }
  }

  private func keepNamesInOrder(
    _ members: [Int], _ pending: [PendingChange], _ fates: inout [Fate]
  ) {
    let ordered = members.filter { !pending[$0].change.isData && !pending[$0].isIssued }
    guard let firstBroken = ordered.first(where: { fates[$0] != .kept }) else { return }
    let operation = pending[firstBroken].operation
    let isCut = fates[firstBroken] != .lost
    for index in ordered {
      let change = pending[index]
      let isOfBroken = change.operation == operation
      guard isOfBroken || change.sequence > pending[firstBroken].sequence else { continue }
      if !(isOfBroken && isCut) { fates[index] = .lost }
    }
  }

  /// What is written where a file was cut off goes to new blocks, which only a length after the lost
  /// one leads to; the old blocks stay as they were.
  private func loseDataOfFreedBlocks(
    _ members: [Int], _ pending: [PendingChange], _ fates: inout [Fate]
  ) {
    for index in members where fates[index] != .kept {
      guard case .size(let file, let from, let to) = pending[index].change, to < from else {
        continue
      }
      let firstFreed = (to + Inode.pageBytes - 1) / Inode.pageBytes
      for later in members where pending[later].sequence > pending[index].sequence {
        guard case .data(file, let page, _, _) = pending[later].change, page >= firstFreed else {
          continue
        }
        fates[later] = .lost
      }
    }
  }

  private func keepDataOfGrownFiles(
    _ members: [Int], _ pending: [PendingChange], _ fates: inout [Fate]
  ) {
    var lengths: [InodeID: Int] = [:]
    for index in members {
      guard case .size(let file, let from, let to) = pending[index].change else { continue }
      let former = lengths[file] ?? from
      var length = former
      switch fates[index] {
      case .kept: length = to
      case .cut(let reached): length = reached
      case .lost, .torn: break
      }
      lengths[file] = length
      guard length > former else { continue }
      for earlier in members {
        guard pending[earlier].sequence < pending[index].sequence else { break }
        guard case .data(file, let page, let offset, let bytes) = pending[earlier].change else {
          continue
        }
        let start = page * Inode.pageBytes + offset
        guard start < length, start + bytes.count > former else { continue }
        // The sectors that a torn write did keep are those that its own length needs.
        if fates[index] != .kept, pending[earlier].operation == pending[index].operation {
          continue
        }
        fates[earlier] = .kept
      }
    }
  }
}

extension Survivors {
  /// What is asked for the changes of one domain, but for those of a torn write.
  func choice(for domain: String) -> Survivors {
    switch self {
    case .none, .issued, .all, .kept, .seeded: self
    case .perDomain(let choices, let rest): (choices[domain] ?? rest).choice(for: domain)
    case .torn(_, _, let rest), .partial(_, let rest): rest.choice(for: domain)
    }
  }
}

extension PartialWrite {
  /// Which of so many sectors arrive.
  func sectors(of count: Int) -> Range<Int> {
    let arriving = min(count, max(0, sectorCount))
    return end == .first ? 0..<arriving : count - arriving..<count
  }
}

extension Inode {
  /// How many sectors of the device a run of bytes touches.
  static func sectorCount(of count: Int, from offset: Int) -> Int {
    guard count > 0 else { return 0 }
    return (offset + count - 1) / sectorBytes - offset / sectorBytes + 1
  }
}
