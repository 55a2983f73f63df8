extension StorageDevice {
  /// What is wrong with the state of the device, one line each; empty when all is well.
  ///
  /// The invariants: names and counts agree in both views, the live tree has one root, only open
  /// inodes lack a name, the durable view keeps what is live or may still get a name, and the
  /// durable view with all pending changes applied is the live view.
  ///
  /// - Complexity: O(*n* log *n*) for all inodes, pages and pending changes. For tests and checks of
  ///   stored devices.
  package func checkInvariants() -> [String] {
    var problems = live.problems().map { "live: \($0)" }
    problems += durable.problems().map { "durable: \($0)" }
    guard problems.isEmpty else { return problems }
    problems += problemsOfReach() + problemsOfPending()
    guard problems.isEmpty else { return problems }
    return problemsOfReplay()
  }

  private func problemsOfReach() -> [String] {
    var problems: [String] = []
    let reached = live.reachable()
    for (id, inode) in live.inodes {
      if inode.nameCount > 0, !reached.contains(id) { problems.append("\(id.number) is cut off") }
      if inode.nameCount == 0, handleCounts[id] == nil {
        problems.append("\(id.number) has neither name nor handle")
      }
      if durable[id] == nil { problems.append("\(id.number) is live and not in the durable view") }
    }
    for (id, inode) in durable.inodes
    where live[id] == nil && inode.nameCount == 0 && pending.additionCount(of: id) == 0 {
      problems.append("\(id.number) is left in the durable view")
    }
    for id in handleCounts.keys where live[id] == nil {
      problems.append("\(id.number) is open and gone")
    }
    let highest = max(live.highestNumber, durable.highestNumber)
    if nextInode <= highest { problems.append("inode number \(nextInode) is not free") }
    return problems.sorted()
  }

  private func problemsOfPending() -> [String] {
    var problems: [String] = []
    if !pending.describesItself() { problems.append("the index of pending changes is wrong") }
    var copy = self
    for change in pending.ordered {
      let owner = change.change.owner
      if durable[owner] == nil { problems.append("a change of \(owner.number), which is gone") }
      if !domains.indices.contains(change.domain) || change.sequence > lastSequence {
        problems.append("change \(change.sequence) has no domain or comes from the future")
        continue
      }
      if let target = change.change.entry?.target, case .addEntry = change.change,
        durable[target] == nil
      {
        problems.append("a pending name of \(target.number), which is gone")
      }
      guard live[owner] != nil else { continue }
      let home = change.change.entry.map { copy.place(of: $0.name, in: owner).domain }
      if change.domain != home ?? copy.place(of: owner).domain {
        problems.append("change \(change.sequence) is in the wrong domain")
      }
    }
    return problems
  }

  private func problemsOfReplay() -> [String] {
    var replayed = durable
    for change in pending.ordered { replayed.apply(change.change, at: change.timeNs) }
    return live.inodes.keys.sorted().compactMap { id in
      guard let now = live[id], let then = replayed[id] else { return "\(id.number) is lost" }
      return now.shows(then) ? nil : "\(id.number) differs when all pending changes are applied"
    }
  }
}

extension Inode {
  /// Whether two inodes show the same, but for times and owners.
  fileprivate func shows(_ other: Inode) -> Bool {
    kind == other.kind && sizeBytes == other.sizeBytes && target == other.target
      && entries == other.entries && nameCount == other.nameCount && mode == other.mode
      && extendedAttributes == other.extendedAttributes
      && Set(pages.keys).union(other.pages.keys).allSatisfy {
        (pages[$0]?.bytes ?? Self.emptyPage) == (other.pages[$0]?.bytes ?? Self.emptyPage)
      }
  }
}

extension Volume {
  var highestNumber: UInt64 { inodes.keys.map(\.number).max() ?? 0 }

  /// All inodes that a name leads to.
  func reachable() -> Set<InodeID> {
    var found: Set<InodeID> = [.root]
    var queue = [InodeID.root]
    while let id = queue.popLast() {
      for child in (inodes[id]?.entries ?? [:]).values where found.insert(child).inserted {
        queue.append(child)
      }
    }
    return found
  }

  /// Where names, counts and pages disagree.
  func problems() -> [String] {
    var names: [InodeID: [Inode.Place]] = [:]
    var problems: [String] = []
    for (id, inode) in inodes {
      for (name, child) in inode.entries {
        names[child, default: []].append(Inode.Place(directory: id, name: name))
        if inodes[child] == nil { problems.append("\(name) in \(id.number) leads nowhere") }
      }
      let directories = inode.entries.values.count { inodes[$0]?.kind == .directory }
      if inode.directoryCount != directories { problems.append("\(id.number) counts directories") }
      if !inode.entries.isEmpty, inode.kind != .directory {
        problems.append("\(id.number) has entries and is no directory")
      }
      problems += inode.problemsOfPages().map { "\(id.number) \($0)" }
    }
    for (id, inode) in inodes { problems += inode.problems(of: id, named: names[id] ?? []) }
    if inodes[.root]?.kind != .directory { problems.append("no root") }
    if pageCount != inodes.values.reduce(0, { $0 + $1.pages.count }) {
      problems.append("the page count is wrong")
    }
    return problems.sorted()
  }
}

extension Inode {
  fileprivate func problemsOfPages() -> [String] {
    var problems: [String] = []
    for (index, page) in pages.mapValues(\.bytes) {
      if page.count != Self.pageBytes { problems.append("has a page of \(page.count) bytes") }
      if index < 0 || index >= pageBound { problems.append("has a page out of bounds") }
      let inside = max(0, min(page.count, sizeBytes - index * Self.pageBytes))
      if page[inside...].contains(where: { $0 != 0 }) { problems.append("has bytes past its end") }
    }
    if !pages.isEmpty, kind != .file { problems.append("has pages and is no file") }
    return problems
  }

  fileprivate func problems(of id: InodeID, named names: [Place]) -> [String] {
    var problems: [String] = []
    if nameCount != names.count + (id == .root ? 1 : 0) {
      problems.append("\(id.number) counts \(nameCount) names, not \(names.count)")
    }
    if kind == .directory, nameCount > 1 { problems.append("\(id.number) has two names") }
    guard id != .root, nameCount > 0 else { return problems }
    let known = otherNames + [Place(directory: parent ?? .root, name: name)]
    if parent == nil || known.count != names.count || !names.allSatisfy(known.contains) {
      problems.append("\(id.number) knows the wrong names")
    }
    return problems
  }
}
