import CSQLite

/// A file system that SQLite can use, once it is a ``RegisteredFileSystem``.
///
/// The calls of one connection come from its thread. Paths are those of ``fullPath(of:)``, with
/// SQLite's endings (`-journal`, `-wal`). Temporary files never get here: they stay in memory.
package protocol VirtualFileSystem: AnyObject {
  /// Opens a file; a main database becomes a ``VirtualDatabaseFile``. Models `xOpen`.
  func open(_ path: String, _ opening: VFSOpening) throws(VFSError) -> any VirtualFile

  /// Models `xDelete`; a missing file is ``VFSError/deleteMissing``.
  func delete(_ path: String, syncingDirectory: Bool) throws(VFSError)

  /// Whether something is there that is more than an empty file. Models `xAccess`.
  func hasContent(at path: String) -> Bool

  /// Whether a file is there and may be read and written. Models `xAccess`.
  func isWritable(_ path: String) -> Bool

  /// The absolute path without links. Models `xFullPathname`.
  func fullPath(of path: String) -> String

  func randomBytes(_ count: Int) -> [UInt8]

  func sleep(microseconds: Int)

  /// Milliseconds since 1970.
  var nowMs: Int64 { get }
}

/// An open file. Closed once, after its last use.
package protocol VirtualFile: AnyObject {
  /// Whether it could only be opened for reading.
  var isReadOnly: Bool { get }

  func close()

  /// Reads up to `count` bytes; fewer only at the end of the file.
  func read(at offset: Int, count: Int) throws(VFSError) -> [UInt8]

  /// Writes all bytes. A throw may leave the first of them written.
  func write(_ bytes: [UInt8], at offset: Int) throws(VFSError)

  func truncate(to length: Int) throws(VFSError)

  func sync() throws(VFSError)

  func sizeBytes() throws(VFSError) -> Int
}

/// An open main database: a file with locks and, for a WAL, an index in shared memory.
package protocol VirtualDatabaseFile: VirtualFile {
  var lockLevel: LockLevel { get }

  /// Raises the lock. A failed ``LockLevel/exclusive`` may leave ``LockLevel/pending``.
  ///
  /// - Throws: ``VFSError/busy`` when another connection's lock forbids it.
  func lock(_ level: LockLevel) throws(VFSError)

  /// Lowers the lock to ``LockLevel/shared`` or ``LockLevel/none``.
  func unlock(to level: LockLevel) throws(VFSError)

  /// Whether any connection holds ``LockLevel/reserved`` or more.
  func isReserved() throws(VFSError) -> Bool

  /// Whether the path no longer leads to this file.
  var hasMoved: Bool { get }

  /// Maps the index of the WAL as far as a region.
  ///
  /// - Returns: `nil` when the region is not there and `extending` is false.
  func mapIndex(
    throughRegion region: Int, regionBytes: Int, extending: Bool
  ) throws(VFSError) -> SharedMemoryMap?

  /// Takes some of the index's eight locks, all or none.
  func lockIndex(_ slots: UInt16, exclusively: Bool) throws(VFSError)

  func unlockIndex(_ slots: UInt16)

  /// Lets go of the index; the last one to do so may have its file deleted.
  func unmapIndex(deletingFile: Bool)
}

/// How SQLite locks a database file, weakest first.
package enum LockLevel: Int32, Comparable, Sendable {
  case none, shared, reserved, pending, exclusive

  package static func < (left: LockLevel, right: LockLevel) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// What SQLite opens, and how.
package struct VFSOpening: Equatable, Sendable {
  package enum Kind: Equatable, Sendable {
    case database, journal, superJournal, wal
  }

  package let kind: Kind
  package let creates: Bool
  /// An existing file is an error.
  package let isExclusive: Bool
  package let isReadOnly: Bool

  /// `nil` for a temporary file.
  init?(flags: Int32) {
    switch flags & 0x0F_FF00 {
    case SQLITE_OPEN_MAIN_DB: kind = .database
    case SQLITE_OPEN_MAIN_JOURNAL: kind = .journal
    case SQLITE_OPEN_SUPER_JOURNAL: kind = .superJournal
    case SQLITE_OPEN_WAL: kind = .wal
    default: return nil
    }
    creates = flags & SQLITE_OPEN_CREATE != 0
    isExclusive = flags & SQLITE_OPEN_EXCLUSIVE != 0
    isReadOnly = flags & SQLITE_OPEN_READWRITE == 0
  }
}
