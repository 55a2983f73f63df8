import Device
import Glibc

/// Draws histories of calls on few names, so that the calls meet each other.
struct HistoryGenerator {
  private var draws: Draws
  /// Where something may be, so that most calls find something.
  private var paths = ["a", "a/b"]
  /// Slots that may be open.
  private var slots = [0]

  init(seed: UInt64) {
    draws = Draws(seed: seed)
  }

  mutating func history(count: Int) -> [FileCall] {
    let start: [FileCall] = [.makeDirectory("a", 0o755), .makeDirectory("a/b", 0o755)]
    return start + (start.count..<count).map { _ in call() }
  }

  private mutating func call() -> FileCall {
    switch draws.below(100) {
    case 0..<8: .open(newSlot(), newPath(), flags: flags() | O_CREAT, mode: mode())
    case 8..<16: .open(newSlot(), path(), flags: flags(), mode: mode())
    case 16, 17: .open(newSlot(), path(), flags: O_RDONLY | O_DIRECTORY, mode: 0)
    case 18..<54: onDescriptor()
    default: onPath()
    }
  }

  private mutating func onDescriptor() -> FileCall {
    switch draws.below(36) {
    case 0, 1: .close(slot())
    case 2: .duplicate(slot(), to: newSlot())
    case 3..<7: .read(slot(), count: size())
    case 7..<11: .readAt(slot(), count: size(), offset: offset())
    case 11..<16: .write(slot(), count: size(), seed: draws.below(1024))
    case 16..<21: .writeAt(slot(), count: size(), offset: offset(), seed: draws.below(1024))
    case 21, 22: .seek(slot(), offset: offset(), from: Int32(draws.below(3)))
    case 23..<26: .resize(slot(), to: offset())
    case 26, 27:
      .allocate(slot(), one(FileCall.Allocation.allCases), offset: offset(), count: size())
    case 28, 29: .sync(slot(), dataOnly: chance(2))
    case 30..<33: .statusOf(slot())
    case 33, 34: .listOf(slot())
    default: .setModeOf(slot(), mode())
    }
  }

  private mutating func onPath() -> FileCall {
    switch draws.below(48) {
    case 0, 1: .truncate(path(), to: offset())
    case 2..<8: .rename(path(), chance(2) ? newPath() : path(), .none)
    case 8, 9: .rename(path(), newPath(), .noReplace)
    case 10..<13: .rename(path(), path(), chance(12) ? .both : .exchange)
    case 13..<16: .link(path(), newPath())
    case 16..<19: .unlink(path())
    case 19..<21: .removeDirectory(path())
    case 21..<27: .makeDirectory(newPath(), mode())
    case 27: .makeFifo(newPath(), mode())
    case 28..<31: .symbolicLink(newPath(), target: target())
    case 31: .readLink(path())
    case 32..<36: .list(path())
    case 36..<42: .status(path(), follows: chance(2))
    case 42, 43: .setMode(path(), mode())
    case 44, 45: .setTime(path(), ns: time(), follows: chance(2))
    default: .access(path(), Int32(draws.below(8)))
    }
  }

  // MARK: - Values

  private mutating func chance(_ count: Int) -> Bool { draws.below(count) == 0 }

  private mutating func one<Value>(_ values: [Value]) -> Value { values[draws.below(values.count)] }

  private mutating func slot() -> Int {
    chance(8) ? draws.below(FileCall.slotCount) : one(slots)
  }

  private mutating func newSlot() -> Int {
    let slot = draws.below(FileCall.slotCount)
    slots = slots.suffix(2) + [slot]
    return slot
  }

  private static let names = ["a", "b", "c", "d", "e", "f"]

  /// One to four names, or rarely something odd.
  private mutating func path() -> String {
    var path = plainPath()
    guard chance(16) else { return path }
    switch draws.below(9) {
    case 0: path = ""
    case 1: path = "."
    case 2: path += "/"
    case 3: path += "/."
    // Never above the folder of the history: no link leads up.
    case 4: path += "/.."
    case 5: path += "/../" + one(Self.names)
    case 6: path = String(repeating: "n", count: 255)
    case 7: path = "a/" + String(repeating: "n", count: 256)
    default: path = String(repeating: path + "/", count: chance(2) ? 40 : 4096)
    }
    return path
  }

  private mutating func plainPath() -> String {
    if !chance(4) { return one(paths) }
    let depth = [1, 1, 1, 1, 2, 2, 2, 2, 3, 4][draws.below(10)]
    return (0..<depth).map { _ in one(Self.names) }.joined(separator: "/")
  }

  /// A path that is likely to be free.
  private mutating func newPath() -> String {
    guard !chance(4) else { return path() }
    let folder = chance(2) ? "" : one(paths) + "/"
    let path = folder + one(Self.names)
    if path.utf8.count > 12 { return one(Self.names) }
    paths = paths.suffix(7) + [path]
    return path
  }

  private mutating func target() -> String {
    chance(12) ? one(["", String(repeating: "t", count: 300), "x", "a/"]) : plainPath()
  }

  private mutating func flags() -> Int32 {
    var flags = one([O_RDONLY, O_WRONLY, O_RDWR, O_RDWR])
    if chance(4) { flags |= O_CREAT }
    if chance(6) { flags |= O_EXCL }
    if chance(5) { flags |= O_TRUNC }
    if chance(4) { flags |= O_APPEND }
    if chance(10) { flags |= O_DIRECTORY }
    if chance(10) { flags |= O_NOFOLLOW }
    return flags
  }

  private mutating func mode() -> UInt32 {
    one([0o644, 0o600, 0o755, 0o700, 0o444, 0o000, 0o777, 0o1777, 0o2755, 0o6711])
  }

  private mutating func time() -> Int {
    one([0, 1, 1_700_000_000_123_456_789, 999_999_999, -1, -86_400_000_000_001])
  }

  private static let edges = [0, 1, 511, 512, 513, 4095, 4096, 4097, 8192, 12_288]

  /// How many bytes; mostly about a page, at times more than one request of the kernel's.
  private mutating func size() -> Int {
    switch draws.below(20) {
    case 0..<8: one(Self.edges)
    case 8..<19: draws.below(9000)
    default: 100_000 + draws.below(Pattern.countMax - 100_000)
    }
  }

  /// A place in a file, at times past its end or before its start.
  private mutating func offset() -> Int {
    switch draws.below(24) {
    case 0..<10: one(Self.edges)
    case 10..<20: draws.below(20_000)
    case 20, 21: draws.below(300_000)
    case 22: one([1 << 20, 1 << 33])
    default: -1 - draws.below(5000)
    }
  }
}
