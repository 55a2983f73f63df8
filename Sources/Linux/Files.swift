import CLinux
import Glibc

/// Files of the machine, without Foundation.
package enum Files {
  package static func read(_ path: String) throws(SystemError) -> [UInt8] {
    try Descriptor.open(path, O_RDONLY).readAll()
  }

  /// Creates or replaces a file's content; not atomically, and not synced. A new file that cannot be
  /// filled is removed again.
  package static func write(
    _ path: String, _ bytes: some Collection<UInt8>, permissions: UInt32 = 0o600
  ) throws(SystemError) {
    let isNew = !exists(path)
    let file = try Descriptor.open(path, O_WRONLY | O_CREAT | O_TRUNC, permissions: permissions)
    do {
      try file.write(bytes)
    } catch {
      if isNew { try remove(path) }
      throw SystemError(call: "write", subject: path, code: error.code)
    }
  }

  package static func makeDirectory(
    _ path: String, permissions: UInt32 = 0o700
  ) throws(SystemError) {
    try check("mkdir", path, unsafe mkdir(path, permissions))
  }

  package static func rename(_ from: String, to target: String) throws(SystemError) {
    try check("rename", from, unsafe Glibc.rename(from, target))
  }

  /// Removes a file or an empty directory.
  package static func remove(_ path: String) throws(SystemError) {
    try check("remove", path, unsafe Glibc.remove(path))
  }

  /// Removes a directory and everything in it. Follows no links.
  package static func removeTree(_ path: String) throws(SystemError) {
    if try status(path).isDirectory {
      for name in try list(path) { try removeTree("\(path)/\(name)") }
    }
    try remove(path)
  }

  /// Whether something has this path. Links are not followed.
  package static func exists(_ path: String) -> Bool {
    (try? status(path)) != nil
  }

  /// Models `lstat(2)`.
  package static func status(_ path: String) throws(SystemError) -> Status {
    var status = stat()
    try check("lstat", path, unsafe lstat(path, &status))
    return Status(
      isDirectory: status.st_mode & S_IFMT == S_IFDIR,
      isRegular: status.st_mode & S_IFMT == S_IFREG, permissions: status.st_mode & 0o7777,
      owner: status.st_uid, device: UInt64(status.st_dev),
      representedDevice: UInt64(status.st_rdev), sizeBytes: Int(status.st_size))
  }

  /// Whether a file system is mounted here whose server is gone. Its attributes may still be cached,
  /// so it is asked for what is never cached.
  package static func isDisconnected(_ path: String) -> Bool {
    var answer = statvfs()
    return unsafe statvfs(path, &answer) != 0 && (errno == ENOTCONN || errno == ECONNABORTED)
  }

  package struct Status: Equatable, Sendable {
    package let isDirectory: Bool
    package let isRegular: Bool
    package let permissions: UInt32
    package let owner: UInt32
    package let device: UInt64
    /// For a device file, the device that it stands for.
    package let representedDevice: UInt64
    package let sizeBytes: Int
  }

  package static func readLink(_ path: String) throws(SystemError) -> String {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink(path, &bytes, bytes.count)
    try check("readlink", path, count)
    return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The names in a directory without `.` and `..`, sorted.
  package static func list(_ path: String) throws(SystemError) -> [String] {
    guard let directory = unsafe opendir(path) else {
      throw SystemError(call: "opendir", subject: path, code: errno)
    }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) {
          unsafe String(cString: $0)
        }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// The absolute path without links, `.` and `..`.
  package static func absolutePath(_ path: String) throws(SystemError) -> String {
    guard let resolved = unsafe realpath(path, nil) else {
      throw SystemError(call: "realpath", subject: path, code: errno)
    }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }

  /// The path of the program that runs.
  package static func currentExecutable() throws(SystemError) -> String {
    try readLink("/proc/self/exe")
  }

  /// The value of an environment variable of this process.
  package static func environment(_ name: String) -> String? {
    unsafe getenv(name).map { unsafe String(cString: $0) }
  }
}
