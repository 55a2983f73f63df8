import CSQLite

/// The calls that SQLite makes to a file system: decode, one call of ``VirtualFileSystem``, encode.
func makeRecord() -> sqlite3_vfs {
  var record = unsafe sqlite3_vfs()
  unsafe record.iVersion = 2
  unsafe record.szOsFile = Int32(MemoryLayout<csqlite_file>.size)
  unsafe record.mxPathname = 4096
  unsafe record.xOpen = onOpen
  unsafe record.xDelete = onDelete
  unsafe record.xAccess = onAccess
  unsafe record.xFullPathname = onFullPath
  unsafe record.xRandomness = onRandomness
  unsafe record.xSleep = onSleep
  unsafe record.xCurrentTime = onCurrentTime
  unsafe record.xCurrentTimeInt64 = onCurrentTimeMs
  unsafe record.xGetLastError = onLastError
  return unsafe record
}

/// The record is borrowed: whoever registered it, or an open file, keeps the owner.
private func registered(_ record: UnsafeMutablePointer<sqlite3_vfs>?) -> RegisteredFileSystem? {
  guard let owner = unsafe record?.pointee.pAppData else { return nil }
  return unsafe Unmanaged<RegisteredFileSystem>.fromOpaque(owner).takeUnretainedValue()
}

/// Turns what a call throws into its code.
func resultCode(_ body: () throws(VFSError) -> Void) -> Int32 {
  do {
    try body()
    return SQLITE_OK
  } catch {
    return error.code
  }
}

private func onOpen(
  _ record: UnsafeMutablePointer<sqlite3_vfs>?, _ path: UnsafePointer<CChar>?,
  _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32,
  _ flagsOut: UnsafeMutablePointer<Int32>?
) -> Int32 {
  guard let file = unsafe file else { return SQLITE_CANTOPEN }
  // Without methods SQLite does not close what was not opened.
  unsafe file.pointee.pMethods = nil
  guard let system = unsafe registered(record) else { return SQLITE_CANTOPEN }
  return resultCode { () throws(VFSError) in
    let content: any VirtualFile =
      if let path = unsafe path, let opening = VFSOpening(flags: flags) {
        try system.system.open(unsafe String(cString: path), opening)
      } else {
        MemoryFile()
      }
    unsafe adopt(OpenVirtualFile(content, of: system), as: file)
    guard let flagsOut = unsafe flagsOut else { return }
    let access = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_READONLY
    unsafe flagsOut.pointee = content.isReadOnly ? flags & ~access | SQLITE_OPEN_READONLY : flags
  }
}

private func onDelete(
  _ record: UnsafeMutablePointer<sqlite3_vfs>?, _ path: UnsafePointer<CChar>?,
  _ syncsDirectory: Int32
) -> Int32 {
  guard let system = unsafe registered(record)?.system, let path = unsafe path else {
    return VFSError.delete.code
  }
  return resultCode { () throws(VFSError) in
    try system.delete(unsafe String(cString: path), syncingDirectory: syncsDirectory & 1 != 0)
  }
}

private func onAccess(
  _ record: UnsafeMutablePointer<sqlite3_vfs>?, _ path: UnsafePointer<CChar>?, _ flags: Int32,
  _ result: UnsafeMutablePointer<Int32>?
) -> Int32 {
  guard let system = unsafe registered(record)?.system, let path = unsafe path else {
    return SQLITE_IOERR
  }
  let name = unsafe String(cString: path)
  let isGranted =
    flags == SQLITE_ACCESS_EXISTS ? system.hasContent(at: name) : system.isWritable(name)
  unsafe result?.pointee = isGranted ? 1 : 0
  return SQLITE_OK
}

private func onFullPath(
  _ record: UnsafeMutablePointer<sqlite3_vfs>?, _ path: UnsafePointer<CChar>?, _ room: Int32,
  _ buffer: UnsafeMutablePointer<CChar>?
) -> Int32 {
  guard let system = unsafe registered(record)?.system, let path = unsafe path,
    let buffer = unsafe buffer
  else { return SQLITE_CANTOPEN }
  let full = system.fullPath(of: unsafe String(cString: path)).utf8CString
  guard full.count <= Int(room) else { return SQLITE_CANTOPEN }
  unsafe full.withUnsafeBufferPointer { bytes in
    guard let start = bytes.baseAddress else { return }
    unsafe buffer.update(from: start, count: bytes.count)
  }
  return SQLITE_OK
}

private func onRandomness(
  _ record: UnsafeMutablePointer<sqlite3_vfs>?, _ count: Int32,
  _ buffer: UnsafeMutablePointer<CChar>?
) -> Int32 {
  guard let system = unsafe registered(record)?.system, let buffer = unsafe buffer else { return 0 }
  let bytes = system.randomBytes(Int(count)).prefix(Int(count))
  for (index, byte) in bytes.enumerated() { unsafe buffer[index] = CChar(bitPattern: byte) }
  return Int32(bytes.count)
}

private func onSleep(
  _ record: UnsafeMutablePointer<sqlite3_vfs>?, _ microseconds: Int32
) -> Int32 {
  unsafe registered(record)?.system.sleep(microseconds: Int(microseconds))
  return microseconds
}

/// SQLite counts from noon on 24 November 4714 BC, in milliseconds.
private let millisecondsBefore1970: Int64 = 210_866_760_000_000

private func onCurrentTimeMs(
  _ record: UnsafeMutablePointer<sqlite3_vfs>?, _ result: UnsafeMutablePointer<sqlite3_int64>?
) -> Int32 {
  guard let system = unsafe registered(record)?.system else { return SQLITE_ERROR }
  unsafe result?.pointee = system.nowMs + millisecondsBefore1970
  return SQLITE_OK
}

private func onCurrentTime(
  _ record: UnsafeMutablePointer<sqlite3_vfs>?, _ result: UnsafeMutablePointer<Double>?
) -> Int32 {
  guard let system = unsafe registered(record)?.system else { return SQLITE_ERROR }
  unsafe result?.pointee = Double(system.nowMs + millisecondsBefore1970) / 86_400_000
  return SQLITE_OK
}

/// No numbers of the operating system stand behind a virtual one.
private func onLastError(
  _: UnsafeMutablePointer<sqlite3_vfs>?, _: Int32, _: UnsafeMutablePointer<CChar>?
) -> Int32 { 0 }
