package import Device
package import Ports
import SQLite

/// The files of a simulated device, as one process sees them.
///
/// Once a fault has ended the process, or cut the power, each call fails with EIO and
/// ``isGone`` says so. Symbolic links are followed as `open(2)` and its kin do; permissions are not
/// checked, as on the device itself.
package final class DeviceFileSystem: FileSystem {
  let box: DeviceBox
  let process: ProcessNumber
  private var databaseSeeds: DatabaseSeeds?
  private var openFiles: [FileHandleID: OpenFile] = [:]
  private var lastHandle = 2

  private struct OpenFile {
    let inode: InodeID
    let path: String
    let mayWrite: Bool
  }

  /// Makes the view of one process.
  ///
  /// - Parameters:
  ///   - box: The device.
  ///   - process: The process.
  ///   - databaseSeed: Where the random numbers in databases come from; `nil` is the machine that
  ///     SQLite sees.
  package init(_ box: DeviceBox, process: ProcessNumber, databaseSeed: UInt64? = nil) {
    self.box = box
    self.process = process
    databaseSeeds = databaseSeed.map(DatabaseSeeds.init)
  }

  /// Whether the process has been ended.
  package var isGone: Bool { !box.isAlive(process) }

  // MARK: - Open files

  package func open(
    _ path: String, _ mode: FileOpening, permissions: UInt16
  ) throws(FileError) -> FileHandleID {
    let call = Call("open", path)
    let inode: InodeID
    switch mode {
    case .read, .readWrite:
      inode = try find(call, path)
      try open(call, inode, forWriting: mode == .readWrite)
    case .replace:
      inode = try openOrCreate(call, path, permissions)
    case .createNew:
      inode = try create(call, try free(call, path), permissions)
    }
    lastHandle += 1
    let handle = FileHandleID(number: lastHandle)
    openFiles[handle] = OpenFile(
      inode: inode, path: path, mayWrite: mode != .read)
    return handle
  }

  private func openOrCreate(
    _ call: Call, _ path: String, _ permissions: UInt16
  ) throws(FileError) -> InodeID {
    let place = try resolved(call, try parent(call, path), depth: 0)
    do {
      let found = try attributes(call, .lookUp(place.directory, place.name)).inode
      try open(call, found, forWriting: true)
      _ = try perform(call, .setAttributes(found, .truncating(to: 0)))
      return found
    } catch  where error.code == FileError.noEntry {
      return try create(call, place, permissions)
    }
  }

  private func open(_ call: Call, _ inode: InodeID, forWriting: Bool) throws(FileError) {
    let kind = try attributes(call, .attributes(inode)).kind
    if forWriting, kind == .directory { throw call.error(.isDirectory) }
    _ = try perform(call, .open(inode))
  }

  private func create(
    _ call: Call, _ place: Place, _ permissions: UInt16
  ) throws(FileError) -> InodeID {
    try attributes(
      call, .create(in: place.directory, place.name, Ownership(mode: permissions))
    ).inode
  }

  package func read(
    _ file: FileHandleID, at offset: Int, count: Int
  ) throws(FileError) -> [UInt8] {
    let (call, open) = try opened("read", file)
    let response = try perform(call, .read(open.inode, offset: offset, count: count))
    guard case .data(let bytes) = response else { throw call.error(.inputOutput) }
    return bytes
  }

  package func write(
    _ file: FileHandleID, _ bytes: [UInt8], at offset: Int
  ) throws(FileError) -> Int {
    let (call, open) = try opened("write", file)
    guard open.mayWrite else { throw call.error(.badDescriptor) }
    var taken = 0
    repeat {
      let part = Array(bytes[taken...].prefix(Self.writeRoom(at: offset + taken)))
      let response: Response
      do {
        response = try perform(call, .write(open.inode, offset: offset + taken, part))
      } catch {
        guard taken > 0 else { throw error }
        break
      }
      guard case .written(let count) = response else { throw call.error(.inputOutput) }
      taken += count
      if count < part.count { break }
    } while taken < bytes.count
    return taken
  }

  /// How much of a write a mount takes at a time: what begins inside a page ends with it, and a kernel
  /// hands over no more than a mebibyte.
  private static func writeRoom(at offset: Int) -> Int {
    let start = offset % Inode.pageBytes
    return start == 0 ? 1 << 20 : Inode.pageBytes - start
  }

  package func sync(_ file: FileHandleID) throws(FileError) {
    let (call, open) = try opened("fsync", file)
    _ = try perform(call, .sync(open.inode, dataOnly: false))
  }

  package func truncate(_ file: FileHandleID, to length: Int) throws(FileError) {
    let (call, open) = try opened("ftruncate", file)
    guard open.mayWrite else { throw call.error(.invalid) }
    _ = try perform(call, .setAttributes(open.inode, .truncating(to: length)))
  }

  package func close(_ file: FileHandleID) {
    guard let open = openFiles.removeValue(forKey: file) else { return }
    _ = box.perform(.release(open.inode), by: process)
  }

  package func setAttribute(
    _ name: String, _ value: [UInt8], of file: FileHandleID
  ) throws(FileError) {
    let (call, open) = try opened("fsetxattr", file)
    _ = try perform(call, .setExtendedAttribute(open.inode, name: name, value, .any))
  }

  private func opened(
    _ name: String, _ file: FileHandleID
  ) throws(FileError) -> (Call, OpenFile) {
    guard let open = openFiles[file] else { throw Call(name, "").error(.badDescriptor) }
    return (Call(name, open.path), open)
  }

  // MARK: - Names

  package func rename(_ from: String, to target: String) throws(FileError) {
    let call = Call("rename", target)
    let (old, new) = (try existing(call, from), try parent(call, target))
    _ = try perform(
      call, .rename(from: old.directory, old.name, to: new.directory, new.name, .replacing))
  }

  package func unlink(_ path: String) throws(FileError) {
    let call = Call("unlink", path)
    let place = try existing(call, path)
    _ = try perform(call, .unlink(in: place.directory, place.name))
  }

  package func makeDirectory(_ path: String, permissions: UInt16) throws(FileError) {
    let call = Call("mkdir", path)
    let place = try free(call, path)
    _ = try perform(
      call, .makeDirectory(in: place.directory, place.name, Ownership(mode: permissions)))
  }

  package func removeDirectory(_ path: String) throws(FileError) {
    let call = Call("rmdir", path)
    let place = try existing(call, path)
    _ = try perform(call, .removeDirectory(in: place.directory, place.name))
  }

  package func list(_ path: String) throws(FileError) -> [String] {
    let call = Call("opendir", path)
    let response = try perform(call, .list(try find(call, path)))
    guard case .entries(let entries) = response else { throw call.error(.inputOutput) }
    return entries.map(\.name.description)
  }

  package func status(_ path: String) throws(FileError) -> FileStatus {
    let call = Call("stat", path)
    let found = try find(call, path)
    let attributes = try attributes(call, .attributes(found))
    let kind: FileStatus.Kind =
      switch attributes.kind {
      case .directory: .directory
      case .symbolicLink: .link
      case .file, .fifo, .socket: .file
      }
    return FileStatus(
      kind: kind, sizeBytes: attributes.sizeBytes, modifiedNs: attributes.modifiedNs)
  }

  package func syncDirectory(_ path: String) throws(FileError) {
    let call = Call("fsync", path)
    _ = try perform(call, .syncDirectory(try find(call, path)))
  }

  package func database(at path: String) -> DatabaseLocation {
    DatabaseLocation(
      vfs: databaseSystem.name, path: path, seed: databaseSeeds?.next(for: path))
  }

  /// Registered with the first database.
  private lazy var databaseSystem = RegisteredFileSystem(
    DeviceVFS(box, process: process), prefix: "lab-device")
}
