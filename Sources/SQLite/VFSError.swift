import CSQLite

/// What a ``VirtualFileSystem`` answers SQLite when a call fails: one of SQLite's result codes.
package struct VFSError: Error, Equatable, Sendable {
  package let code: Int32

  init(_ code: Int32) {
    self.code = code
  }

  private init(detail: Int32) {
    code = SQLITE_IOERR | detail << 8
  }

  package static let busy = VFSError(SQLITE_BUSY)
  package static let cannotOpen = VFSError(SQLITE_CANTOPEN)
  /// No room for a write.
  package static let full = VFSError(SQLITE_FULL)

  // The extended codes of I/O errors.
  package static let read = VFSError(detail: 1)
  package static let write = VFSError(detail: 3)
  package static let sync = VFSError(detail: 4)
  package static let syncDirectory = VFSError(detail: 5)
  package static let truncate = VFSError(detail: 6)
  package static let status = VFSError(detail: 7)
  package static let unlock = VFSError(detail: 8)
  package static let delete = VFSError(detail: 10)
  package static let noMemory = VFSError(detail: 12)
  package static let checkReserved = VFSError(detail: 14)
  package static let lock = VFSError(detail: 15)
  package static let indexOpen = VFSError(detail: 18)
  package static let indexSize = VFSError(detail: 19)
  package static let indexLock = VFSError(detail: 20)
  package static let indexMap = VFSError(detail: 21)
  package static let deleteMissing = VFSError(detail: 23)
  /// The medium does not read; SQLite tells its user that the database is corrupt.
  package static let damagedMedium = VFSError(detail: 33)

  static let shortRead = VFSError(detail: 2)
}
