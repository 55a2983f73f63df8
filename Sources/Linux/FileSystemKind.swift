import CLinux

/// The kinds of file system that the lab tells apart.
package enum FileSystemKind: Equatable, Sendable {
  case fuse
  case tmpfs
  /// Any other, by its magic number.
  case other(Int64)

  /// Finds out what holds a path. Models `statfs(2)`.
  package init(at path: String) throws(SystemError) {
    let magic = try check("statfs", path, unsafe clinux_file_system(path))
    switch magic {
    case 0x6573_5546: self = .fuse
    case 0x0102_1994: self = .tmpfs
    default: self = .other(magic)
    }
  }
}
