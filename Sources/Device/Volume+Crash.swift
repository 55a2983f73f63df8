extension Volume {
  /// Applies the changes that survived, then forgets what no name leads to.
  mutating func apply(_ pending: [PendingChange], _ fates: [Fate]) {
    var touched: Set<InodeID> = []
    for (change, fate) in zip(pending, fates) where fate != .lost {
      if change.change.isData || change.change.isSize { touched.insert(change.change.owner) }
      switch (fate, change.change) {
      case (.torn(let sectors), _): applyTorn(change, sectors)
      case (.cut(let length), .size(let id, let from, _)):
        apply(.size(id, from: from, to: length), at: change.timeNs)
      default: apply(change.change, at: change.timeNs)
      }
    }
    // Bytes that survived past a length that did not are not part of the file.
    for id in touched { update(id) { $0.dropContent(from: $0.sizeBytes) } }
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

  /// The same tree with new inode numbers for everything but the root; what no name leads to is
  /// left behind.
  ///
  /// Two names of one directory, which a rename that survived by half leaves, are not a tree: the
  /// first in the order of names stays, as a file system check would decide.
  func renumbered(from next: inout UInt64) -> Volume {
    var numbers: [InodeID: InodeID] = [.root: .root]
    var queue = [InodeID.root]
    var result = self
    result.removeAll()
    while let id = queue.popLast() {
      guard var inode = inodes[id], let number = numbers[id] else { continue }
      inode.loseAllNames(isRoot: id == .root)
      let entries = inode.entries.sorted { $0.key < $1.key }
      inode.entries = [:]
      for (name, child) in entries {
        guard let kind = inodes[child]?.kind else { continue }
        if let known = numbers[child] {
          if kind != .directory { inode.entries[name] = known }
          continue
        }
        inode.entries[name] = InodeID(next)
        if kind == .directory { inode.directoryCount += 1 }
        numbers[child] = InodeID(next)
        next += 1
        queue.append(child)
      }
      result.insert(inode, as: number)
    }
    result.countNames()
    return result
  }

  /// Gives every inode the names that lead to it, in the order of directories and names.
  mutating func countNames() {
    for id in inodes.keys.sorted() {
      for (name, child) in (inodes[id]?.entries ?? [:]).sorted(by: { $0.key < $1.key }) {
        update(child) { $0.gainName(Inode.Place(directory: id, name: name)) }
      }
    }
  }
}
