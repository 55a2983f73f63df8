/// The files of the phone, as one process sees them. Synchronous, as the system calls are.
///
/// Paths are absolute on the phone (`/private/var/…`). Nothing is durable before ``sync(_:)`` or
/// ``syncDirectory(_:)`` returns, and then only what the phone's persistence profile says.
package protocol FileSystem: AnyObject {
  /// Opens a file, and creates it when `mode` says so. Models `open(2)`.
  func open(
    _ path: String, _ mode: FileOpening, permissions: UInt16
  ) throws(FileError) -> FileHandleID

  /// Reads up to `count` bytes; fewer at the end of the file. Models `pread(2)`.
  func read(
    _ file: FileHandleID, at offset: Int, count: Int
  ) throws(FileError) -> [UInt8]

  /// Writes and returns how many bytes were taken, which may be fewer. Models `pwrite(2)`.
  func write(_ file: FileHandleID, _ bytes: [UInt8], at offset: Int) throws(FileError) -> Int

  /// Models `fsync(2)`: content and length of the file, not its name.
  func sync(_ file: FileHandleID) throws(FileError)

  /// Models `ftruncate(2)`.
  func truncate(_ file: FileHandleID, to length: Int) throws(FileError)

  /// Closes the file. Errors of `close(2)` are not reported, as the modelled libraries ignore them.
  func close(_ file: FileHandleID)

  /// Models `rename(2)`; an existing target is replaced atomically in the live view.
  func rename(_ from: String, to target: String) throws(FileError)

  /// Models `unlink(2)`.
  func unlink(_ path: String) throws(FileError)

  /// Models `mkdir(2)`.
  func makeDirectory(_ path: String, permissions: UInt16) throws(FileError)

  /// Models `rmdir(2)`.
  func removeDirectory(_ path: String) throws(FileError)

  /// The names in a directory without `.` and `..`, sorted by bytes.
  func list(_ path: String) throws(FileError) -> [String]

  /// Models `stat(2)`.
  func status(_ path: String) throws(FileError) -> FileStatus

  /// Models `fsetxattr(2)`.
  func setAttribute(_ name: String, _ value: [UInt8], of file: FileHandleID) throws(FileError)

  /// Models `fsync(2)` of a directory: makes its pending entries durable.
  func syncDirectory(_ path: String) throws(FileError)

  /// How SQLite reaches a file of this file system.
  func database(at path: String) -> DatabaseLocation
}

/// An open file of one ``FileSystem``.
package struct FileHandleID: Hashable, Sendable {
  package let number: Int

  package init(number: Int) {
    self.number = number
  }
}

/// How a file is opened.
package enum FileOpening: Sendable {
  case read
  case readWrite
  /// Create, or truncate to zero when it exists (`O_CREAT | O_TRUNC`).
  case replace
  /// Create; an existing file is an error (`O_CREAT | O_EXCL`).
  case createNew
}

/// What `stat(2)` says that the phone's libraries read.
package struct FileStatus: Equatable, Sendable {
  package enum Kind: Sendable { case file, directory, link }

  package var kind: Kind
  package var sizeBytes: Int
  /// Modification time, nanoseconds since 1970. AsyncStorage picks the newer manifest by it.
  package var modifiedNs: Int64

  package init(kind: Kind, sizeBytes: Int, modifiedNs: Int64) {
    self.kind = kind
    self.sizeBytes = sizeBytes
    self.modifiedNs = modifiedNs
  }
}

/// The name of the SQLite VFS that serves a file, and the path to give it.
package struct DatabaseLocation: Equatable, Sendable {
  /// `nil` is SQLite's default VFS.
  package var vfs: String?
  package var path: String
  /// Where a connection's random numbers come from; `nil` is the system.
  package var seed: UInt64?

  package init(vfs: String?, path: String, seed: UInt64? = nil) {
    self.vfs = vfs
    self.path = path
    self.seed = seed
  }
}

/// A failed file call: which call, on what, and the Linux error number.
package struct FileError: Error, Equatable, Sendable {
  package var call: String
  package var path: String
  package var code: Int32

  package init(call: String, path: String, code: Int32) {
    self.call = call
    self.path = path
    self.code = code
  }

  package static let notPermitted: Int32 = 1
  package static let noEntry: Int32 = 2
  package static let inputOutput: Int32 = 5
  package static let noAccess: Int32 = 13
  package static let exists: Int32 = 17
  package static let noSpace: Int32 = 28
}

extension FileError: CustomStringConvertible {
  package var description: String { "\(call) \(path): error \(code)" }
}
