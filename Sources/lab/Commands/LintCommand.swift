import Chaos
import JSON
import Mount
import Reports
import Terminal

/// `lab lint`: the windows of what happened on a mounted phone, without injecting anything.
enum LintCommand {
  private static let since = Option(
    "since", .integer("OP", in: 0...Int.max), "look only at what came after this operation")

  static var command: Command {
    var command = Command("lint", "which windows a fault could hit, without a fault", run: run)
    command.description = [
      "Looks at what has happened on a mounted phone so far: its operations, what each of them left "
        + "volatile and each sync made durable, the points that programs announced, and what both "
        + "halves hold now. Nothing is injected and nothing changes.",
      "Each window is told with the operations between which it was open, what a fault there would "
        + "leave, and a command that shows it. Any program may say that its save is done: echo S1 > "
        + "my-phone/.lab/points. Without such points the rules that need them are not judged, and "
        + "the report says so. `lab list rules` explains the rules.",
    ]
    command.options = [PhoneLink.on, since, json]
    command.exitCodes = [(.asExpected, "no window"), (.finding, "a window")]
    command.examples = [
      ("lab lint", "everything since the mount"),
      ("lab lint --since 120", "what came after operation 120 (see lab status)"),
    ]
    return command
  }

  private static func run(_ invocation: Invocation, _ console: Console) throws -> ExitCode {
    let link = try PhoneLink(invocation)
    let operation = invocation.value(since) ?? 0
    let report = LintReport(try link.call(.lint(since: operation)))
    if invocation.has(json) {
      console.result(JSONWriter.text(of: report.json()))
    } else {
      console.result(LintText(report, on: link.entry.name, since: operation).lines(for: console))
    }
    return report.windows.isEmpty ? .asExpected : .finding
  }
}
