/// The changes that are live and not yet durable, by the inode whose sync covers them.
struct PendingChanges: Sendable {
  private var buckets: [InodeID: [PendingChange]] = [:]
  /// How many pending entries lead to an inode; it must not be dropped while one does.
  private var entryCounts: [InodeID: Int] = [:]
  private(set) var count = 0

  /// All pending changes in the order in which they became live.
  ///
  /// - Complexity: O(*n* log *n*).
  var ordered: [PendingChange] {
    buckets.values.joined().sorted { $0.sequence < $1.sequence }
  }

  mutating func append(_ change: PendingChange) {
    buckets[change.change.owner, default: []].append(change)
    if case .addEntry(_, _, let target) = change.change { entryCounts[target, default: 0] += 1 }
    count += 1
  }

  func hasEntry(to id: InodeID) -> Bool { entryCounts[id] != nil }

  /// Takes out the changes of one inode that `isCovered`, in order.
  mutating func take(
    of id: InodeID, where isCovered: (PendingChange) -> Bool = { _ in true }
  ) -> [PendingChange] {
    guard let bucket = buckets[id] else { return [] }
    let taken = bucket.filter(isCovered)
    let kept = bucket.count == taken.count ? [] : bucket.filter { !isCovered($0) }
    buckets[id] = kept.isEmpty ? nil : kept
    forget(taken)
    return taken
  }

  /// Takes out every change that `isCovered`, in order.
  mutating func take(where isCovered: (PendingChange) -> Bool) -> [PendingChange] {
    let taken = buckets.keys.flatMap { take(of: $0, where: isCovered) }
    return taken.sorted { $0.sequence < $1.sequence }
  }

  /// Marks the changes of one inode as handed to the drive.
  mutating func issue(_ id: InodeID) {
    guard let bucket = buckets[id] else { return }
    buckets[id] = bucket.map { change in
      var issued = change
      issued.isIssued = true
      return issued
    }
  }

  func first(where matches: (PendingChange) -> Bool, of id: InodeID) -> PendingChange? {
    buckets[id]?.first(where: matches)
  }

  private mutating func forget(_ taken: [PendingChange]) {
    count -= taken.count
    for case .addEntry(_, _, let target) in taken.lazy.map(\.change) {
      guard let left = entryCounts[target] else { continue }
      entryCounts[target] = left > 1 ? left - 1 : nil
    }
  }
}
