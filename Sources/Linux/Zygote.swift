import Glibc

/// A program that was started once, up to where its launches differ, and forks for each of them.
///
/// The forks are its brothers, not its children: this process is the parent of both, waits for a
/// fork as for any program that it started, and takes both along when it dies. A zygote that dies
/// leaves its forks alone.
final class Zygote: Sendable {
  private let socket: UnixSocket
  private let process: ChildProcess

  /// A last word of blanks, that the kernel has room for the words of a fork.
  private static let room = String(repeating: " ", count: 2048)

  /// How long a fork may take, in milliseconds, the start of the program included.
  private static let patienceMs = 10_000

  /// A new process, which waits for a byte before it goes on.
  struct Fork {
    let child: ChildProcess
    let go: (reading: Descriptor, writing: Descriptor)
  }

  /// Starts the program, which has to call ``ZygoteServer/serve()``; call from the thread that it shall die with.
  /// It and its forks are out of the terminal's reach.
  init(_ command: [String]) throws(SystemError) {
    let (socket, itsSocket) = try UnixSocket.pair()
    var launch = ChildProcess.Launch(command + [Self.room])
    launch.descriptors = [itsSocket.descriptor, nil, .standardError]
    launch.diesWithParent = true
    launch.leavesTerminal = true
    self.socket = socket
    process = try ChildProcess(launch)
  }

  deinit {
    try? process.kill()
    _ = try? process.wait(timeoutMs: Self.patienceMs)
  }

  /// Has the program fork for a launch of itself.
  ///
  /// - Throws: ``SystemError`` when the zygote has ended or cannot fork; it is of no use then.
  func fork(_ launch: ChildProcess.Launch) throws(SystemError) -> Fork {
    precondition(launch.descriptors.count == 3, "a fork has the three standard descriptors")
    let go = try Descriptor.pipe()
    var passed: [Descriptor] = []
    for descriptor in launch.descriptors {
      if let descriptor {
        passed.append(descriptor)
      } else {
        passed.append(try Descriptor.open("/dev/null", O_RDWR))
      }
    }
    let words = Array(launch.command.map { "\($0)\0" }.joined().utf8)
    try socket.send(words, passing: passed + [go.reading])
    guard try socket.descriptor.waitReadable(timeoutMs: Self.patienceMs),
      let answer = try socket.receive()?.message
    else { throw SystemError(call: "fork", subject: launch.command[0], code: ECHILD) }
    let number = answer.reversed().reduce(0) { $0 << 8 | Int32($1) }
    guard number > 0 else {
      throw SystemError(call: "fork", subject: launch.command[0], code: -number)
    }
    return Fork(child: try ChildProcess(adopting: number), go: go)
  }
}
