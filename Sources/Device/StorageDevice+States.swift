extension StorageDevice {
  // MARK: - Whole states

  /// The names of the domains in which something that is live may not survive a power cut.
  package var volatileDomains: Set<String> { Set(pending.domains.map { domains[$0].name }) }

  /// Bytes that can still be stored.
  package var freeBytes: Int { freePageCount * Inode.pageBytes }

  /// Bytes that can still be stored after any power cut now.
  package var freeBytesMin: Int {
    capacityBytes - (max(live.pageCount, durable.pageCount) + pending.count) * Inode.pageBytes
  }

  /// Bytes in pages that hold content.
  package var usedBytes: Int { live.pageCount * Inode.pageBytes }

  /// The digest of the live view, kept until it changes.
  ///
  /// - Complexity: O(*n*) for all names and the bytes that have changed since the last time.
  package mutating func liveDigest() -> ImageDigest {
    if let knownDigest { return knownDigest }
    live.noteShares()
    let digest = live.digest()
    knownDigest = digest
    return digest
  }

  /// The digests of what lies below folders in the live view.
  ///
  /// - Complexity: As ``liveDigest()``, for those folders.
  package mutating func liveDigests(below folders: [String]) -> [ImageDigest] {
    let known = knownDigest
    live.noteShares()
    knownDigest = known
    return folders.map { live.digest(below: $0) }
  }

  /// Looks once at all bytes, so that no digest of this device, and of what comes of it, has to look
  /// at those that stay.
  package mutating func noteShares() {
    let digest = knownDigest
    live.noteShares()
    durable.noteShares()
    knownDigest = digest
  }

  /// The device after a power loss now: live and durable views are equal, nothing is pending,
  /// every inode but the root has a new number, and the log and faults go on.
  package func crashState(_ survivors: Survivors) -> StorageDevice {
    var next = self
    let changes = pending.ordered
    let choice = CrashChoice(survivors, domains: domains)
    next.durable.apply(changes, choice.fates(of: changes))
    next.durable.noteShares()
    next.start(from: next.durable)
    return next
  }

  /// Replaces what is stored by another volume, with new inode numbers; everything is durable.
  package mutating func start(from volume: Volume) {
    live = volume.renumbered(from: &nextInode)
    durable = live
    pending = PendingChanges()
    places = PlaceMemory()
    handleCounts = [:]
    parkedRequests = [:]
    interlude = .restarted
  }

  /// Changes what is stored from outside any process, as the operating system does; live and
  /// durable views are equal afterwards, so all that was pending before is durable too.
  package mutating func change(_ body: (inout Tree) -> Void) -> Stale {
    settle()
    var tree = Tree(volume: live, nextInode: nextInode, openInodes: Set(handleCounts.keys))
    body(&tree)
    live = tree.volume
    nextInode = tree.nextInode
    durable = live
    places = PlaceMemory()
    return tree.stale
  }

  /// Makes everything that is live durable, as a clean shutdown does.
  package mutating func settle() {
    if !pending.isEmpty, interlude == nil { interlude = .writtenBack }
    _ = pending.take { _ in true }
    durable = live
  }
}

// MARK: - Handles

extension StorageDevice {
  /// Keeps an inode until ``closeHandle(_:)``, though no name may lead to it: for an open file, or for
  /// a front end's kernel that knows the inode.
  package mutating func openHandle(_ id: InodeID) {
    handleCounts[id, default: 0] += 1
  }

  package mutating func closeHandle(_ id: InodeID) {
    guard let count = handleCounts[id] else { return }
    handleCounts[id] = count > 1 ? count - 1 : nil
    dropIfUnreachable(id)
  }

  /// Forgets an inode that no name and no handle leads to, in each view on its own.
  mutating func dropIfUnreachable(_ id: InodeID) {
    guard id != .root, handleCounts[id] == nil else { return }
    if live[id]?.nameCount == 0 {
      live.remove(id)
      places.forget(id)
    }
    guard live[id] == nil, durable[id]?.nameCount == 0, pending.additionCount(of: id) == 0 else {
      return
    }
    // What only this directory led to, by a durable or a pending entry, goes with it.
    let children = durable.remove(id) + pending.take(of: id).compactMap { $0.change.entry?.target }
    for child in children { dropIfUnreachable(child) }
  }
}
