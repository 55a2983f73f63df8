import CLinux
import Glibc

/// A program that this process has started.
package final class ChildProcess: Sendable {
  package let processNumber: Int32
  package let pidfd: Pidfd
  private let status = Locked<ExitStatus?>(nil)

  /// How a process ended.
  package enum ExitStatus: Equatable, Sendable {
    case exited(Int32)
    case signalled(Int32)
  }

  /// What to start.
  package struct Launch: Sendable {
    /// The program, searched for in `PATH`, and its arguments.
    package var command: [String]
    /// `NAME=value`; `nil` passes this process's own environment on.
    package var environment: [String]?
    package var directory: String?
    /// The child's descriptors 0, 1, 2, …; `nil` is `/dev/null`. Nothing else is inherited.
    package var descriptors: [Descriptor?] = [nil, .standardOutput, .standardError]
    /// Whether the kernel kills the child when the *thread* that starts it ends.
    package var diesWithParent = false
    /// Whether the child is out of reach for what a terminal sends to this process and all that it
    /// started, such as Ctrl-C: only this process then decides when it ends.
    package var leavesTerminal = false
    /// Whether a process stands between this one and the program, which only waits for it and ends as
    /// it does: then that is its parent, and the child of this process.
    package var isGuarded = false
    /// Where the child waits before it touches any file; `nil` lets it run at once.
    package var gate: Gate?

    package init(_ command: [String]) {
      precondition(!command.isEmpty, "a command has a first word")
      self.command = command
    }
  }

  /// Starts a program.
  ///
  /// - Throws: ``SystemError`` when the program could not be executed; nothing is then left behind.
  package init(_ launch: Launch) throws(SystemError) {
    let environment = launch.environment ?? Self.ownEnvironment()
    let numbers = launch.descriptors.map { $0?.number ?? -1 }
    let started: Int32 = unsafe withCStrings(launch.command) { arguments in
      unsafe withCStrings(environment) { variables in
        unsafe numbers.withUnsafeBufferPointer { numbers in
          unsafe withOptionalCString(launch.directory) { directory in
            var start = unsafe clinux_start(
              file: arguments[0], arguments: arguments, environment: variables,
              directory: directory, descriptors: numbers.baseAddress,
              descriptor_count: Int32(numbers.count),
              dies_with_parent: launch.diesWithParent ? 1 : 0,
              leads_group: launch.leavesTerminal ? 1 : 0,
              born: launch.gate?.birth.writing.number ?? -1,
              go: launch.gate?.go.reading.number ?? -1)
            return unsafe launch.isGuarded ? clinux_spawn_guarded(&start) : clinux_spawn(&start)
          }
        }
      }
    }
    withExtendedLifetime(launch) {}
    processNumber = try check("spawn", launch.command[0], started)
    pidfd = try Pidfd(process: started)
  }

  /// Takes over a process that was made this one's child by somebody else.
  init(adopting number: Int32) throws(SystemError) {
    processNumber = number
    pidfd = try Pidfd(process: number)
  }

  /// A child that nobody waited for is buried all the same: a zombie would confuse whoever waits
  /// for any child of this process.
  deinit {
    guard status.withLock({ $0 == nil }) else { return }
    Self.bury(processNumber, pidfd)
  }

  private static func bury(_ process: Int32, _ pidfd: Pidfd) {
    let wait: @Sendable () -> Void = {
      _ = try? pidfd.waitForEnd()
      var word: Int32 = 0
      _ = retrying { unsafe waitpid(process, &word, 0) }
    }
    if pidfd.hasEnded { wait() } else { _ = try? Thread("lab-burial", wait) }
  }

  /// Waits for the end and buries the zombie.
  ///
  /// - Returns: `nil` when the time ran out.
  @discardableResult
  package func wait(timeoutMs: Int? = nil) throws(SystemError) -> ExitStatus? {
    guard try pidfd.waitForEnd(timeoutMs: timeoutMs) else { return nil }
    return try status.withLock { known throws(SystemError) -> ExitStatus? in
      if let known { return known }
      var word: Int32 = 0
      try check(
        "waitpid", "process \(processNumber)",
        retrying { unsafe waitpid(processNumber, &word, 0) })
      let signal = word & 0x7f
      known = signal == 0 ? .exited((word >> 8) & 0xff) : .signalled(signal)
      return known
    }
  }

  package func kill() throws(SystemError) {
    try pidfd.kill()
  }

  private static func ownEnvironment() -> [String] {
    var variables: [String] = []
    var next = unsafe clinux_environment()
    while let place = unsafe next, let variable = unsafe place.pointee {
      unsafe variables.append(String(cString: variable))
      unsafe next = place + 1
    }
    return variables
  }
}

extension Descriptor {
  /// Descriptor 1 of this process; not closed.
  package static let standardOutput = Descriptor(borrowing: 1)
  /// Descriptor 2 of this process; not closed.
  package static let standardError = Descriptor(borrowing: 2)
}

/// Calls `body` with a C array of C strings that ends in a null pointer.
func withCStrings<Result>(
  _ texts: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
  var copies = unsafe texts.map { unsafe strdup($0) }
  unsafe copies.append(nil)
  defer { unsafe copies.forEach { unsafe free($0) } }
  return unsafe copies.withUnsafeBufferPointer { buffer in
    guard let base = buffer.baseAddress else { preconditionFailure("never empty") }
    return unsafe body(base)
  }
}

private func withOptionalCString<Result>(
  _ text: String?, _ body: (UnsafePointer<CChar>?) -> Result
) -> Result {
  guard let text else { return body(nil) }
  return unsafe text.withCString { unsafe body($0) }
}
