/// One view of a device: the tree of inodes that a reader would see.
///
/// A value: copying it is a snapshot, and costs nothing until one of the copies changes.
package struct Volume: Sendable {
  package private(set) var inodes: [InodeID: Inode]

  /// Pages that hold content, in all inodes.
  private(set) var pageCount = 0

  /// The inode that was changed last, and most often is the next one too. Kept while none comes or goes.
  private var lastUsed: (id: InodeID, slot: Dictionary<InodeID, Inode>.Index)?

  init(at timeNs: Int64) {
    var root = Inode(.directory, Ownership(mode: 0o755), at: timeNs)
    root.loseAllNames(isRoot: true)
    inodes = [.root: root]
  }

  package subscript(_ id: InodeID) -> Inode? { inodes[id] }

  /// The inode that a directory's entry leads to.
  package func child(_ name: FileName, of directory: InodeID) -> InodeID? {
    inodes[directory]?.entries[name]
  }

  /// The entries of a directory, sorted by name.
  package func list(_ directory: InodeID) -> [DirectoryEntry] {
    guard let entries = inodes[directory]?.entries else { return [] }
    return entries.sorted { $0.key < $1.key }.map { name, id in
      DirectoryEntry(name: name, inode: id, kind: inodes[id]?.kind ?? .file)
    }
  }

  /// The inode at an absolute path. Symbolic links are not followed.
  package func resolve(_ path: some StringProtocol) -> InodeID? {
    var id = InodeID.root
    for part in path.utf8.split(separator: UInt8(ascii: "/")) {
      guard let next = child(FileName(Array(part)), of: id) else { return nil }
      id = next
    }
    return id
  }

  /// The files whose path a pattern covers, by inode number.
  ///
  /// - Complexity: O(*n*) for all inodes, times that of a match.
  package func files(matching pattern: PathPattern) -> [InodeID] {
    inodes.filter { $0.value.kind == .file && $0.value.nameCount > 0 }.keys.sorted()
      .filter { pattern.matches(path(of: $0)) }
  }

  func hasPage(_ page: Int, of id: InodeID) -> Bool { inodes[id]?.pages[page] != nil }

  /// The absolute path by which an inode was last reached.
  package func path(of id: InodeID) -> String {
    guard id != .root, let inode = inodes[id], let parent = inode.parent else { return "/" }
    return path(of: inode.name, in: parent)
  }

  /// The absolute path of a name in a directory.
  package func path(of name: FileName, in directory: InodeID) -> String {
    let parent = path(of: directory)
    return parent == "/" ? "/\(name)" : "\(parent)/\(name)"
  }

  package func attributes(of id: InodeID) -> Attributes? {
    guard let inode = inodes[id] else { return nil }
    return Attributes(
      inode: id, kind: inode.kind, mode: inode.mode, user: inode.user, group: inode.group,
      linkCount: inode.linkCount,
      sizeBytes: inode.kind == .symbolicLink ? inode.target.count : inode.sizeBytes,
      sectorCount: inode.pages.count * (Inode.pageBytes / Inode.sectorBytes),
      accessedNs: inode.accessedNs, modifiedNs: inode.modifiedNs, changedNs: inode.changedNs)
  }

  // MARK: - Changing

  mutating func insert(_ inode: Inode, as id: InodeID) {
    precondition(inodes[id] == nil, "inode numbers are never used twice")
    lastUsed = nil
    inodes[id] = inode
    pageCount += inode.pages.count
  }

  /// Forgets an inode that no name leads to.
  ///
  /// - Returns: What its entries led to, if it was a directory that was not empty.
  @discardableResult
  mutating func remove(_ id: InodeID) -> [InodeID] {
    lastUsed = nil
    guard let inode = inodes.removeValue(forKey: id) else { return [] }
    pageCount -= inode.pages.count
    for (name, child) in inode.entries {
      update(child) { $0.loseName(Inode.Place(directory: id, name: name)) }
    }
    return inode.entries.values.sorted()
  }

  /// Keeps the share that each page has in its file's content, for the digests of this volume and of
  /// its copies.
  ///
  /// - Complexity: O(*n*) for all pages that have changed since the last time.
  mutating func noteShares() {
    var slot = inodes.startIndex
    while slot != inodes.endIndex {
      if inodes.values[slot].pages.values.contains(where: { $0.share == nil }) {
        inodes.values[slot].noteShares()
      }
      inodes.formIndex(after: &slot)
    }
  }

  mutating func removeAll() {
    lastUsed = nil
    inodes = [:]
    pageCount = 0
  }

  /// Changes one inode in place, and keeps the page count.
  ///
  /// - Returns: What `body` returned; `nil` when there is no such inode.
  @discardableResult
  mutating func update<Result>(_ id: InodeID, _ body: (inout Inode) -> Result) -> Result? {
    guard let slot = slot(of: id) else { return nil }
    return Self.update(&inodes.values[slot], &pageCount, body)
  }

  private mutating func slot(of id: InodeID) -> Dictionary<InodeID, Inode>.Index? {
    if let lastUsed, lastUsed.id == id { return lastUsed.slot }
    guard let slot = inodes.index(forKey: id) else { return nil }
    lastUsed = (id, slot)
    return slot
  }

  private static func update<Result>(
    _ inode: inout Inode, _ pageCount: inout Int, _ body: (inout Inode) -> Result
  ) -> Result {
    pageCount -= inode.pages.count
    defer { pageCount += inode.pages.count }
    return body(&inode)
  }

  /// Applies one change. A change to an inode that is not in this view is ignored: its file was
  /// dropped together with its content.
  ///
  /// - Complexity: O(1) for entries and attributes, else O(*n*) for the bytes or pages touched.
  mutating func apply(_ change: Change, at timeNs: Int64) {
    switch change {
    case .data(let id, let page, let offset, let bytes):
      touch(id, at: timeNs) { $0.store(page: page, offset: offset, bytes) }
    case .size(let id, let from, let size):
      touch(id, at: timeNs) { $0.resize(from: from, to: size) }
    case .hole(let id, let range):
      touch(id, at: timeNs) { $0.punch(range) }
    case .addEntry(let directory, let name, let id):
      addEntry(Inode.Place(directory: directory, name: name), id, at: timeNs)
    case .removeEntry(let directory, let name, let id):
      guard child(name, of: directory) == id else { return }
      removeEntry(Inode.Place(directory: directory, name: name), at: timeNs)
    case .attributes(let id, let attributes):
      update(id) { $0.apply(attributes, at: timeNs) }
    case .extendedAttribute(let id, let name, let value):
      update(id) { inode in
        inode.extendedAttributes[name] = value
        inode.changedNs = timeNs
      }
    }
  }

  private mutating func touch(_ id: InodeID, at timeNs: Int64, _ body: (inout Inode) -> Void) {
    update(id) { inode in
      body(&inode)
      inode.modifiedNs = timeNs
      inode.changedNs = timeNs
    }
  }

  private mutating func addEntry(_ place: Inode.Place, _ id: InodeID, at timeNs: Int64) {
    guard let kind = inodes[id]?.kind, inodes[place.directory] != nil else { return }
    removeEntry(place, at: timeNs)
    touch(place.directory, at: timeNs) { directory in
      directory.entries[place.name] = id
      if kind == .directory { directory.directoryCount += 1 }
    }
    update(id) { inode in
      inode.gainName(place)
      inode.changedNs = timeNs
    }
  }

  private mutating func removeEntry(_ place: Inode.Place, at timeNs: Int64) {
    guard let id = child(place.name, of: place.directory) else { return }
    let isDirectory = inodes[id]?.kind == .directory
    touch(place.directory, at: timeNs) { directory in
      directory.entries[place.name] = nil
      if isDirectory { directory.directoryCount -= 1 }
    }
    update(id) { inode in
      inode.loseName(place)
      inode.changedNs = timeNs
    }
  }
}

extension Inode {
  mutating func apply(_ change: AttributeChange, at timeNs: Int64) {
    if let mode = change.mode { self.mode = mode }
    if let user = change.user { self.user = user }
    if let group = change.group { self.group = group }
    if let accessed = change.accessedNs { accessedNs = accessed }
    if let modified = change.modifiedNs { modifiedNs = modified }
    changedNs = timeNs
  }
}
