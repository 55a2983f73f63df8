import Chaos
import Glibc
import Linux
import Terminal

/// A program that joins a mounted phone: it is registered before it touches a file, so that faults
/// hit it, and dies with the command that started it.
struct GuestProcess {
  private let spawner: Spawner
  private let child: ChildProcess

  /// - Throws: `Failure` when the phone refuses, `SystemError` when the program cannot be started.
  init(_ launch: ChildProcess.Launch, on link: PhoneLink, name: String) throws {
    spawner = try Spawner()
    let refusal = Locked<Failure?>(nil)
    do {
      (child, _) = try spawner.start(launch) { process throws(SystemError) in
        let pidfd = try Pidfd(process: process)
        do {
          _ = try link.call(.register(name: name), passing: pidfd.descriptor)
        } catch {
          refusal.withLock { $0 = error as? Failure }
          throw SystemError(call: "register", subject: name, code: ECANCELED)
        }
      }
    } catch {
      spawner.stop()
      throw refusal.withLock { $0 } ?? error
    }
  }

  /// Waits for the end, or for a wish to end the program.
  ///
  /// - Parameter isStopped: Whether there is that wish, as after Ctrl-C.
  /// - Returns: The program's own code; 128 and the signal's number when a signal ended it; 130
  ///   after the wish.
  /// - Throws: `SystemError` when it cannot be waited for.
  func wait(isStopped: () -> Bool) throws -> ExitCode {
    defer { spawner.stop() }
    while true {
      switch try child.wait(timeoutMs: 50) {
      case .exited(let code): return ExitCode(rawValue: code)
      case .signalled(let signal): return ExitCode(rawValue: 128 + signal)
      case nil where isStopped():
        try child.kill()
        _ = try child.wait(timeoutMs: 5_000)
        return .interrupted
      case nil: continue
      }
    }
  }
}
