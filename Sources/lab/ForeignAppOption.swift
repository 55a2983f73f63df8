import Chaos
import Terminal

/// The value of `--app`: the command line of a program that speaks `lab.adapter/1`.
enum ForeignAppOption {
  static var kind: ValueKind<ForeignApp> {
    ValueKind("COMMAND", allowed: "a program and its arguments, as 'node my-store.mjs'") { text in
      try? ForeignApp(text)
    }
  }

  /// Runs something with such a program. What the program does against the protocol is no verdict: the
  /// lab could not run it.
  ///
  /// - Throws: `Failure` with the program's last lines.
  static func reported<Value>(_ body: () throws(PhoneHostError) -> Value) throws -> Value {
    do throws(PhoneHostError) {
      return try body()
    } catch {
      guard case .adapter(let problem) = error else { throw error }
      throw Failure(
        .couldNotRun,
        problem.split(separator: "\n").map(String.init)
          + ["This says nothing of its store.  help: Documentation/Adapter.md"])
    }
  }
}
