/// What a command found, in the terms of CI systems: suites of checks, and places to look at.
package struct CheckReport {
  package struct Suite {
    let name: String
    var checks: [Check]
  }

  /// One scenario × case × phone × store, or one thing that was searched.
  package struct Check {
    /// Unique in its group.
    let name: String
    /// Parts with dots between them, as systems that show a tree want them.
    let group: String
    var problem: Problem?
    /// What it showed.
    var output: [String] = []
  }

  package struct Problem {
    enum Kind: String { case failure, error, skipped }

    /// A fault that never fired, or a part that did not run, is an error: it proves nothing. A case
    /// that another store has and this one does not is skipped.
    let kind: Kind
    /// A verdict, or a word for what kept the lab from one.
    let type: String
    /// One line.
    let message: String
    let text: [String]
  }

  /// What a person should look at: one for each cause.
  package struct Note: Equatable {
    let title: String
    /// One sentence for each line.
    let lines: [String]
    /// As the command line named it; `nil` when no file of the user's is at fault.
    var file: String?
    var line: Int?
  }

  /// `lab run`.
  let command: String
  var suites: [Suite] = []
  var notes: [Note] = []
  /// What it all comes to, for the head of a summary.
  var conclusion = ""
  /// The findings as they are told on stdout.
  var findingLines: [String] = []

  /// The end of a run that was stopped: what is there is no pass.
  mutating func addInterruption() {
    let problem = Problem(
      kind: .error, type: "interrupted", message: "interrupted: what ran so far is no pass",
      text: [])
    suites.append(
      Suite(
        name: "\(command): its end",
        checks: [Check(name: "runs to its end", group: name("end"), problem: problem)]))
  }

  /// `lab.run.torn-save.ios`, for parts of a group.
  func name(_ parts: String...) -> String {
    ([command.replacing(" ", with: ".")] + parts.map { $0.replacing(".", with: "_") })
      .joined(separator: ".")
  }
}
