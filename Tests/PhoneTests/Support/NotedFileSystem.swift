import Ports

/// Passes calls on, notes those that change something, and fails or dies where it is told to.
final class NotedFileSystem: FileSystem {
  private let below: any FileSystem
  private let journal: Journal
  private var names: [FileHandleID: String] = [:]
  private var isDead = false

  /// Asked before every call; an error number refuses it.
  var refuse: (_ call: String, _ path: String) -> Int32? = { _, _ in nil }
  /// Asked before every call; `true` ends the process: this call and all later ones do nothing.
  var dies: (_ call: String, _ path: String) -> Bool = { _, _ in false }
  /// How many times SQLite is led to a place where no file can be.
  var detourCount = 0
  /// Bytes that one write takes at most.
  var writeMax = Int.max

  init(_ below: any FileSystem, _ journal: Journal) {
    self.below = below
    self.journal = journal
  }

  private func ask(_ call: String, _ path: String, notes: Bool = true) throws(FileError) {
    if dies(call, path) { isDead = true }
    guard !isDead else { throw FileError(call: call, path: path, code: FileError.inputOutput) }
    if notes { journal.note("\(call) \(short(path))") }
    if let code = refuse(call, path) { throw FileError(call: call, path: path, code: code) }
  }

  private func short(_ path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  private func name(_ file: FileHandleID) -> String { names[file] ?? "?" }

  func open(
    _ path: String, _ mode: FileOpening, permissions: UInt16
  ) throws(FileError) -> FileHandleID {
    let isRead = if case .read = mode { true } else { false }
    try ask(isRead ? "read" : "create", path, notes: !isRead)
    let file = try below.open(path, mode, permissions: permissions)
    names[file] = path
    return file
  }

  func read(_ file: FileHandleID, at offset: Int, count: Int) throws(FileError) -> [UInt8] {
    try ask("pread", name(file), notes: false)
    return try below.read(file, at: offset, count: count)
  }

  func write(_ file: FileHandleID, _ bytes: [UInt8], at offset: Int) throws(FileError) -> Int {
    try ask("write", name(file))
    return try below.write(file, Array(bytes.prefix(writeMax)), at: offset)
  }

  func sync(_ file: FileHandleID) throws(FileError) {
    try ask("fsync", name(file))
    try below.sync(file)
  }

  func truncate(_ file: FileHandleID, to length: Int) throws(FileError) {
    try ask("truncate", name(file))
    try below.truncate(file, to: length)
  }

  func close(_ file: FileHandleID) {
    if !isDead, names[file] != nil { journal.note("close \(short(name(file)))") }
    below.close(file)
    names[file] = nil
  }

  func rename(_ from: String, to target: String) throws(FileError) {
    try ask("rename", target)
    try below.rename(from, to: target)
  }

  func unlink(_ path: String) throws(FileError) {
    try ask("unlink", path)
    try below.unlink(path)
  }

  func makeDirectory(_ path: String, permissions: UInt16) throws(FileError) {
    try ask("mkdir", path, notes: false)
    try below.makeDirectory(path, permissions: permissions)
  }

  func removeDirectory(_ path: String) throws(FileError) {
    try ask("rmdir", path)
    try below.removeDirectory(path)
  }

  func list(_ path: String) throws(FileError) -> [String] {
    try ask("list", path, notes: false)
    return try below.list(path)
  }

  func status(_ path: String) throws(FileError) -> FileStatus {
    try ask("stat", path, notes: false)
    return try below.status(path)
  }

  func setAttribute(
    _ name: String, _ value: [UInt8], of file: FileHandleID
  ) throws(FileError) {
    try ask("setxattr", self.name(file))
    try below.setAttribute(name, value, of: file)
  }

  func syncDirectory(_ path: String) throws(FileError) {
    try ask("syncdir", path)
    try below.syncDirectory(path)
  }

  func database(at path: String) -> DatabaseLocation {
    guard detourCount > 0 else { return below.database(at: path) }
    detourCount -= 1
    return below.database(at: "/no/directory/\(short(path))")
  }
}
