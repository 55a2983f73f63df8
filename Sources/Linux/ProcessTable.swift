import Glibc

/// What `/proc` says about processes and threads.
package enum ProcessTable {
  /// The process that a thread belongs to, and that process's parent.
  package struct Place: Equatable, Sendable {
    package let process: Int32
    package let parent: Int32
  }

  /// Where a thread, or a process, stands now; `nil` when there is no such thread.
  package static func place(ofThread thread: Int32) -> Place? {
    guard thread > 0, let text = try? Files.read("/proc/\(thread)/status"),
      let process = field("Tgid", in: text), let parent = field("PPid", in: text)
    else { return nil }
    return Place(process: process, parent: parent)
  }

  /// The processes whose parent is this one now.
  package static func children(of process: Int32) -> [Int32] {
    let threads = (try? Files.list("/proc/\(process)/task")) ?? []
    return threads.flatMap { thread -> [Int32] in
      let text = (try? Files.read("/proc/\(process)/task/\(thread)/children")) ?? []
      return String(decoding: text, as: UTF8.self).split(separator: " ").compactMap { Int32($0) }
    }
  }

  /// Whether a process of this number is there and has not ended.
  package static func isAlive(_ process: Int32) -> Bool {
    guard let pidfd = try? Pidfd(process: process) else { return false }
    return !pidfd.hasEnded
  }

  /// Whether all threads of a process wait for something, or it has ended.
  package static func isAsleep(_ process: Int32) -> Bool {
    let threads = (try? Files.list("/proc/\(process)/task")) ?? []
    return threads.allSatisfy { thread in
      guard let text = try? Files.read("/proc/\(process)/task/\(thread)/stat"),
        let name = text.lastIndex(of: UInt8(ascii: ")")), name + 2 < text.count
      else { return true }
      return "SZX".utf8.contains(text[name + 2])
    }
  }

  /// The number behind `name:` in a status file.
  static func field(_ name: String, in text: [UInt8]) -> Int32? {
    for line in text.split(separator: UInt8(ascii: "\n")) {
      let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 1)
      guard parts.count == 2, parts[0].elementsEqual(name.utf8) else { continue }
      let digits = parts[1].drop { $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: " ") }
      return Int32(String(decoding: digits, as: UTF8.self))
    }
    return nil
  }
}

extension ProcessTable {
  /// Whether a thread is gone, or has a deadly signal that it only waits to receive.
  package static func isDying(thread: Int32) -> Bool {
    guard thread > 0, let text = try? Files.read("/proc/\(thread)/status") else { return true }
    let pending = ["SigPnd", "ShdPnd"].compactMap { mask($0, in: text) }.reduce(0, |)
    return pending & (1 << 8) != 0
  }

  /// A set of signals in a status file; bit 0 is signal 1. SIGKILL, number 9, is what the kernel
  /// makes of every deadly signal that nobody catches.
  private static func mask(_ name: String, in text: [UInt8]) -> UInt64? {
    for line in String(decoding: text, as: UTF8.self).split(separator: "\n") {
      guard line.hasPrefix("\(name):") else { continue }
      return UInt64(line.dropFirst(name.count + 1).drop { $0 == "\t" }, radix: 16)
    }
    return nil
  }
}
