import Glibc
import Linux
package import Ports

/// The phone's files under a directory of this machine: a mounted phone, or any directory.
///
/// `/private/var` on the phone is `<root>/private/var` here. Symbolic links are followed as the
/// kernel does. Each method is one system call, but for the retry after EINTR and ``list(_:)``.
package final class PosixFileSystem: FileSystem {
  /// The directory that is the phone's `/`, without a slash at the end.
  package let root: String
  private var databaseSeeds: DatabaseSeeds?

  /// - Parameters:
  ///   - root: The directory that is to be the phone's `/`.
  ///   - databaseSeed: Where the random numbers in databases come from; `nil` is the system.
  package init(root: String, databaseSeed: UInt64? = nil) {
    var root = root
    while root.utf8.last == UInt8(ascii: "/") { root.removeLast() }
    self.root = root
    databaseSeeds = databaseSeed.map(DatabaseSeeds.init)
  }

  package func open(
    _ path: String, _ mode: FileOpening, permissions: UInt16
  ) throws(FileError) -> FileHandleID {
    let flags =
      switch mode {
      case .read: O_RDONLY
      case .readWrite: O_RDWR
      case .replace: O_RDWR | O_CREAT | O_TRUNC
      case .createNew: O_RDWR | O_CREAT | O_EXCL
      }
    let place = place(of: path)
    let file = try check("open", path) {
      unsafe Glibc.open(place, flags | O_CLOEXEC, mode_t(permissions))
    }
    return FileHandleID(number: Int(file))
  }

  package func read(
    _ file: FileHandleID, at offset: Int, count: Int
  ) throws(FileError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let taken = try check("read", name(of: file)) {
      unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe pread(Int32(file.number), buffer.baseAddress, buffer.count, off_t(offset))
      }
    }
    bytes.removeLast(count - taken)
    return bytes
  }

  package func write(
    _ file: FileHandleID, _ bytes: [UInt8], at offset: Int
  ) throws(FileError) -> Int {
    try check("write", name(of: file)) {
      unsafe bytes.withUnsafeBytes { buffer in
        unsafe pwrite(Int32(file.number), buffer.baseAddress, buffer.count, off_t(offset))
      }
    }
  }

  package func sync(_ file: FileHandleID) throws(FileError) {
    _ = try check("fsync", name(of: file)) { fsync(Int32(file.number)) }
  }

  package func truncate(_ file: FileHandleID, to length: Int) throws(FileError) {
    _ = try check("ftruncate", name(of: file)) { ftruncate(Int32(file.number), off_t(length)) }
  }

  package func close(_ file: FileHandleID) {
    // Linux closes the descriptor even when it reports an error; a retry would hit another file.
    _ = Glibc.close(Int32(file.number))
  }

  package func rename(_ from: String, to target: String) throws(FileError) {
    let (from, target) = (from, target)
    let (old, new) = (place(of: from), place(of: target))
    _ = try check("rename", target) { unsafe Glibc.rename(old, new) }
  }

  package func unlink(_ path: String) throws(FileError) {
    let place = place(of: path)
    _ = try check("unlink", path) { unsafe Glibc.unlink(place) }
  }

  package func makeDirectory(_ path: String, permissions: UInt16) throws(FileError) {
    let place = place(of: path)
    _ = try check("mkdir", path) { unsafe mkdir(place, mode_t(permissions)) }
  }

  package func removeDirectory(_ path: String) throws(FileError) {
    let place = place(of: path)
    _ = try check("rmdir", path) { unsafe rmdir(place) }
  }

  package func list(_ path: String) throws(FileError) -> [String] {
    guard let directory = unsafe opendir(place(of: path)) else {
      throw FileError(call: "opendir", path: path, code: errno)
    }
    defer { _ = unsafe closedir(directory) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = unsafe readdir(directory) else { break }
      let name = unsafe withUnsafePointer(to: entry.pointee.d_name) { field in
        unsafe String(cString: UnsafeRawPointer(field).assumingMemoryBound(to: CChar.self))
      }
      if name != ".", name != ".." { names.append(name) }
    }
    guard errno == 0 else { throw FileError(call: "readdir", path: path, code: errno) }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  package func status(_ path: String) throws(FileError) -> FileStatus {
    var record = stat()
    let place = place(of: path)
    _ = try check("stat", path) { unsafe lstat(place, &record) }
    let kind: FileStatus.Kind =
      switch record.st_mode & S_IFMT {
      case S_IFDIR: .directory
      case S_IFLNK: .link
      default: .file
      }
    let modifiedNs = Int64(record.st_mtim.tv_sec) * 1_000_000_000 + Int64(record.st_mtim.tv_nsec)
    return FileStatus(kind: kind, sizeBytes: Int(record.st_size), modifiedNs: modifiedNs)
  }

  package func setAttribute(
    _ name: String, _ value: [UInt8], of file: FileHandleID
  ) throws(FileError) {
    do {
      try ExtendedAttribute.set(name, value, of: Int32(file.number))
    } catch {
      throw FileError(call: error.call, path: self.name(of: file), code: error.code)
    }
  }

  package func syncDirectory(_ path: String) throws(FileError) {
    let place = place(of: path)
    let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
    let directory = try check("open", path) { unsafe Glibc.open(place, flags) }
    defer { _ = Glibc.close(directory) }
    _ = try check("fsync", path) { fsync(directory) }
  }

  package func database(at path: String) -> DatabaseLocation {
    DatabaseLocation(vfs: nil, path: place(of: path), seed: databaseSeeds?.next(for: path))
  }

  private func place(of path: String) -> String { root + path }

  /// The kernel does not say which path a descriptor was opened by; errors name the number.
  private func name(of file: FileHandleID) -> String { "fd \(file.number)" }

  /// Repeats a call that a signal interrupted, and turns a negative result into an error.
  private func check<Value: SignedInteger>(
    _ call: String, _ path: String, _ body: () -> Value
  ) throws(FileError) -> Value {
    while true {
      let result = body()
      if result >= 0 { return result }
      let code = errno
      if code != EINTR { throw FileError(call: call, path: path, code: code) }
    }
  }
}
