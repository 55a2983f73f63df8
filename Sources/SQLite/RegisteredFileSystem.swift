import CSQLite
import Glibc
import Synchronization

/// A file system under a name by which ``Connection`` finds it.
///
/// Each has a name of its own, so that paths stay as they are, and simulated processes stay apart.
/// The name is there for as long as the value, or a file that was opened by it.
@safe package final class RegisteredFileSystem {
  /// What to open a ``Connection`` with.
  package let name: String
  let system: any VirtualFileSystem
  private let record: UnsafeMutablePointer<sqlite3_vfs>

  private static let count = Atomic(0)

  /// Registers a file system as `PREFIX-NUMBER`.
  package init(_ system: any VirtualFileSystem, prefix: String) {
    Library.isReady
    self.system = system
    let number = Self.count.add(1, ordering: .relaxed).newValue
    name = "\(prefix)-\(number)"
    unsafe record = .allocate(capacity: 1)
    unsafe record.initialize(to: makeRecord())
    unsafe record.pointee.zName = UnsafePointer(strdup(name))
    unsafe record.pointee.pAppData = Unmanaged.passUnretained(self).toOpaque()
    let result = unsafe sqlite3_vfs_register(record, 0)
    precondition(result == SQLITE_OK, "SQLite takes a complete record")
  }

  deinit {
    unsafe sqlite3_vfs_unregister(record)
    unsafe free(UnsafeMutableRawPointer(mutating: record.pointee.zName))
    unsafe record.deallocate()
  }
}

/// What stands behind an open file of SQLite's.
final class OpenVirtualFile {
  let content: any VirtualFile
  /// The same file, when it is a main database.
  let database: (any VirtualDatabaseFile)?
  /// Kept while the file is open: SQLite goes on using its record.
  let system: RegisteredFileSystem

  // What SQLite asks a file to remember.
  var keepsWAL = false
  var isSafeToOverwrite = true

  init(_ content: any VirtualFile, of system: RegisteredFileSystem) {
    self.content = content
    database = content as? any VirtualDatabaseFile
    self.system = system
  }
}
