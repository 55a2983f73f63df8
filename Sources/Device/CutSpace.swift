/// What a power cut can choose of pending changes.
///
/// In each domain, how far those survive that an order binds; of each other change, whether it does,
/// but for those that an image does not show (owner, permissions, times), which are kept; and at most
/// one write that arrives in part. A write may be cut after any of ``cutsMax`` evenly spaced sectors,
/// and arrive up to there or from there on.
struct CutSpace: Sendable {
  struct Domain: Sendable {
    /// Indices of changes that share a fate, in the order in which they are lost from the end.
    fileprivate(set) var groups: [[Int]] = []
    /// Changes of which each is lost or kept by itself.
    fileprivate(set) var free: [Int] = []
    fileprivate(set) var tears: [Tear] = []
  }

  /// A write that arrives in part, and what becomes of its changes.
  struct Tear: Sendable {
    let write: PartialWrite
    let members: [Int]
    let asked: [CutImage.Asked]
  }

  /// At how many places of one write a cut is tried.
  static let cutsMax = 16

  private(set) var domains: [Domain]
  /// Changes that are kept whenever the rest allows it.
  private(set) var unseen: [Int] = []

  init(_ changes: [PendingChange], _ durability: [DurabilityDomain], tears: CutWalk.Tears) {
    domains = durability.map { _ in Domain() }
    var keys = [Int?](repeating: nil, count: durability.count)
    for (index, change) in changes.enumerated() {
      let home = change.domain
      if let key = change.orderKey(in: durability[home].profile) {
        if keys[home] == key {
          domains[home].groups[domains[home].groups.count - 1].append(index)
        } else {
          domains[home].groups.append([index])
          keys[home] = key
        }
      } else if case .attributes = change.change {
        unseen.append(index)
      } else {
        domains[home].free.append(index)
      }
    }
    guard tears == .oneInEachDomain else { return }
    addTears(changes, durability)
  }

  private mutating func addTears(_ changes: [PendingChange], _ durability: [DurabilityDomain]) {
    var fates = [Fate](repeating: .lost, count: changes.count)
    for home in domains.indices where !durability[home].profile.keepsItemsWhole {
      let members = changes.indices.filter { changes[$0].domain == home }
      let writes = Dictionary(grouping: members) { changes[$0].operation }
      for write in writes.sorted(by: { $0.key < $1.key }).map(\.value) {
        let count = CrashChoice.sectorCount(of: write.map { changes[$0].change })
        guard count > 1 else { continue }
        for cut in stride(from: 1, to: count, by: (count + Self.cutsMax - 2) / Self.cutsMax) {
          for end in PartialWrite.End.allCases {
            let part = PartialWrite(
              change: write[0], end, sectorCount: end == .first ? cut : count - cut)
            CrashChoice.tear(write, changes, &fates, part.sectors)
            domains[home].tears.append(
              Tear(write: part, members: write, asked: write.map { CutImage.Asked(fates[$0]) }))
          }
        }
      }
    }
  }

  /// How many choices there are; `nil` for more than an `Int` counts.
  var count: Int? {
    var count = 1
    for domain in domains {
      guard domain.free.count < 40 else { return nil }
      let free = Set(domain.free)
      var choices = 1 << free.count
      for tear in domain.tears { choices += 1 << free.subtracting(tear.members).count }
      for factor in [choices, domain.groups.count + 1] {
        let (product, isTooLarge) = count.multipliedReportingOverflow(by: factor)
        if isTooLarge { return nil }
        count = product
      }
    }
    return count
  }
}

extension PendingChange {
  /// What a change shares its fate with; `nil` for one that no order binds.
  func orderKey(in profile: PersistenceProfile) -> Int? {
    if profile.keepsItemsWhole { return item }
    guard profile.namesInOrder, !change.isData, !isIssued else { return nil }
    return operation.number
  }
}

extension CutImage.Asked {
  /// A tear keeps sectors in one run.
  fileprivate init(_ fate: Fate) {
    switch fate {
    case .lost: self = .lost
    case .kept: self = .kept
    case .torn(let sectors):
      self = sectors.min().map { .sectors($0..<$0 + sectors.count) } ?? .lost
    case .cut(let length): self = .cut(to: length)
    }
  }
}
