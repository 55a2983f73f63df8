/// An end that is not the wished one: what to say, and the code to end with.
package struct Failure: Error, Equatable, Sendable {
  package var code: ExitCode
  /// Whole lines for stderr; `lab: ` is put before the first one unless `isBare`.
  package var lines: [String]
  /// The first line begins with a place of its own, such as `file:6:19`.
  package var isBare: Bool

  package init(_ code: ExitCode, _ lines: [String], isBare: Bool = false) {
    self.code = code
    self.lines = lines
    self.isBare = isBare
  }

  /// Ends with 2: the reason, then what to do about it.
  package static func couldNotRun(_ reason: String, do remedy: String? = nil) -> Failure {
    Failure(.couldNotRun, [reason + (remedy.map { ".  do: \($0)" } ?? "")])
  }

  /// Ends with 64: what is wrong, then where to read more.
  package static func wrongUsage(_ reason: String, help: String) -> Failure {
    Failure(.wrongUsage, [reason, "help: \(help)"])
  }
}
