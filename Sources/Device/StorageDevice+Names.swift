extension StorageDevice {
  /// Makes a new inode under a free name.
  mutating func make(
    _ kind: Inode.Kind, in directory: InodeID, _ name: FileName, _ ownership: Ownership,
    target: [UInt8] = [], _ timeNs: Int64
  ) throws(DeviceError) -> InodeID {
    let parent = try existing(try self.directory(directory))
    try check(name)
    guard parent.entries[name] == nil else { throw .exists }
    // A directory that was removed while somebody still held it takes no new names.
    guard parent.nameCount > 0 else { throw .noEntry }
    if isSealed(name, in: directory) { throw .notPermitted }
    var owner = ownership
    if parent.mode & 0o2000 != 0 {
      owner.group = parent.group
      if kind == .directory { owner.mode |= 0o2000 }
    }
    let id = makeInode(kind, owner, target: target, at: timeNs)
    commit(.addEntry(in: directory, name, id), at: timeNs)
    return id
  }

  mutating func link(
    _ id: InodeID, in directory: InodeID, _ name: FileName, _ timeNs: Int64
  ) throws(DeviceError) -> Response {
    let inode = try existing(id)
    let parent = try existing(try self.directory(directory))
    try check(name)
    guard inode.kind != .directory else { throw .notPermitted }
    guard parent.entries[name] == nil else { throw .exists }
    guard parent.nameCount > 0, inode.nameCount > 0 else { throw .noEntry }
    commit(.addEntry(in: directory, name, id), at: timeNs)
    return attributes(id)
  }

  mutating func unlink(
    _ name: FileName, in directory: InodeID, _ timeNs: Int64
  ) throws(DeviceError) -> Response {
    try check(name)
    guard let id = live.child(name, of: try self.directory(directory)) else { throw .noEntry }
    guard live[id]?.kind != .directory else { throw .isDirectory }
    commit(.removeEntry(in: directory, name, id), at: timeNs)
    dropIfUnreachable(id)
    return .none
  }

  mutating func removeDirectory(
    _ name: FileName, in directory: InodeID, _ timeNs: Int64
  ) throws(DeviceError) -> Response {
    try check(name)
    guard let id = live.child(name, of: try self.directory(directory)), let inode = live[id] else {
      throw .noEntry
    }
    guard inode.kind == .directory else { throw .notDirectory }
    guard inode.entries.isEmpty else { throw .notEmpty }
    commit(.removeEntry(in: directory, name, id), at: timeNs)
    dropIfUnreachable(id)
    return .none
  }

  mutating func rename(
    _ name: FileName, in directory: InodeID, to newName: FileName, in target: InodeID,
    _ mode: RenameMode, _ timeNs: Int64
  ) throws(DeviceError) -> Response {
    try check(name)
    try check(newName)
    _ = try self.directory(target)
    guard let id = live.child(name, of: try self.directory(directory)), let inode = live[id] else {
      throw .noEntry
    }
    guard live[target]?.nameCount != 0 else { throw .noEntry }
    let old = live.child(newName, of: target)
    if mode == .exchange {
      return try exchange(id, name, in: directory, with: old, newName, in: target, timeNs)
    }
    if mode == .noReplace, old != nil { throw .exists }
    if inode.kind == .directory, isAtOrAbove(id, target) { throw .invalid }
    if let old, let replaced = live[old] {
      guard old != id else { return .none }
      try checkReplacing(replaced, by: inode)
    }
    if isSealed(newName, in: target) { throw .notPermitted }
    commit(.removeEntry(in: directory, name, id), at: timeNs)
    commit(.addEntry(in: target, newName, id), at: timeNs)
    if let old { dropIfUnreachable(old) }
    return .none
  }

  private func checkReplacing(_ old: Inode, by new: Inode) throws(DeviceError) {
    switch (new.kind == .directory, old.kind == .directory) {
    case (true, false): throw .notDirectory
    case (false, true): throw .isDirectory
    case (true, true): guard old.entries.isEmpty else { throw .notEmpty }
    case (false, false): break
    }
  }

  private mutating func exchange(
    _ id: InodeID, _ name: FileName, in directory: InodeID, with other: InodeID?,
    _ otherName: FileName, in target: InodeID, _ timeNs: Int64
  ) throws(DeviceError) -> Response {
    guard let other else { throw .noEntry }
    guard id != other else { return .none }
    if live[id]?.kind == .directory, isAtOrAbove(id, target) { throw .invalid }
    if live[other]?.kind == .directory, isAtOrAbove(other, directory) { throw .invalid }
    commit(.addEntry(in: target, otherName, id), at: timeNs)
    commit(.addEntry(in: directory, name, other), at: timeNs)
    return .none
  }

  private func isAtOrAbove(_ id: InodeID, _ descendant: InodeID) -> Bool {
    var current: InodeID? = descendant
    while let here = current {
      if here == id { return true }
      current = here == .root ? nil : live[here]?.parent
    }
    return false
  }
}
