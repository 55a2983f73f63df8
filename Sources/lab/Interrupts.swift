import Glibc
import Linux
import Terminal

/// Turns Ctrl-C and SIGTERM into a question that long commands ask between two steps.
///
/// The first signal asks to stop; the second ends the process at once, and then the mount helper
/// unmounts.
final class Interrupts: Sendable {
  private let raised = Locked<Int32?>(nil)

  /// One wish may come as two signals: `timeout` signals its child and then the whole group, and a
  /// wrapper passes on what the terminal has sent already.
  private static let echoNs: Int64 = 500_000_000

  /// Takes the signals over, for the rest of the process.
  ///
  /// - Parameters:
  ///   - console: Where the remark goes.
  ///   - remark: What to say at the first signal; `nil` where somebody else says it.
  /// - Throws: `SystemError` when the signals cannot be taken over.
  init(
    _ console: Console, _ remark: String? = "stopping after this case (again: at once)"
  ) throws {
    let signals = try Signals()
    _ = try Thread("lab-signals") { [raised] in
      var firstNs: Int64?
      while let number = (try? signals.next()) ?? nil {
        let now = Clocks.monotonicNs
        if let firstNs {
          guard now - firstNs > Self.echoNs else { continue }
          exit(ExitCode.interrupted.rawValue)
        }
        firstNs = now
        // Said first: whoever waits for the signal says how it goes on.
        if let remark { console.error(remark) }
        raised.withLock { $0 = number }
      }
    }
  }

  /// The first signal, or `nil`.
  var signal: Int32? { raised.withLock { $0 } }

  var isRaised: Bool { signal != nil }

  /// Waits for a signal; `nil` when the time ran out.
  func wait(timeoutMs: Int) -> Int32? { raised.wait(timeoutMs: timeoutMs) { $0 } }
}
