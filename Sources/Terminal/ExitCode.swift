/// How a process of the lab ends.
///
/// Not a closed list: `lab with` ends with the code of the command that it ran.
package struct ExitCode: RawRepresentable, Equatable, Hashable, Sendable {
  package var rawValue: Int32

  package init(rawValue: Int32) { self.rawValue = rawValue }

  /// It ran, and all was as expected.
  package static let asExpected = ExitCode(rawValue: 0)
  package static let finding = ExitCode(rawValue: 1)
  package static let couldNotRun = ExitCode(rawValue: 2)
  /// An armed fault never fired, so the run proves nothing.
  package static let neverFired = ExitCode(rawValue: 3)
  package static let wrongUsage = ExitCode(rawValue: 64)
  /// A defect of the lab itself.
  package static let defect = ExitCode(rawValue: 70)
  package static let interrupted = ExitCode(rawValue: 130)
  /// Nobody reads the results any more: as a shell shows what SIGPIPE ends.
  package static let outputClosed = ExitCode(rawValue: 141)
  /// `lab app` was killed by a fault.
  package static let killed = ExitCode(rawValue: 137)

  /// The codes that every command may end with, and what they mean.
  package static let common: [(code: ExitCode, meaning: String)] = [
    (.asExpected, "ran, all as expected"),
    (.couldNotRun, "could not run; says what is missing, and how to get it"),
    (.wrongUsage, "wrong usage"),
    (.defect, "a defect of the lab"),
    (.interrupted, "interrupted"),
  ]
}
