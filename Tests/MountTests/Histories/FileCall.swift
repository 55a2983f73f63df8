import Glibc

/// One call that a program makes on a file system.
///
/// Paths are relative to the folder of the history. Open files have slots: `f0`, `f1`, …; what is
/// opened in a used slot closes the former file. Bytes that are written are those of ``Pattern``,
/// from the seed on.
enum FileCall: Equatable, Sendable {
  case open(Int, String, flags: Int32, mode: UInt32)
  case close(Int)
  case duplicate(Int, to: Int)
  case read(Int, count: Int)
  case readAt(Int, count: Int, offset: Int)
  case write(Int, count: Int, seed: Int)
  case writeAt(Int, count: Int, offset: Int, seed: Int)
  case seek(Int, offset: Int, from: Int32)
  case resize(Int, to: Int)
  case allocate(Int, Allocation, offset: Int, count: Int)
  case sync(Int, dataOnly: Bool)
  case statusOf(Int)
  case listOf(Int)
  case setModeOf(Int, UInt32)
  case truncate(String, to: Int)
  case rename(String, String, RenameFlags)
  case link(String, String)
  case unlink(String)
  case removeDirectory(String)
  case makeDirectory(String, UInt32)
  case makeFifo(String, UInt32)
  case symbolicLink(String, target: String)
  case readLink(String)
  case list(String)
  case status(String, follows: Bool)
  case setMode(String, UInt32)
  case setTime(String, ns: Int, follows: Bool)
  case access(String, Int32)

  /// The modes of `fallocate(2)` that both file systems serve.
  enum Allocation: Int32, CaseIterable {
    case extend = 0
    case keepSize = 1
    case punchHole = 3
  }

  /// The flags of `renameat2(2)`, the last being one that Linux refuses.
  enum RenameFlags: UInt32, CaseIterable {
    case none = 0
    case noReplace = 1
    case exchange = 2
    case both = 3
  }

  static let slotCount = 6

  /// The name of the system call.
  var name: String {
    let call = description.prefix { $0 != "(" }
    return String(call.split(separator: " ").last ?? call)
  }
}

extension FileCall: CustomStringConvertible {
  var description: String {
    switch self {
    case .open(let slot, let path, let flags, let mode):
      "f\(slot) = open(\(quoted(path)), \(Self.words(flags)), \(octal(mode)))"
    case .close(let slot): "close(f\(slot))"
    case .duplicate(let slot, let other): "f\(other) = dup(f\(slot))"
    case .read(let slot, let count): "read(f\(slot), \(count))"
    case .readAt(let slot, let count, let offset): "pread(f\(slot), \(count), at \(offset))"
    case .write(let slot, let count, _): "write(f\(slot), \(count))"
    case .writeAt(let slot, let count, let offset, _): "pwrite(f\(slot), \(count), at \(offset))"
    case .seek(let slot, let offset, let from):
      "lseek(f\(slot), \(offset), \(["SEEK_SET", "SEEK_CUR", "SEEK_END"][Int(from)]))"
    case .resize(let slot, let size): "ftruncate(f\(slot), \(size))"
    case .allocate(let slot, let mode, let offset, let count):
      "fallocate(f\(slot), \(mode), at \(offset), \(count))"
    case .sync(let slot, let dataOnly): "\(dataOnly ? "fdatasync" : "fsync")(f\(slot))"
    case .statusOf(let slot): "fstat(f\(slot))"
    case .listOf(let slot): "getdents(f\(slot))"
    case .setModeOf(let slot, let mode): "fchmod(f\(slot), \(octal(mode)))"
    case .truncate(let path, let size): "truncate(\(quoted(path)), \(size))"
    case .rename(let from, let to, .none): "rename(\(quoted(from)), \(quoted(to)))"
    case .rename(let from, let to, let flags):
      "renameat2(\(quoted(from)), \(quoted(to)), \(flags))"
    case .link(let path, let new): "link(\(quoted(path)), \(quoted(new)))"
    case .unlink(let path): "unlink(\(quoted(path)))"
    case .removeDirectory(let path): "rmdir(\(quoted(path)))"
    case .makeDirectory(let path, let mode): "mkdir(\(quoted(path)), \(octal(mode)))"
    case .makeFifo(let path, let mode): "mkfifo(\(quoted(path)), \(octal(mode)))"
    case .symbolicLink(let path, let target): "symlink(\(quoted(target)), \(quoted(path)))"
    case .readLink(let path): "readlink(\(quoted(path)))"
    case .list(let path): "list(\(quoted(path)))"
    case .status(let path, let follows): "\(follows ? "stat" : "lstat")(\(quoted(path)))"
    case .setMode(let path, let mode): "chmod(\(quoted(path)), \(octal(mode)))"
    case .setTime(let path, let ns, let follows):
      "utimens(\(quoted(path)), \(ns) ns\(follows ? "" : ", nofollow"))"
    case .access(let path, let mode): "access(\(quoted(path)), \(mode))"
    }
  }

  private func quoted(_ path: String) -> String {
    path.utf8.count <= 40 ? "\"\(path)\"" : "\"\(path.prefix(20))…\" (\(path.utf8.count) bytes)"
  }

  private func octal(_ mode: UInt32) -> String { "0o" + String(mode, radix: 8) }

  private static func words(_ flags: Int32) -> String {
    let access = ["O_RDONLY", "O_WRONLY", "O_RDWR"][Int(flags & O_ACCMODE)]
    let names = [
      (O_CREAT, "O_CREAT"), (O_EXCL, "O_EXCL"), (O_TRUNC, "O_TRUNC"), (O_APPEND, "O_APPEND"),
      (O_DIRECTORY, "O_DIRECTORY"), (O_NOFOLLOW, "O_NOFOLLOW"),
    ]
    return ([access] + names.filter { flags & $0.0 != 0 }.map(\.1)).joined(separator: "|")
  }
}
