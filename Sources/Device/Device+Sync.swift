extension Device {
  /// Makes a file durable, as far as its domain's profile reaches. Models `fsync(2)`.
  ///
  /// `fdatasync(2)` is the same here: every change that it may leave out (times) is one that no
  /// modelled reader depends on after a power cut.
  mutating func sync(_ id: InodeID) {
    let domain = domain(of: live.path(of: id))
    let profile = domains[domain].profile
    switch profile.syncReach {
    case .nothing: break
    case .file where profile.syncIssuesOnly: pending.issue(id)
    case .file: persist(pending.take(of: id))
    case .fileAndName: persistWithName(id, domain)
    case .journal: persistJournal(id, domain)
    }
  }

  /// Makes the names in a directory durable. Models `fsync(2)` of a directory.
  mutating func syncDirectory(_ id: InodeID) {
    let domain = domain(of: live.path(of: id))
    let profile = domains[domain].profile
    switch profile.syncReach {
    case .nothing: break
    case .file where profile.syncIssuesOnly: pending.issue(id)
    case .file: persist(pending.take(of: id))
    case .fileAndName, .journal: persistJournal(id, domain)
    }
  }

  /// One journal commit: all names, lengths and attributes of the domain, the data that the lengths
  /// need, and the content of the one inode that was synced.
  private mutating func persistJournal(_ id: InodeID, _ domain: Int) {
    let keepsWhole = domains[domain].profile.keepsItemsWhole
    let grown = Set(
      pending.ordered.compactMap { change -> InodeID? in
        guard change.domain == domain, case .size(let file, let from, let to) = change.change,
          to > from
        else { return nil }
        return file
      })
    persist(
      pending.take { change in
        let owner = change.change.owner
        if owner == id { return true }
        guard change.domain == domain else { return false }
        return !change.change.isData || keepsWhole || grown.contains(owner)
      })
  }

  /// A roll-forward: the file, and the new names that lead to it from a durable directory.
  ///
  /// A name that came by rename or link cannot be rolled forward; F2FS then writes a checkpoint.
  private mutating func persistWithName(_ id: InodeID, _ domain: Int) {
    var covered = pending.take(of: id)
    var current = id
    while let parent = live[current]?.parent, current != .root {
      let name = live[current]?.name
      let isOurs: (PendingChange) -> Bool = { change in
        if case .addEntry(_, name, current) = change.change { true } else { false }
      }
      guard let added = pending.first(where: isOurs, of: parent) else { break }
      let isMoved = pending.ordered.contains { change in
        if case .removeEntry(_, _, current) = change.change {
          change.operation == added.operation
        } else {
          false
        }
      }
      if isMoved {
        persist(covered)
        persistJournal(id, domain)
        return
      }
      covered += pending.take(of: parent) { change in
        switch change.change {
        case .addEntry(_, name, _), .removeEntry(_, name, _): change.sequence <= added.sequence
        default: false
        }
      }
      current = parent
    }
    persist(covered.sorted { $0.sequence < $1.sequence })
  }
}
