import Device
import Ports
import SQLite

/// SQLite's way to the files of a simulated device, as one process.
///
/// The contract is that of SQLite's VFS for Unix: the same calls in the same order, the same answer
/// to each error. So the device sees what a mount of it would see:
/// - a journal or WAL that was opened to be made has its directory synced with its first sync;
/// - `-shm` is a file with a name and a length. What connections write into the index stays in
///   memory that they share, as it stays in the kernel's cache on a mount until a moment that
///   nobody knows; so the content of such a file counts for nothing, here as there;
/// - locks are kept between the connections of one device, and go with the process that held them.
///
/// Once the process has ended, each call fails, and nothing that its connections still do reaches
/// the device, the locks or the index of another process.
///
/// Not modelled: the owner that a journal takes over from its database, and databases on a medium
/// that can only be read.
final class DeviceVFS: VirtualFileSystem {
  let box: DeviceBox
  let process: ProcessNumber
  /// Walks paths as this process does.
  private let files: DeviceFileSystem
  /// What the process's connections have open, in the order of opening.
  var openFiles: [DeviceVFSFile] = []

  init(_ box: DeviceBox, process: ProcessNumber) {
    self.box = box
    self.process = process
    files = DeviceFileSystem(box, process: process)
  }

  var isGone: Bool { !box.isAlive(process) }

  func perform(_ request: Request) throws(DeviceError) -> Response {
    let response = try box.perform(request, by: process).get()
    // The answer to an operation that ended the process reaches nobody.
    guard !isGone else { throw .inputOutput }
    return response
  }

  /// Performs a request that nobody minds when it fails.
  func succeeds(_ request: Request) -> Bool {
    if case .success = box.perform(request, by: process) { !isGone } else { false }
  }

  func attributes(_ request: Request) throws(DeviceError) -> Attributes {
    guard case .attributes(let attributes) = try perform(request) else { throw .inputOutput }
    return attributes
  }

  // MARK: - Files

  func open(_ path: String, _ opening: VFSOpening) throws(VFSError) -> any VirtualFile {
    let mode = try permissions(path, opening.kind)
    let path = devicePath(path)
    var isReadOnly = opening.isReadOnly
    let inode: InodeID
    do {
      let mustBeNew = opening.isExclusive && opening.creates
      inode = try open(path, creatingWith: opening.creates ? mode : nil, mustBeNew: mustBeNew)
    } catch {
      // What cannot be written may still be read.
      guard !isReadOnly, error != .isDirectory else { throw .cannotOpen }
      isReadOnly = true
      inode = try orElse(.cannotOpen) { () throws(DeviceError) in
        try open(path, creatingWith: nil, mustBeNew: false)
      }
    }
    if opening.kind == .database {
      return DeviceVFSDatabase(self, path, inode, isReadOnly: isReadOnly)
    }
    return DeviceVFSFile(
      self, path, inode, isReadOnly: isReadOnly, syncsDirectory: opening.creates)
  }

  /// Opens a file, or makes it when a mode says so. Links are not followed.
  func open(
    _ path: DevicePath, creatingWith mode: UInt16?, mustBeNew: Bool
  ) throws(DeviceError) -> InodeID {
    let directory = try directory(of: path)
    do throws(DeviceError) {
      let found = try attributes(.lookUp(directory, path.name))
      if mustBeNew { throw .exists }
      if found.kind == .directory { throw .isDirectory }
      guard found.kind == .file else { throw .noAccess }
      _ = try perform(.open(found.inode))
      return found.inode
    } catch .noEntry {
      guard let mode else { throw .noEntry }
      return try attributes(.create(in: directory, path.name, Ownership(mode: mode))).inode
    }
  }

  /// A journal and a WAL take the permissions of the database that they belong to.
  private func permissions(_ path: String, _ kind: VFSOpening.Kind) throws(VFSError) -> UInt16 {
    guard kind == .journal || kind == .wal, let dash = path.lastIndex(of: "-") else { return 0o644 }
    return try orElse(.status) { () throws(DeviceError) in
      try status(devicePath(String(path[..<dash]))).mode & 0o777
    }
  }

  func delete(_ path: String, syncingDirectory: Bool) throws(VFSError) {
    let path = devicePath(path)
    do {
      _ = try status(path)
      _ = try perform(.unlink(in: directory(of: path), path.name))
    } catch {
      throw error == .noEntry ? .deleteMissing : .delete
    }
    if syncingDirectory, !syncDirectory(of: path) { throw .syncDirectory }
  }

  /// Syncs the directory of a file; one that cannot be opened is left alone.
  ///
  /// - Returns: Whether the sync did not fail.
  func syncDirectory(of path: DevicePath) -> Bool {
    guard let directory = path.directory(in: box.device.live), succeeds(.open(directory)) else {
      return true
    }
    defer { _ = succeeds(.release(directory)) }
    return succeeds(.syncDirectory(directory))
  }

  func hasContent(at path: String) -> Bool {
    guard let found = existing(path) else { return false }
    return found.kind != .file || found.sizeBytes > 0
  }

  func isWritable(_ path: String) -> Bool { existing(path) != nil }

  private func status(_ path: DevicePath) throws(DeviceError) -> Attributes {
    try attributes(.lookUp(directory(of: path), path.name))
  }

  /// SQLite asks at each lock for journals that are not there: nothing is thrown for them.
  private func existing(_ path: String) -> Attributes? {
    let path = devicePath(path)
    guard let directory = path.directory(in: box.device.live),
      case .success(.attributes(let found)) = box.perform(
        .lookUp(directory, path.name), by: process),
      !isGone
    else { return nil }
    return found
  }

  // MARK: - Paths

  private var paths: [String: DevicePath] = [:]

  func devicePath(_ path: String) -> DevicePath {
    if let known = paths[path] { return known }
    let parsed = DevicePath(path)
    paths[path] = parsed
    return parsed
  }

  private func directory(of path: DevicePath) throws(DeviceError) -> InodeID {
    guard let directory = path.directory(in: box.device.live) else { throw .noEntry }
    return directory
  }

  func fullPath(of path: String) -> String {
    do {
      let call = DeviceFileSystem.Call("lstat", path)
      let place = try files.resolved(call, try files.parent(call, path), depth: 0)
      return box.device.live.path(of: place.name, in: place.directory)
    } catch {
      // Opening it will say what is wrong.
      return path
    }
  }

  // MARK: - The machine

  func randomBytes(_ count: Int) -> [UInt8] { box.entropy.bytes(count) }

  func sleep(microseconds: Int) { box.onSleep?(microseconds) }

  var nowMs: Int64 { box.nowNs / 1_000_000 }

  /// Runs `body`, and throws `failure` for whatever it throws.
  func orElse<Result>(
    _ failure: VFSError, _ body: () throws(DeviceError) -> Result
  ) throws(VFSError) -> Result {
    do {
      return try body()
    } catch {
      throw failure
    }
  }
}
