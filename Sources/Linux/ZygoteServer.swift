import CLinux
import Glibc

/// What the program does that is a zygote.
package enum ZygoteServer {
  /// Forks for each launch that is asked for on standard input, until the other side is gone.
  ///
  /// A fork has the descriptors, the command line and the parent of its launch, and nothing else of
  /// the zygote but its memory. It has waited until it was let go.
  ///
  /// - Returns: In each fork, its words; in the zygote `nil`, at the end.
  /// - Throws: ``SystemError`` in the zygote with `EDEADLK` when it has other threads, which a fork
  ///   would lose together with the locks that they hold; in a fork that was not let go, with
  ///   `ECANCELED`.
  package static func serve() throws(SystemError) -> [String]? {
    let threadCount = try Files.list("/proc/self/task").count
    guard threadCount == 1 else {
      throw SystemError(call: "fork", subject: "\(threadCount) threads", code: EDEADLK)
    }
    let parent = getppid()
    let roomBytes = try Files.read("/proc/self/cmdline").count
    let socket = UnixSocket(owning: Descriptor(borrowing: 0), name: "the zygote's parent")
    while let (message, passed) = try socket.receive() {
      guard passed.count == 4 else {
        throw SystemError(call: "fork", subject: "\(passed.count) descriptors", code: EINVAL)
      }
      let process = clinux_fork_brother()
      if process < 0 { try answer(-errno, on: socket) }
      if process == 0 {
        try Runner.dieWithParent(parent)
        show(message, roomBytes)
        try answer(getpid(), on: socket)
        try begin(passed)
        return message.split(separator: 0, omittingEmptySubsequences: false).dropLast().map {
          String(decoding: $0, as: UTF8.self)
        }
      }
    }
    return nil
  }

  /// Says which process was born, or what failed.
  private static func answer(_ number: Int32, on socket: UnixSocket) throws(SystemError) {
    try socket.send((0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) })
  }

  /// Waits until the fork is registered, and takes its descriptors over.
  private static func begin(_ passed: [Descriptor]) throws(SystemError) {
    guard try !passed[3].read(count: 1).isEmpty else {
      throw SystemError(call: "fork", subject: "not let go", code: ECANCELED)
    }
    for number in 0..<3 {
      try check("dup2", "descriptor \(number)", dup2(passed[number].number, Int32(number)))
    }
  }

  /// Lets `ps` and `/proc` show the fork's words; those that there is no room for are cut off.
  private static func show(_ words: [UInt8], _ roomBytes: Int) {
    let padding = repeatElement(UInt8(0), count: max(1, roomBytes - words.count))
    let shown = words.prefix(roomBytes - 1) + padding
    unsafe clinux_show_command_line(Array(shown), roomBytes)
  }
}
