import Device
import Glibc
import Linux

/// Something that histories can be carried out on.
protocol World: AnyObject {
  func perform(_ call: FileCall) -> Outcome
}

/// A folder of a real file system.
///
/// What may differ between two correct file systems is left out of the outcomes, here and nowhere
/// else:
/// - inode numbers, times (but a modification time that was just set), block counts and sizes:
///   they are free;
/// - the size of a directory, which counts entries on one and blocks on the other;
/// - `lseek` in a directory, whose offsets mean nothing outside its file system;
/// - SEEK_DATA and SEEK_HOLE, FALLOC_FL_ZERO_RANGE, O_TMPFILE: one of the two has them.
///   A file system may show any file as data as a whole; the generator does not draw these.
final class FileWorld: World {
  private let root: Descriptor
  private let path: String
  private var slots = [Descriptor?](repeating: nil, count: FileCall.slotCount)

  init(at folder: String) throws {
    path = folder
    root = try Descriptor.open(folder, O_RDONLY | O_DIRECTORY)
  }

  private func number(_ slot: Int) -> Int32 { slots[slot]?.number ?? -1 }

  func perform(_ call: FileCall) -> Outcome {
    switch call {
    case .open(let slot, let path, let flags, let mode):
      // Without O_NONBLOCK a FIFO would wait for its other end.
      unsafe keep(openat(root.number, path, flags | O_NONBLOCK | O_CLOEXEC, mode), in: slot)
    case .close(let slot): close(slot)
    case .duplicate(let slot, let other): keep(dup(number(slot)), in: other)
    case .read(let slot, let count):
      unsafe bytes(count) { buffer in unsafe Glibc.read(number(slot), buffer, count) }
    case .readAt(let slot, let count, let offset):
      unsafe bytes(count) { buffer in unsafe pread(number(slot), buffer, count, offset) }
    case .write(let slot, let count, let seed):
      unsafe Pattern.withBytes(count, seed) { unsafe value(Glibc.write(number(slot), $0, count)) }
    case .writeAt(let slot, let count, let offset, let seed):
      unsafe Pattern.withBytes(count, seed) {
        unsafe value(pwrite(number(slot), $0, count, offset))
      }
    case .seek(let slot, let offset, let from): seek(slot, offset, from)
    case .resize(let slot, let size): value(ftruncate(number(slot), size))
    case .allocate(let slot, let mode, let offset, let count):
      value(Rare.fallocate(number(slot), mode.rawValue, offset, count))
    case .sync(let slot, let dataOnly):
      value(dataOnly ? fdatasync(number(slot)) : fsync(number(slot)))
    case .statusOf(let slot): status { status in unsafe fstat(number(slot), &status) }
    case .listOf(let slot): list(dup(number(slot)))
    case .setModeOf(let slot, let mode): value(fchmod(number(slot), mode))
    case .list(let path):
      unsafe list(openat(root.number, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
    default: performOnPath(call)
    }
  }

  private func performOnPath(_ call: FileCall) -> Outcome {
    let root = root.number
    switch call {
    case .truncate(let path, let size):
      return unsafe value(Glibc.truncate("\(self.path)/\(path)", size))
    case .rename(let from, let to, let flags):
      return unsafe value(Rare.renameat2(root, from, root, to, flags.rawValue))
    case .link(let path, let new): return unsafe value(linkat(root, path, root, new, 0))
    case .unlink(let path): return unsafe value(unlinkat(root, path, 0))
    case .removeDirectory(let path): return unsafe value(unlinkat(root, path, AT_REMOVEDIR))
    case .makeDirectory(let path, let mode): return unsafe value(mkdirat(root, path, mode))
    case .makeFifo(let path, let mode): return unsafe value(mkfifoat(root, path, mode))
    case .symbolicLink(let path, let target): return unsafe value(symlinkat(target, root, path))
    case .readLink(let path):
      return unsafe bytes(4096) { buffer in
        unsafe readlinkat(root, path, buffer.assumingMemoryBound(to: CChar.self), 4096)
      }
    case .status(let path, let follows):
      return status { status in
        unsafe fstatat(root, path, &status, follows ? 0 : AT_SYMLINK_NOFOLLOW)
      }
    case .setMode(let path, let mode): return unsafe value(fchmodat(root, path, mode, 0))
    case .setTime(let path, let ns, let follows): return setTime(path, ns, follows)
    case .access(let path, let mode): return unsafe value(faccessat(root, path, mode, 0))
    default: preconditionFailure("a call on a descriptor: \(call)")
    }
  }

  // MARK: - Outcomes

  private func value<Result: SignedInteger>(_ result: Result) -> Outcome {
    result < 0 ? Outcome(error: errno) : Outcome(values: [Int(result)])
  }

  private func keep(_ number: Int32, in slot: Int) -> Outcome {
    guard number >= 0 else { return Outcome(error: errno) }
    slots[slot] = Descriptor(owning: number)
    return Outcome()
  }

  private func close(_ slot: Int) -> Outcome {
    guard slots[slot] != nil else { return Outcome(error: EBADF) }
    slots[slot] = nil
    return Outcome()
  }

  private func bytes(_ count: Int, _ read: (UnsafeMutableRawPointer) -> Int) -> Outcome {
    var code: Int32 = 0
    let taken = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
      guard let base = buffer.baseAddress else { return }
      let result = unsafe read(base)
      code = result < 0 ? errno : 0
      used = max(0, result)
    }
    return Outcome(error: code, content: Outcome.Content(bytes: taken))
  }

  private func seek(_ slot: Int, _ offset: Int, _ from: Int32) -> Outcome {
    var status = stat()
    if unsafe fstat(number(slot), &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      return Outcome()
    }
    return value(lseek(number(slot), offset, from))
  }

  private func status(_ read: (inout stat) -> Int32) -> Outcome {
    var status = stat()
    guard read(&status) == 0 else { return Outcome(error: errno) }
    let isDirectory = status.st_mode & S_IFMT == S_IFDIR
    return Outcome(values: [
      Int(status.st_mode), Int(status.st_nlink), isDirectory ? 0 : Int(status.st_size),
    ])
  }

  private func setTime(_ path: String, _ ns: Int, _ follows: Bool) -> Outcome {
    let flags = follows ? 0 : AT_SYMLINK_NOFOLLOW
    var seconds = ns / 1_000_000_000
    if ns % 1_000_000_000 < 0 { seconds -= 1 }
    let moment = timespec(tv_sec: seconds, tv_nsec: ns - seconds * 1_000_000_000)
    guard unsafe utimensat(root.number, path, [moment, moment], flags) == 0 else {
      return Outcome(error: errno)
    }
    var status = stat()
    guard unsafe fstatat(root.number, path, &status, flags) == 0 else {
      return Outcome(error: errno)
    }
    return Outcome(values: [status.st_mtim.tv_sec, status.st_mtim.tv_nsec])
  }

  /// The names in an open directory from its start on, sorted. Takes over the descriptor.
  private func list(_ number: Int32) -> Outcome {
    guard let listing = Listing(of: number) else { return Outcome(error: errno) }
    listing.rewind()
    let names = listing.rest().sorted()
    return listing.error == 0 ? Outcome(names: names) : Outcome(error: listing.error)
  }
}

/// Calls that Glibc's module hides.
private enum Rare {
  typealias Rename =
    @convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32
  typealias Allocate = @convention(c) (Int32, Int32, Int, Int) -> Int32

  static let renameat2 = unsafe unsafeBitCast(dlsym(nil, "renameat2"), to: Rename.self)
  static let fallocate = unsafe unsafeBitCast(dlsym(nil, "fallocate"), to: Allocate.self)
}

/// The bytes that histories write: different at each place, and for each seed.
enum Pattern {
  static let countMax = 1 << 18
  private static let seedMax = 1 << 10

  private static let words: [UInt64] = {
    var draws = Draws(seed: 1)
    return (0..<(countMax + seedMax) / 8).map { _ in draws.next() }
  }()

  static func withBytes<Result>(
    _ count: Int, _ seed: Int, _ body: (UnsafeRawPointer) -> Result
  ) -> Result {
    precondition(count <= countMax && (0..<seedMax).contains(seed), "the pattern has an end")
    return unsafe words.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { preconditionFailure("the pattern is not empty") }
      return unsafe body(base + seed)
    }
  }
}
