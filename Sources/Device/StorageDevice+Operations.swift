extension StorageDevice {
  /// Applies a request to the live view. A throw leaves everything as it was, but for a write that
  /// finds no room after its first page, which answers what it took.
  mutating func apply(_ request: Request, at timeNs: Int64) throws(DeviceError) -> Response {
    switch request {
    case .lookUp, .attributes, .read, .list, .readLink, .statistics, .extendedAttribute,
      .extendedAttributes:
      return try answer(request)
    case .open(let inode): return try open(inode)
    case .release(let inode):
      closeHandle(inode)
      return .none
    case .write(let inode, let offset, let bytes):
      return try write(inode, bytes, at: offset, timeNs)
    case .setAttributes(let inode, let change): return try setAttributes(inode, change, timeNs)
    case .allocate(let inode, let mode, let offset, let length):
      return try allocate(inode, mode, offset, length, timeNs)
    case .setExtendedAttribute(let inode, let name, let value, let mode):
      return try setExtendedAttribute(inode, name, value, mode, timeNs)
    case .removeExtendedAttribute(let inode, let name):
      guard try existing(inode).extendedAttributes[name] != nil else { throw .noData }
      commit(.extendedAttribute(inode, name: name, nil), at: timeNs)
      return .none
    case .sync(let inode, _):
      if try kindAndSize(of: inode).kind == .directory { syncDirectory(inode) } else { sync(inode) }
      return .none
    case .syncDirectory(let inode):
      _ = try directory(inode)
      syncDirectory(inode)
      return .none
    case .point: return .none
    default: return try applyToNames(request, timeNs)
    }
  }

  private mutating func applyToNames(
    _ request: Request, _ timeNs: Int64
  ) throws(DeviceError) -> Response {
    switch request {
    case .create(let directory, let name, let ownership):
      let made = try make(.file, in: directory, name, ownership, timeNs)
      openHandle(made)
      return attributes(made)
    case .makeNode(let directory, let name, let kind, let ownership):
      guard kind != .directory, kind != .symbolicLink else { throw .invalid }
      let made = try make(kind, in: directory, name, ownership, timeNs)
      return attributes(made)
    case .makeDirectory(let directory, let name, let ownership):
      let made = try make(.directory, in: directory, name, ownership, timeNs)
      return attributes(made)
    case .symbolicLink(let directory, let name, let target, let ownership):
      let made = try make(
        .symbolicLink, in: directory, name, ownership, target: target, timeNs)
      return attributes(made)
    case .link(let inode, let directory, let name):
      return try link(inode, in: directory, name, timeNs)
    case .unlink(let directory, let name): return try unlink(name, in: directory, timeNs)
    case .removeDirectory(let directory, let name):
      return try removeDirectory(name, in: directory, timeNs)
    case .rename(let directory, let name, let target, let newName, let mode):
      return try rename(name, in: directory, to: newName, in: target, mode, timeNs)
    default: throw .unsupported
    }
  }

  // MARK: - Reads

  private func answer(_ request: Request) throws(DeviceError) -> Response {
    switch request {
    case .lookUp(let directory, let name):
      try check(name)
      guard let child = live.child(name, of: try self.directory(directory)) else { throw .noEntry }
      return attributes(child)
    case .attributes(let inode):
      _ = try existing(inode)
      return attributes(inode)
    case .read(let inode, let offset, let count):
      let file = try existing(inode)
      guard file.kind == .file else { throw .isDirectory }
      return .data(file.read(at: offset, count: count))
    case .list(let inode): return .entries(live.list(try directory(inode)))
    case .readLink(let inode):
      let link = try existing(inode)
      guard link.kind == .symbolicLink else { throw .invalid }
      return .data(link.target)
    case .extendedAttribute(let inode, let name):
      guard let value = try existing(inode).extendedAttributes[name] else { throw .noData }
      return .data(value)
    case .extendedAttributes(let inode):
      return .names(try existing(inode).extendedAttributes.keys.sorted())
    default:
      let blocks = max(0, capacityBytes / Inode.pageBytes)
      return .statistics(
        Statistics(
          blockCount: blocks, freeBlockCount: freePageCount, inodeCount: live.inodes.count))
    }
  }

  var freePageCount: Int { max(0, capacityBytes / Inode.pageBytes - live.pageCount) }

  func attributes(_ id: InodeID) -> Response {
    live.attributes(of: id).map { .attributes($0) } ?? .none
  }

  func existing(_ id: InodeID) throws(DeviceError) -> Inode {
    guard let inode = live[id] else { throw .stale }
    return inode
  }

  func directory(_ id: InodeID) throws(DeviceError) -> InodeID {
    guard try existing(id).kind == .directory else { throw .notDirectory }
    return id
  }

  func check(_ name: FileName) throws(DeviceError) {
    if name.bytes.count > FileName.maximumBytes { throw .nameTooLong }
    if name.bytes.isEmpty { throw .noEntry }
  }

  private mutating func open(_ id: InodeID) throws(DeviceError) -> Response {
    let kind = try kindAndSize(of: id).kind
    if !sealedPrefixes.isEmpty, kind == .file, isSealed(live.path(of: id)) { throw .notPermitted }
    openHandle(id)
    return attributes(id)
  }

  func isSealed(_ name: FileName, in directory: InodeID) -> Bool {
    !sealedPrefixes.isEmpty && isSealed(live.path(of: name, in: directory))
  }

  private func isSealed(_ path: String) -> Bool {
    sealedPrefixes.contains { path == $0 || path.hasPrefix($0 + "/") }
  }
}
