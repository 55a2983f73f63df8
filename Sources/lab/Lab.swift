import Terminal

/// The program: its commands, and what the bare word prints.
enum Lab {
  static let name = "lab"
  static let version = "0.1.0"
  /// When this version was made, for the manual page.
  static let date = "2026-11-30"

  static var program: Program {
    var program = Program(
      name: name, version: version,
      summary: "find out why your app logs people out", commands: commands)
    program.usual = [
      ("lab run torn-save", "kill an app at each point of a save, and see which one loses it"),
      ("lab chaos", "the whole gallery, exploration, random faults; ends with a verdict"),
      ("lab mount my-phone", "a fake phone to break by hand"),
      ("lab inject keychain-reset", "one fault on the mounted phone, now"),
      ("lab list faults", "what can be broken"),
    ]
    program.description = [
      "Kill it, cut its power, lock it, restore an old backup: lab does that to a fake iPhone or "
        + "Android phone while an app saves its session, and shows which moments lose it."
    ]
    return program
  }

  /// How to go on after an interruption: what was typed, once more.
  ///
  /// - Parameter more: Words that make it the same, such as a seed that was drawn.
  /// - Returns: The line.
  static func again(with more: [String] = []) -> String {
    "again: \(ShellWord.line([name] + CommandLine.arguments.dropFirst() + more))"
  }

  private static var commands: [Command] {
    [
      ChaosCommand.command, RunCommand.command, ExploreCommand.command, CompareCommand.command,
      MergeCommand.command, WorkerCommand.command, ReplayCommand.command, ShrinkCommand.command,
      MountCommand.command,
      UnmountCommand.command, StatusCommand.command, AppVerb.command, InjectCommand.command,
      WithCommand.command, FaultsCommand.command, UICommand.command, LintCommand.command,
      SelftestCommand.command, ResetCommand.command,
      SnapshotCommand.command, RestoreCommand.command, BenchCommand.command, ListCommand.command,
      ServeCommand.command, ShimsCommand.command, DoctorCommand.command, InstallCommand.command,
      CompletionsCommand.command, ManCommand.command, SchemaCommand.command,
    ]
  }
}
