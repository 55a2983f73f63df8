extension StorageDevice {
  /// Makes a file durable, as far as its domain's profile reaches. Models `fsync(2)`.
  ///
  /// `fdatasync(2)` is the same here: every change that it may leave out (times) is one that no
  /// modelled reader depends on after a power cut.
  mutating func sync(_ id: InodeID) {
    guard !pending.isEmpty else { return }
    let home = place(of: id).domain
    switch domains[home].profile.syncReach {
    case .nothing: break
    case .file where domains[home].profile.syncIssuesOnly: issue(id) { _ in true }
    case .file: persist(pending.take(of: id))
    case .fileAndName: persistWithName(id, home)
    case .journal: commitJournals(with: pending.take(of: id), of: id, home)
    }
  }

  /// Makes the names in a directory durable, each as the profile of its own domain says. Models
  /// `fsync(2)` of a directory.
  mutating func syncDirectory(_ id: InodeID) {
    guard !pending.isEmpty else { return }
    let profiles = domains.map(\.profile)
    issue(id) { profiles[$0.domain].syncIssuesOnly }
    let taken = pending.take(of: id) { profiles[$0.domain].syncPersists }
    commitJournals(with: taken, of: id, place(of: id).domain)
  }

  /// Hands changes to the drive, which may still lose them.
  private mutating func issue(_ id: InodeID, where isCovered: (PendingChange) -> Bool) {
    noteSettled(pending.issue(id, where: isCovered), isDurable: false)
  }

  /// Makes a file durable as the kernel's own write-back does after some time, whatever the profile
  /// says about a sync.
  mutating func writeBack(_ id: InodeID) {
    let home = place(of: id).domain
    guard domains[home].profile.namesInOrder else { return persist(pending.take(of: id)) }
    let journal = takeJournal(of: home)
    persist(inOrder(pending.take(of: id) + journal))
  }

  /// One journal commit: what was synced, and all names, lengths and attributes, with the data that
  /// the lengths need, of the inode's domain and of the domains of new directories above it.
  private mutating func commitJournals(
    with synced: [PendingChange], of id: InodeID, _ home: Int
  ) {
    // Nothing else is pending, as after most syncs of an app.
    if pending.isEmpty { return persist(synced) }
    var covered = [home]
    for change in synced where !covered.contains(change.domain) { covered.append(change.domain) }
    if domains[home].profile.commitsJournal, pending.hasAdditions {
      covered += domainsOfNewNames(above: id).subtracting(covered).sorted()
    }
    var taken = synced
    for domain in covered where domains[domain].profile.commitsJournal {
      taken += takeJournal(of: domain)
    }
    persist(taken.count == synced.count ? taken : inOrder(taken))
  }

  private mutating func takeJournal(of domain: Int) -> [PendingChange] {
    domains[domain].profile.keepsItemsWhole
      ? pending.take { $0.domain == domain } : pending.takeJournal(of: domain)
  }

  private func inOrder(_ changes: [PendingChange]) -> [PendingChange] {
    changes.sorted { $0.sequence < $1.sequence }
  }

  /// The domains of the pending names on the way from the root to an inode.
  private func domainsOfNewNames(above id: InodeID) -> Set<Int> {
    var found: Set<Int> = []
    var current = id
    while current != .root, let parent = live[current]?.parent {
      if pending.additionCount(of: current) > 0 {
        for change in pending.changes(of: parent) where change.change.entry?.target == current {
          found.insert(change.domain)
        }
      }
      current = parent
    }
    return found
  }

  /// A roll-forward: the file, and its new name in a directory that is durable itself.
  ///
  /// Nothing else can be rolled forward; F2FS then writes a checkpoint.
  private mutating func persistWithName(_ id: InodeID, _ home: Int) {
    var taken = pending.take(of: id)
    if pending.additionCount(of: id) > 0 || pending.hasRemoval(of: id) {
      guard canRollForward(id), let parent = live[id]?.parent, let name = live[id]?.name else {
        return commitJournals(with: taken, of: id, home)
      }
      taken += pending.take(of: parent) { $0.change.entry?.name == name }
    }
    persist(inOrder(taken))
  }

  /// Whether a file was created since the last checkpoint, in a directory that was there, under a
  /// name that no moved file had, and has had no other name. When much is pending in the directory,
  /// a checkpoint is cheaper than to search it.
  private func canRollForward(_ id: InodeID) -> Bool {
    guard let inode = live[id], let parent = inode.parent else { return false }
    guard pending.additionCount(of: id) == 1, !pending.hasRemoval(of: id),
      pending.additionCount(of: parent) == 0, durable[id]?.nameCount == 0
    else { return false }
    let siblings = pending.changes(of: parent)
    guard siblings.count <= 512 else { return false }
    return siblings.allSatisfy { change in
      guard case .removeEntry(_, inode.name, let former) = change.change else { return true }
      return pending.additionCount(of: former) == 0
    }
  }
}
