import Terminal

/// `lab completions SHELL`: what makes a shell complete the words of `lab`.
enum CompletionsCommand {
  private static let shells = Shell.allCases.map(\.rawValue)

  static var command: Command {
    var command = Command(
      "completions", "what makes bash, zsh or fish complete its words", run: run)
    command.description = [
      "Written from the declarations of the commands: options, faults, stores, phones, scenarios, "
        + "suites, files. `lab install` puts all three where the shells look for them."
    ]
    command.arguments = [Argument("SHELL", kind: "shell", words: shells)]
    command.examples = [
      ("source <(lab completions bash)", "in this bash, now"),
      ("lab completions zsh > ~/.zfunc/_lab", "for zsh, with ~/.zfunc in fpath"),
      ("lab completions fish | source", "in this fish, now"),
    ]
    return command
  }

  private static func run(_ invocation: Invocation, _ console: Console) throws -> ExitCode {
    guard let shell = invocation.argument("SHELL").flatMap(Shell.init) else { return .wrongUsage }
    // Ends with a line end of its own.
    console.result(String(shell.completions(of: Lab.program).dropLast()))
    return .asExpected
  }
}

/// `lab man`: the manual page.
enum ManCommand {
  static var command: Command {
    var command = Command("man", "the manual page, as source for man", run: run)
    command.examples = [("lab man | man -l -", "read it without installing")]
    return command
  }

  private static func run(_ invocation: Invocation, _ console: Console) -> ExitCode {
    console.result(String(ManPage.text(of: Lab.program, date: Lab.date).dropLast()))
    return .asExpected
  }
}
