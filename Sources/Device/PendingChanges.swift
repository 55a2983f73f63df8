/// The changes that are live and not yet durable, by the inode whose sync covers them.
struct PendingChanges: Sendable {
  private struct Bucket: Sendable {
    /// In the order in which they became live.
    var changes: [PendingChange] = []
    /// How many of the first changes have been offered to ``PendingChanges/issue(_:where:)``.
    var offeredCount = 0
  }

  private var buckets: [InodeID: Bucket] = [:]
  /// By domain, the inodes that have pending names, lengths or attributes in it.
  private var journals: [Int: Set<InodeID>] = [:]
  /// How many pending entries lead to an inode; it must not be dropped while one does.
  private var additionCounts: [InodeID: Int] = [:]
  private var removalCounts: [InodeID: Int] = [:]
  private(set) var count = 0
  /// The bucket that was appended to last, and most often is the next one too. Kept while none comes or
  /// goes.
  private var lastUsed: (owner: InodeID, slot: Dictionary<InodeID, Bucket>.Index)?

  var isEmpty: Bool { count == 0 }

  /// All pending changes in the order in which they became live.
  ///
  /// - Complexity: O(*n* log *n*).
  var ordered: [PendingChange] {
    buckets.values.flatMap(\.changes).sorted { $0.sequence < $1.sequence }
  }

  func changes(of id: InodeID) -> [PendingChange] { buckets[id]?.changes ?? [] }

  /// How many pending entries lead to an inode.
  func additionCount(of id: InodeID) -> Int { additionCounts[id] ?? 0 }

  var hasAdditions: Bool { !additionCounts.isEmpty }

  /// Whether a name that led to an inode is pending to go.
  func hasRemoval(of id: InodeID) -> Bool { removalCounts[id] != nil }

  mutating func append(_ change: consuming PendingChange) {
    let owner = change.change.owner
    if !change.change.isData { journals[change.domain, default: []].insert(owner) }
    switch change.change {
    case .addEntry(_, _, let target): additionCounts[target, default: 0] += 1
    case .removeEntry(_, _, let target): removalCounts[target, default: 0] += 1
    default: break
    }
    count += 1
    guard let slot = slot(of: owner) else { return buckets[owner] = Bucket(changes: [change]) }
    buckets.values[slot].changes.append(change)
  }

  private mutating func slot(of owner: InodeID) -> Dictionary<InodeID, Bucket>.Index? {
    if let lastUsed, lastUsed.owner == owner { return lastUsed.slot }
    guard let slot = buckets.index(forKey: owner) else {
      lastUsed = nil
      return nil
    }
    lastUsed = (owner, slot)
    return slot
  }

  // MARK: - Taking out

  /// Takes out the changes of one inode, in order.
  ///
  /// - Complexity: O(*n*) for the changes taken.
  mutating func take(of id: InodeID) -> [PendingChange] {
    lastUsed = nil
    guard let bucket = buckets.removeValue(forKey: id) else { return [] }
    leaveJournals(id)
    forget(bucket.changes)
    return bucket.changes
  }

  /// Takes out the changes of one inode that `isCovered`, in order.
  ///
  /// - Complexity: O(*n*) for the pending changes of the inode.
  mutating func take(
    of id: InodeID, where isCovered: (PendingChange) -> Bool
  ) -> [PendingChange] {
    guard let bucket = buckets[id] else { return [] }
    var taken: [PendingChange] = []
    var rest = Bucket()
    for (index, change) in bucket.changes.enumerated() {
      if isCovered(change) {
        taken.append(change)
      } else {
        rest.changes.append(change)
        if index < bucket.offeredCount { rest.offeredCount += 1 }
      }
    }
    if rest.changes.isEmpty { return take(of: id) }
    lastUsed = nil
    buckets[id] = rest
    forget(taken)
    return taken
  }

  /// Takes out what one journal commit of a domain covers, sorted by inode: its names, lengths and
  /// attributes, and the data of a file up to its last change of length.
  ///
  /// Data before a change of length goes with it, for a grown length needs it, and a shrunk one
  /// would be overtaken by it.
  ///
  /// - Complexity: O(*n*) for the pending changes of the inodes that the commit covers.
  mutating func takeJournal(of domain: Int) -> [PendingChange] {
    guard let owners = journals.removeValue(forKey: domain), !owners.isEmpty else { return [] }
    return owners.sorted().flatMap { owner in
      let lastSize = buckets[owner]?.changes.last { $0.change.isSize }?.sequence ?? 0
      return take(of: owner) { change in
        change.domain == domain && (!change.change.isData || change.sequence < lastSize)
      }
    }
  }

  /// Takes out every change that `isCovered`, in order.
  ///
  /// - Complexity: O(*n* log *n*) for all pending changes.
  mutating func take(where isCovered: (PendingChange) -> Bool) -> [PendingChange] {
    let taken = buckets.keys.flatMap { take(of: $0, where: isCovered) }
    return taken.sorted { $0.sequence < $1.sequence }
  }

  private mutating func leaveJournals(_ id: InodeID) {
    guard !journals.isEmpty else { return }
    for domain in journals.keys {
      journals[domain]?.remove(id)
      if journals[domain]?.isEmpty == true { journals[domain] = nil }
    }
  }

  private mutating func forget(_ taken: [PendingChange]) {
    count -= taken.count
    if additionCounts.isEmpty && removalCounts.isEmpty { return }
    for change in taken {
      switch change.change {
      case .addEntry(_, _, let target): Self.decrease(&additionCounts, target)
      case .removeEntry(_, _, let target): Self.decrease(&removalCounts, target)
      default: break
      }
    }
  }

  private static func decrease(_ counts: inout [InodeID: Int], _ id: InodeID) {
    guard let left = counts[id] else { return }
    counts[id] = left > 1 ? left - 1 : nil
  }

  // MARK: - Changing

  /// Marks the changes of one inode that `isCovered` as handed to the drive, and gives them back.
  ///
  /// - Complexity: O(*n*) for the changes since the last call for this inode.
  mutating func issue(
    _ id: InodeID, where isCovered: (PendingChange) -> Bool
  ) -> [PendingChange] {
    guard let slot = buckets.index(forKey: id) else { return [] }
    var issued: [PendingChange] = []
    let count = buckets.values[slot].changes.count
    for index in buckets.values[slot].offeredCount..<count
    where isCovered(buckets.values[slot].changes[index]) {
      buckets.values[slot].changes[index].isIssued = true
      issued.append(buckets.values[slot].changes[index])
    }
    buckets.values[slot].offeredCount = count
    return issued
  }

  /// The domains that have a pending change.
  ///
  /// - Complexity: O(*n*) for *n* changes.
  var domains: Set<Int> { Set(buckets.values.flatMap(\.changes).map(\.domain)) }

  /// Moves the changes of one inode to other domains, because its path has changed.
  mutating func rehome(_ id: InodeID, to domain: (PendingChange) -> Int) {
    guard let slot = buckets.index(forKey: id) else { return }
    for index in buckets.values[slot].changes.indices {
      let change = buckets.values[slot].changes[index]
      let home = domain(change)
      guard home != change.domain else { continue }
      buckets.values[slot].changes[index].domain = home
      if !change.change.isData { journals[home, default: []].insert(id) }
    }
  }

  /// Whether the counts are those of the changes; for tests.
  func describesItself() -> Bool {
    var copy = PendingChanges()
    for change in ordered { copy.append(change) }
    let covers = copy.journals.allSatisfy { domain, owners in
      owners.isSubset(of: journals[domain] ?? [])
    }
    return covers && copy.count == count && copy.additionCounts == additionCounts
      && copy.removalCounts == removalCounts
      && buckets.values.allSatisfy { bucket in
        !bucket.changes.isEmpty && bucket.offeredCount <= bucket.changes.count
          && zip(bucket.changes, bucket.changes.dropFirst()).allSatisfy {
            $0.sequence < $1.sequence
          }
      }
  }
}
