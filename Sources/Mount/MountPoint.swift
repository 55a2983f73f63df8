import Glibc
import Linux

/// The folder that a phone is mounted on.
struct MountPoint: Sendable {
  /// Absolute, without links.
  let path: String
  /// Whether it was made for this mount, and goes with it.
  let wasMade: Bool

  /// Checks a folder, makes it when only the last part is missing, and detaches a dead mount that an
  /// earlier lab left there.
  ///
  /// - Throws: ``MountError`` that says what is wrong; nothing has been made then.
  init(preparing directory: String) throws(MountError) {
    let given = Self.withoutTrailingSlashes(directory)
    Self.detachIfDead(given)
    if !Files.exists(given) {
      let parent = Self.parent(of: given)
      guard (try? Files.absolutePath(parent)) != nil else {
        throw .parentMissing(directory: parent)
      }
      try mounting { () throws(SystemError) in try Files.makeDirectory(given, permissions: 0o755) }
      path = try mounting { () throws(SystemError) in try Files.absolutePath(given) }
      wasMade = true
      return
    }
    let path = try mounting { () throws(SystemError) in try Files.absolutePath(given) }
    let status = try mounting { () throws(SystemError) in try Files.status(path) }
    guard status.isDirectory else { throw .notDirectory(path) }
    guard !Self.isMounted(path) else { throw .alreadyMounted(path) }
    let names = try mounting { () throws(SystemError) in try Files.list(path) }
    guard names.isEmpty else { throw .notEmpty(path) }
    self.path = path
    wasMade = false
  }

  /// Removes the folder if it was made for the mount.
  func removeIfMade() {
    // A folder that somebody filled meanwhile stays.
    if wasMade { unsafe rmdir(path) }
  }

  /// Whether something is mounted exactly here.
  static func isMounted(_ path: String) -> Bool {
    guard let table = try? Files.read("/proc/self/mountinfo") else { return false }
    let wanted = escaped(path)
    return String(decoding: table, as: UTF8.self).split(separator: "\n").contains { line in
      let fields = line.split(separator: " ", maxSplits: 5)
      return fields.count > 4 && fields[4] == wanted
    }
  }

  /// Takes a mount out of the tree at once, and for root ends its connection.
  ///
  /// Without that, a process that is being started by another thread keeps the connection alive by
  /// its copies of our descriptors, and waits for ever when it closes one of a file of the mount.
  static func detach(_ path: String) throws(SystemError) {
    if unsafe umount2(path, Int32(MNT_DETACH | MNT_FORCE)) == 0 { return }
    let code = errno
    guard code == EPERM else { throw SystemError(call: "umount", subject: path, code: code) }
    var launch = ChildProcess.Launch(["fusermount3", "-u", "-q", "-z", "--", path])
    launch.descriptors = [nil, nil, nil]
    guard try ChildProcess(launch).wait() == .exited(0) else {
      throw SystemError(call: "fusermount3 -u", subject: path, code: code)
    }
  }

  /// Detaches a mount whose server is gone.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  static func detachIfDead(_ path: String) -> Bool {
    guard let folder = try? Files.absolutePath(parent(of: path)) else { return false }
    let name = path.split(separator: "/").last ?? ""
    let place = folder == "/" ? "/\(name)" : "\(folder)/\(name)"
    guard isMounted(place), Files.isDisconnected(place) else { return false }
    return (try? detach(place)) != nil
  }

  private static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private static func withoutTrailingSlashes(_ path: String) -> String {
    var path = Substring(path)
    while path.count > 1, path.last == "/" { path.removeLast() }
    return String(path)
  }

  /// As `/proc/self/mountinfo` writes a path.
  private static func escaped(_ path: String) -> String {
    path.utf8.map { byte in
      switch byte {
      case UInt8(ascii: " "): "\\040"
      case UInt8(ascii: "\t"): "\\011"
      case UInt8(ascii: "\n"): "\\012"
      case UInt8(ascii: "\\"): "\\134"
      default: String(decoding: [byte], as: UTF8.self)
      }
    }.joined()
  }
}
