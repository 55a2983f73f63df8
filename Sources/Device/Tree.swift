/// Edits of a whole device by its operating system: removing, making and restoring subtrees.
package struct Tree: Sendable {
  private(set) var volume: Volume
  private(set) var nextInode: UInt64
  private let openInodes: Set<InodeID>
  private(set) var stale = Stale()

  init(volume: Volume, nextInode: UInt64, openInodes: Set<InodeID>) {
    self.volume = volume
    self.nextInode = nextInode
    self.openInodes = openInodes
  }

  /// Removes a path and everything below it; an absent path is fine.
  ///
  /// - Returns: The paths of the files that are gone, sorted.
  @discardableResult
  package mutating func remove(_ path: String) -> [String] {
    let parts = path.split(separator: "/")
    let folder = parts.dropLast().joined(separator: "/")
    guard let name = parts.last.map({ FileName($0) }), let directory = volume.resolve(folder),
      let id = volume.child(name, of: directory)
    else { return [] }
    let gone = files(below: id, at: "/" + parts.joined(separator: "/"))
    unlink(name, of: directory)
    return gone
  }

  /// Makes a directory and those above it that are missing. A file in the way is replaced.
  package mutating func makeDirectory(_ path: String, mode: UInt16 = 0o755, at timeNs: Int64) {
    var id = InodeID.root
    for part in path.split(separator: "/") {
      let name = FileName(part)
      if let next = volume.child(name, of: id) {
        if volume[next]?.kind == .directory {
          id = next
          continue
        }
        unlink(name, of: id)
      }
      let made = InodeID(nextInode)
      nextInode += 1
      volume.insert(Inode(.directory, Ownership(mode: mode), at: timeNs), as: made)
      volume.apply(.addEntry(in: id, name, made), at: timeNs)
      stale.names.append(Stale.Name(directory: id, name: name))
      id = made
    }
  }

  /// Writes a whole file, replacing one that is there.
  package mutating func writeFile(_ path: String, _ bytes: [UInt8], mode: UInt16, at timeNs: Int64)
  {
    let parts = path.split(separator: "/")
    guard let last = parts.last else { return }
    let folder = "/" + parts.dropLast().joined(separator: "/")
    makeDirectory(folder, at: timeNs)
    remove(path)
    guard let directory = volume.resolve(folder) else { return }
    let id = InodeID(nextInode)
    nextInode += 1
    volume.insert(Inode(.file, Ownership(mode: mode), at: timeNs), as: id)
    var offset = 0
    while offset < bytes.count {
      let end = min(bytes.count, offset + Inode.pageBytes)
      volume.apply(
        .data(id, page: offset / Inode.pageBytes, offset: 0, Array(bytes[offset..<end])),
        at: timeNs)
      offset = end
    }
    volume.apply(.size(id, from: 0, to: bytes.count), at: timeNs)
    volume.apply(.addEntry(in: directory, FileName(last), id), at: timeNs)
    stale.names.append(Stale.Name(directory: directory, name: FileName(last)))
  }

  /// Makes a path what it was in an earlier volume: present with all below it, or absent.
  package mutating func restore(_ path: String, from source: Volume, at timeNs: Int64) {
    remove(path)
    guard let origin = source.resolve(path), let name = path.split(separator: "/").last else {
      return
    }
    let folder = "/" + path.split(separator: "/").dropLast().joined(separator: "/")
    makeDirectory(folder, at: timeNs)
    guard let directory = volume.resolve(folder) else { return }
    var copies: [InodeID: InodeID] = [:]
    let copy = graft(origin, from: source, &copies)
    volume.apply(.addEntry(in: directory, FileName(name), copy), at: timeNs)
    stale.names.append(Stale.Name(directory: directory, name: FileName(name)))
  }

  /// The paths of files at or below an inode, sorted.
  private func files(below id: InodeID, at path: String) -> [String] {
    guard volume[id]?.kind == .directory else { return [path] }
    return volume.list(id).flatMap { files(below: $0.inode, at: "\(path)/\($0.name)") }
  }

  private mutating func unlink(_ name: FileName, of directory: InodeID) {
    guard let id = volume.child(name, of: directory), let inode = volume[id] else { return }
    for child in volume.list(id) { unlink(child.name, of: id) }
    volume.apply(.removeEntry(in: directory, name, id), at: inode.changedNs)
    stale.names.append(Stale.Name(directory: directory, name: name))
    if volume[id]?.nameCount == 0, !openInodes.contains(id) {
      volume.remove(id)
    } else {
      stale.inodes.append(id)
    }
  }

  /// Copies an inode and all below it; hard links inside the subtree stay links.
  private mutating func graft(
    _ id: InodeID, from source: Volume, _ copies: inout [InodeID: InodeID]
  ) -> InodeID {
    if let copy = copies[id] { return copy }
    let copy = InodeID(nextInode)
    nextInode += 1
    copies[id] = copy
    guard var inode = source[id] else { return copy }
    let entries = inode.entries.sorted { $0.key < $1.key }
    let times = (inode.accessedNs, inode.modifiedNs, inode.changedNs)
    inode.entries = [:]
    inode.loseAllNames(isRoot: false)
    volume.insert(inode, as: copy)
    for (name, child) in entries {
      let grafted = graft(child, from: source, &copies)
      volume.apply(.addEntry(in: copy, name, grafted), at: inode.modifiedNs)
    }
    volume.update(copy) { ($0.accessedNs, $0.modifiedNs, $0.changedNs) = times }
    return copy
  }
}
