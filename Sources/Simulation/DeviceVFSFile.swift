import Device
import SQLite

/// A file of a device that one connection has open.
class DeviceVFSFile: VirtualFile {
  let system: DeviceVFS
  let path: DevicePath
  /// Where the file is; a ``VFSProbe`` moves it on to the next device.
  private(set) var inode: InodeID
  let isReadOnly: Bool
  /// Whether the next sync makes the file's name durable too.
  private var syncsDirectory: Bool

  init(
    _ system: DeviceVFS, _ path: DevicePath, _ inode: InodeID, isReadOnly: Bool,
    syncsDirectory: Bool
  ) {
    self.system = system
    self.path = path
    self.inode = inode
    self.isReadOnly = isReadOnly
    self.syncsDirectory = syncsDirectory
    system.openFiles.append(self)
  }

  func close() {
    _ = system.succeeds(.release(inode))
    system.openFiles.removeAll { $0 === self }
  }

  func read(at offset: Int, count: Int) throws(VFSError) -> [UInt8] {
    var bytes = try readOnce(at: offset, count: count)
    var isAtEnd = bytes.isEmpty
    while bytes.count < count, !isAtEnd {
      let more = try readOnce(at: offset + bytes.count, count: count - bytes.count)
      isAtEnd = more.isEmpty
      bytes += more
    }
    return bytes
  }

  private func readOnce(at offset: Int, count: Int) throws(VFSError) -> [UInt8] {
    do throws(DeviceError) {
      let response = try system.perform(.read(inode, offset: offset, count: count))
      guard case .data(let bytes) = response else { throw .invalid }
      return bytes
    } catch {
      throw error == .inputOutput && !system.isGone ? .damagedMedium : .read
    }
  }

  /// Writes page by page, as the kernel asks a mount to. A failure behind the first page only ends
  /// the call short; the library goes on with another one from there.
  func write(_ bytes: [UInt8], at offset: Int) throws(VFSError) {
    var written = 0
    var callStart = 0
    while written < bytes.count {
      let position = offset + written
      let room = Inode.pageBytes - position % Inode.pageBytes
      let end = min(bytes.count, written + room)
      let part = end - written == bytes.count ? bytes : Array(bytes[written..<end])
      do throws(DeviceError) {
        let response = try system.perform(.write(inode, offset: position, part))
        guard case .written(let count) = response, count > 0 else { throw .inputOutput }
        written += count
        if written < end { callStart = written }
      } catch {
        guard written > callStart else { throw error == .noSpace ? .full : .write }
        callStart = written
      }
    }
  }

  func truncate(to length: Int) throws(VFSError) {
    try perform(.setAttributes(inode, .truncating(to: length)), orElse: .truncate)
  }

  func sync() throws(VFSError) {
    try perform(.sync(inode, dataOnly: true), orElse: .sync)
    guard syncsDirectory else { return }
    syncsDirectory = false
    // As the VFS for Unix: the file itself is synced, and that is what counts.
    _ = system.syncDirectory(of: path)
  }

  /// One byte counts as none: very old versions wrote one to find out what a new file's number is.
  func sizeBytes() throws(VFSError) -> Int {
    let size = try system.orElse(.status) { () throws(DeviceError) in
      try system.attributes(.attributes(inode)).sizeBytes
    }
    return size == 1 ? 0 : size
  }

  /// Goes on with what is under the same path of another device.
  func moveOn() {
    if let found = path.file(in: system.box.device.live) { inode = found }
  }

  func perform(_ request: Request, orElse error: VFSError) throws(VFSError) {
    _ = try system.orElse(error) { () throws(DeviceError) in try system.perform(request) }
  }
}
