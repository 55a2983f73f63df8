/// One verb of the program.
package struct Command {
  package var name: String
  /// One sentence without its full stop, as in a list of commands.
  package var summary: String
  /// Whether it is for the program's own use, and no list names it.
  package var isHidden = false
  /// Paragraphs of the help page.
  package var description: [String] = []
  package var arguments: [Argument] = []
  package var options: [any OptionDefinition] = []
  /// What else it ends with, beside ``ExitCode/common``; the same code here replaces that one.
  package var exitCodes: [(code: ExitCode, meaning: String)] = []
  /// Variables of the environment, and what they do.
  package var environment: [(name: String, meaning: String)] = []
  /// Whole command lines, and what they do.
  package var examples: [(line: String, meaning: String)] = []
  package var run: (Invocation, Console) throws -> ExitCode

  package init(
    _ name: String, _ summary: String,
    run: @escaping (Invocation, Console) throws -> ExitCode
  ) {
    self.name = name
    self.summary = summary
    self.run = run
  }

  var allOptions: [any OptionDefinition] { options + CommonOptions.all }
}
