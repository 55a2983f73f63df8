import Device
import SQLite

/// A database of a device that one connection has open, with its locks and its view of the WAL's
/// index.
final class DeviceVFSDatabase: DeviceVFSFile, VirtualDatabaseFile {
  private(set) var lockLevel = LockLevel.none
  private var index: Index?
  /// Answered instead of the one in the file.
  private var changeCounter: [UInt8]?

  /// What the connection has of the WAL's index.
  private struct Index {
    let map: SharedMemoryMap
    let file: InodeID
    var shared: UInt16 = 0
    var exclusive: UInt16 = 0
  }

  init(_ system: DeviceVFS, _ path: DevicePath, _ inode: InodeID, isReadOnly: Bool) {
    super.init(system, path, inode, isReadOnly: isReadOnly, syncsDirectory: false)
    system.box.databases.append(self)
  }

  override func close() {
    super.close()
    system.box.databases.removeAll { $0 === self }
  }

  var hasMoved: Bool { path.file(in: system.box.device.live) != inode }

  /// The other connections to this database.
  private var others: [DeviceVFSDatabase] {
    system.box.databases.filter { $0 !== self && $0.inode == inode }
  }

  private var livingOthers: [DeviceVFSDatabase] { others.filter { !$0.system.isGone } }

  // MARK: - Locks

  func lock(_ level: LockLevel) throws(VFSError) {
    guard !system.isGone else { throw .lock }
    guard level > lockLevel else { return }
    let strongest = livingOthers.map(\.lockLevel).max() ?? .none
    switch level {
    case .none: break
    case .shared: guard strongest < .pending else { throw .busy }
    case .reserved: guard strongest < .reserved else { throw .busy }
    case .pending, .exclusive:
      guard strongest < .pending else { throw .busy }
      lockLevel = .pending
      guard strongest == .none else { throw .busy }
    }
    lockLevel = level
  }

  func unlock(to level: LockLevel) throws(VFSError) {
    guard !system.isGone else { throw .unlock }
    lockLevel = min(lockLevel, level)
  }

  func isReserved() throws(VFSError) -> Bool {
    guard !system.isGone else { throw .checkReserved }
    return lockLevel >= .reserved || livingOthers.contains { $0.lockLevel >= .reserved }
  }

  // MARK: - The index of a WAL

  private var indexPath: DevicePath { path.adding("-shm") }

  func mapIndex(
    throughRegion region: Int, regionBytes: Int, extending: Bool
  ) throws(VFSError) -> SharedMemoryMap? {
    guard !system.isGone else { throw .indexMap }
    let index = if let index { index } else { try openIndex() }
    self.index = index
    let wanted = (region + 1) * regionBytes
    if index.map.memory.sizeBytes < wanted {
      let size = try system.orElse(.indexSize) { () throws(DeviceError) in
        try system.attributes(.attributes(index.file)).sizeBytes
      }
      guard size >= wanted || extending else { return nil }
      // The last byte of each page: no page may be found missing when the memory is written.
      for page in stride(from: size / Inode.pageBytes, to: wanted / Inode.pageBytes, by: 1) {
        let last = (page + 1) * Inode.pageBytes - 1
        try perform(.write(index.file, offset: last, [0]), orElse: .indexSize)
      }
    }
    try index.map.map(throughRegion: region, regionBytes: regionBytes)
    return index.map
  }

  /// The first connection that lives makes the index anew; others join it.
  private func openIndex() throws(VFSError) -> Index {
    let mode = try system.orElse(.status) { () throws(DeviceError) in
      try system.attributes(.attributes(inode)).mode & 0o777
    }
    let file = try system.orElse(.cannotOpen) { () throws(DeviceError) in
      try system.open(indexPath, creatingWith: mode, mustBeNew: false)
    }
    if let shared = livingOthers.lazy.compactMap(\.index).first {
      return Index(map: SharedMemoryMap(shared.map.memory), file: file)
    }
    // The VFS for Unix leaves three bytes, and so do we.
    try perform(.setAttributes(file, .truncating(to: 3)), orElse: .indexOpen)
    return Index(map: SharedMemoryMap(try SharedMemory()), file: file)
  }

  func lockIndex(_ slots: UInt16, exclusively: Bool) throws(VFSError) {
    guard !system.isGone, let index else { throw .indexLock }
    var held: UInt16 = 0
    for other in others {
      guard let theirs = other.index else { continue }
      if other.system.isGone {
        // Before anything is written, or its connection could still undo that.
        try theirs.map.cutOff()
      } else {
        held |= theirs.exclusive | (exclusively ? theirs.shared : 0)
      }
    }
    guard held & slots == 0 else { throw .busy }
    self.index?.shared = index.shared | (exclusively ? 0 : slots)
    self.index?.exclusive = index.exclusive | (exclusively ? slots : 0)
  }

  func unlockIndex(_ slots: UInt16) {
    index?.shared &= ~slots
    index?.exclusive &= ~slots
  }

  /// A file that stays is made anew by the next connection.
  func unmapIndex(deletingFile: Bool) {
    guard let index else { return }
    self.index = nil
    if deletingFile, !livingOthers.contains(where: { $0.index != nil }),
      let directory = indexPath.directory(in: system.box.device.live)
    {
      _ = system.succeeds(.unlink(in: directory, indexPath.name))
    }
    _ = system.succeeds(.release(index.file))
  }

  // MARK: - Another device

  /// Makes the connection forget what it knows: the pager compares 16 bytes with what it read last,
  /// and a WAL's index without a header is built anew. The header is twice 48 bytes, then come the
  /// marks of checkpoints and readers.
  func forget(changeCounter: [UInt8]) {
    self.changeCounter = changeCounter
    index?.map.clear(bytes: 136)
  }

  override func read(at offset: Int, count: Int) throws(VFSError) -> [UInt8] {
    if let changeCounter, offset == 24, count == changeCounter.count { return changeCounter }
    return try super.read(at: offset, count: count)
  }
}
