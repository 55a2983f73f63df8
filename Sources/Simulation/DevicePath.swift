import Device

/// An absolute path without links, taken apart once, to be looked up in many states of a device.
///
/// On a mount the way to a file is in the kernel's cache: finding it costs no request.
struct DevicePath {
  private let folders: [FileName]
  let name: FileName

  init(_ path: String) {
    var parts = path.utf8.split(separator: UInt8(ascii: "/")).map { FileName(Array($0)) }
    name = parts.popLast() ?? FileName([])
    folders = parts
  }

  private init(_ folders: [FileName], _ name: FileName) {
    self.folders = folders
    self.name = name
  }

  /// The path of a file beside this one, whose name ends so.
  func adding(_ suffix: String) -> DevicePath {
    DevicePath(folders, FileName(name.bytes + Array(suffix.utf8)))
  }

  func directory(in volume: Volume) -> InodeID? {
    var id = InodeID.root
    for folder in folders {
      guard let next = volume.child(folder, of: id) else { return nil }
      id = next
    }
    return id
  }

  func file(in volume: Volume) -> InodeID? {
    directory(in: volume).flatMap { volume.child(name, of: $0) }
  }
}
