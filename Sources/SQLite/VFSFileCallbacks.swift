import CSQLite
import Glibc

/// The calls that SQLite makes to an open file: decode, one call of ``VirtualFile`` or
/// ``VirtualDatabaseFile``, encode. Files without locks grant every lock.
private enum FileMethods {
  /// Made once, for all files: SQLite keeps the address.
  nonisolated(unsafe) static let table: UnsafePointer<sqlite3_io_methods> = {
    var methods = sqlite3_io_methods()
    methods.iVersion = 2
    unsafe methods.xClose = onClose
    unsafe methods.xRead = onRead
    unsafe methods.xWrite = onWrite
    unsafe methods.xTruncate = onTruncate
    unsafe methods.xSync = onSync
    unsafe methods.xFileSize = onFileSize
    unsafe methods.xLock = onLock
    unsafe methods.xUnlock = onUnlock
    unsafe methods.xCheckReservedLock = onCheckReservedLock
    unsafe methods.xFileControl = onFileControl
    unsafe methods.xSectorSize = { _ in 4096 }
    unsafe methods.xDeviceCharacteristics = onDeviceCharacteristics
    unsafe methods.xShmMap = onIndexMap
    unsafe methods.xShmLock = onIndexLock
    unsafe methods.xShmBarrier = { _ in }
    unsafe methods.xShmUnmap = onIndexUnmap
    let table = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    unsafe table.initialize(to: methods)
    return unsafe UnsafePointer(table)
  }()
}

/// SQLite's record of the file holds the one retain, until `xClose`.
@unsafe func adopt(_ open: OpenVirtualFile, as file: UnsafeMutablePointer<sqlite3_file>) {
  unsafe UnsafeMutableRawPointer(file).assumingMemoryBound(to: csqlite_file.self).pointee.owner =
    unsafe Unmanaged.passRetained(open).toOpaque()
  unsafe file.pointee.pMethods = unsafe FileMethods.table
}

private func owner(_ file: UnsafeMutablePointer<sqlite3_file>?) -> Unmanaged<OpenVirtualFile>? {
  guard let file = unsafe file else { return nil }
  let record = unsafe UnsafeMutableRawPointer(file).assumingMemoryBound(to: csqlite_file.self)
  guard let owner = unsafe record.pointee.owner else { return nil }
  return unsafe Unmanaged.fromOpaque(owner)
}

private func opened(_ file: UnsafeMutablePointer<sqlite3_file>?) -> OpenVirtualFile? {
  unsafe owner(file)?.takeUnretainedValue()
}

// MARK: - Content

private func onClose(_ file: UnsafeMutablePointer<sqlite3_file>?) -> Int32 {
  guard let owner = unsafe owner(file) else { return SQLITE_OK }
  unsafe owner.takeRetainedValue().content.close()
  unsafe file?.pointee.pMethods = nil
  return SQLITE_OK
}

private func onRead(
  _ file: UnsafeMutablePointer<sqlite3_file>?, _ buffer: UnsafeMutableRawPointer?, _ count: Int32,
  _ offset: sqlite3_int64
) -> Int32 {
  guard let content = unsafe opened(file)?.content, let buffer = unsafe buffer else {
    return VFSError.read.code
  }
  return resultCode { () throws(VFSError) in
    let bytes = try content.read(at: Int(offset), count: Int(count))
    let taken = min(bytes.count, Int(count))
    unsafe bytes.withUnsafeBytes { source in
      guard let start = source.baseAddress else { return }
      unsafe buffer.copyMemory(from: start, byteCount: taken)
    }
    guard taken < Int(count) else { return }
    unsafe memset(buffer + taken, 0, Int(count) - taken)
    throw .shortRead
  }
}

private func onWrite(
  _ file: UnsafeMutablePointer<sqlite3_file>?, _ buffer: UnsafeRawPointer?, _ count: Int32,
  _ offset: sqlite3_int64
) -> Int32 {
  guard let content = unsafe opened(file)?.content else { return VFSError.write.code }
  let bytes = unsafe [UInt8](UnsafeRawBufferPointer(start: buffer, count: Int(count)))
  return resultCode { () throws(VFSError) in try content.write(bytes, at: Int(offset)) }
}

private func onTruncate(
  _ file: UnsafeMutablePointer<sqlite3_file>?, _ length: sqlite3_int64
) -> Int32 {
  guard let content = unsafe opened(file)?.content else { return VFSError.truncate.code }
  return resultCode { () throws(VFSError) in try content.truncate(to: Int(length)) }
}

private func onSync(_ file: UnsafeMutablePointer<sqlite3_file>?, _: Int32) -> Int32 {
  guard let content = unsafe opened(file)?.content else { return VFSError.sync.code }
  return resultCode { () throws(VFSError) in try content.sync() }
}

private func onFileSize(
  _ file: UnsafeMutablePointer<sqlite3_file>?, _ result: UnsafeMutablePointer<sqlite3_int64>?
) -> Int32 {
  guard let content = unsafe opened(file)?.content else { return VFSError.status.code }
  return resultCode { () throws(VFSError) in
    unsafe result?.pointee = Int64(try content.sizeBytes())
  }
}

// MARK: - Locks

private func onLock(_ file: UnsafeMutablePointer<sqlite3_file>?, _ level: Int32) -> Int32 {
  guard let database = unsafe opened(file)?.database else { return SQLITE_OK }
  guard let level = LockLevel(rawValue: level) else { return VFSError.lock.code }
  return resultCode { () throws(VFSError) in try database.lock(level) }
}

private func onUnlock(_ file: UnsafeMutablePointer<sqlite3_file>?, _ level: Int32) -> Int32 {
  guard let database = unsafe opened(file)?.database else { return SQLITE_OK }
  guard let level = LockLevel(rawValue: level) else { return VFSError.unlock.code }
  return resultCode { () throws(VFSError) in try database.unlock(to: level) }
}

private func onCheckReservedLock(
  _ file: UnsafeMutablePointer<sqlite3_file>?, _ result: UnsafeMutablePointer<Int32>?
) -> Int32 {
  let database = unsafe opened(file)?.database
  return resultCode { () throws(VFSError) in
    unsafe result?.pointee = try database?.isReserved() ?? false ? 1 : 0
  }
}

// MARK: - Control

/// Answers what the VFS for Unix answers and the pager asks for.
private func onFileControl(
  _ file: UnsafeMutablePointer<sqlite3_file>?, _ operation: Int32,
  _ argument: UnsafeMutableRawPointer?
) -> Int32 {
  guard let open = unsafe opened(file), let argument = unsafe argument else {
    return SQLITE_NOTFOUND
  }
  let number = unsafe argument.assumingMemoryBound(to: Int32.self)
  switch operation {
  case SQLITE_FCNTL_LOCKSTATE: unsafe number.pointee = open.database?.lockLevel.rawValue ?? 0
  case SQLITE_FCNTL_HAS_MOVED: unsafe number.pointee = open.database?.hasMoved == true ? 1 : 0
  case SQLITE_FCNTL_SIZE_HINT: break
  case SQLITE_FCNTL_PERSIST_WAL: unsafe answer(number, &open.keepsWAL)
  case SQLITE_FCNTL_POWERSAFE_OVERWRITE: unsafe answer(number, &open.isSafeToOverwrite)
  case SQLITE_FCNTL_VFSNAME:
    let name = unsafe csqlite_copy_text(open.system.name)
    unsafe argument.assumingMemoryBound(to: UnsafeMutablePointer<CChar>?.self).pointee =
      unsafe name
  default: return SQLITE_NOTFOUND
  }
  return SQLITE_OK
}

/// A negative number asks for a setting, others make it.
private func answer(_ number: UnsafeMutablePointer<Int32>, _ setting: inout Bool) {
  if unsafe number.pointee < 0 {
    unsafe number.pointee = setting ? 1 : 0
  } else {
    setting = unsafe number.pointee != 0
  }
}

private func onDeviceCharacteristics(_ file: UnsafeMutablePointer<sqlite3_file>?) -> Int32 {
  unsafe opened(file)?.isSafeToOverwrite == true ? SQLITE_IOCAP_POWERSAFE_OVERWRITE : 0
}

// MARK: - The index of a WAL

private func onIndexMap(
  _ file: UnsafeMutablePointer<sqlite3_file>?, _ region: Int32, _ regionBytes: Int32,
  _ extends: Int32, _ result: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> Int32 {
  guard let database = unsafe opened(file)?.database else { return VFSError.indexMap.code }
  unsafe result?.pointee = nil
  return resultCode { () throws(VFSError) in
    let map = try database.mapIndex(
      throughRegion: Int(region), regionBytes: Int(regionBytes), extending: extends != 0)
    unsafe result?.pointee = unsafe map?.address(ofRegion: Int(region))
  }
}

private func onIndexLock(
  _ file: UnsafeMutablePointer<sqlite3_file>?, _ first: Int32, _ count: Int32, _ flags: Int32
) -> Int32 {
  guard let database = unsafe opened(file)?.database, (0..<8).contains(first),
    (1...8 - first).contains(count)
  else { return VFSError.indexLock.code }
  let slots = UInt16((1 << count) - 1) << UInt16(first)
  guard flags & SQLITE_SHM_UNLOCK == 0 else {
    database.unlockIndex(slots)
    return SQLITE_OK
  }
  return resultCode { () throws(VFSError) in
    try database.lockIndex(slots, exclusively: flags & SQLITE_SHM_EXCLUSIVE != 0)
  }
}

private func onIndexUnmap(
  _ file: UnsafeMutablePointer<sqlite3_file>?, _ deletesFile: Int32
) -> Int32 {
  unsafe opened(file)?.database?.unmapIndex(deletingFile: deletesFile != 0)
  return SQLITE_OK
}
