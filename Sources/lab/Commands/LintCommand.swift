import Chaos
import JSON
import Mount
import Phone
import Reports
import Terminal

/// `lab lint`: the windows of what happened on a mounted phone, without injecting anything.
enum LintCommand {
  private static let since = Option(
    "since", .integer("OP", in: 0...Int.max), "look only at what came after this operation")
  private static let store = Option(
    "store", StoreOption.kind,
    "instead of a mounted phone, what this store does in memory: a sign-in and refreshes")
  private static let phone = Option(
    "phone", .word("PHONE", of: PhoneKind.allCases.map(\.rawValue)),
    "with --store: the phone; default ios")
  private static let writers = Option(
    "writers", .integer("N", in: 1...3),
    "with --store: saves at once, in every order of their waits; default 1")
  private static let readers = Option(
    "readers", .integer("N", in: 0...2), "with --store: reads meanwhile; default 0")

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
      "With --store no phone needs to be mounted: the store's own saves are played in memory, with "
        + "--writers several at once in every order, and a window counts once for each order.",
    ]
    command.options = [PhoneLink.on, since, store, phone, writers, readers, json]
    command.exitCodes = [(.asExpected, "no window"), (.finding, "a window")]
    command.examples = [
      ("lab lint", "everything since the mount"),
      ("lab lint --since 120", "what came after operation 120 (see lab status)"),
      ("lab lint --store recipe --writers 2", "every order of two saves, in memory"),
    ]
    return command
  }

  private static func run(_ invocation: Invocation, _ console: Console) throws -> ExitCode {
    if let name = invocation.value(store) {
      if invocation.value(PhoneLink.on) != nil || invocation.value(since) != nil {
        throw Failure.wrongUsage(
          "--on and --since are for a mounted phone, --store is without one",
          help: "lab lint --help")
      }
      return try lint(name, invocation, console)
    }
    let inMemory = [
      phone.name: invocation.value(phone) != nil, writers.name: invocation.value(writers) != nil,
      readers.name: invocation.value(readers) != nil,
    ]
    if let option = inMemory.filter(\.value).keys.min() {
      throw Failure.wrongUsage("--\(option) needs --store", help: "lab lint --help")
    }
    let link = try PhoneLink(invocation)
    let operation = invocation.value(since) ?? 0
    let report = LintReport(try link.call(.lint(since: operation)))
    if invocation.has(json) {
      console.result(JSONWriter.text(of: report.json()))
    } else {
      console.result(LintText(report, on: link.entry.name, since: operation).lines(for: console))
      if let command = report.windows.lazy.compactMap(\.command).first {
        console.result("next: ./\(command)   (shows the first of them)")
      }
    }
    return report.windows.isEmpty ? .asExpected : .finding
  }

  /// Lints what a store does by itself.
  private static func lint(
    _ store: String, _ invocation: Invocation, _ console: Console
  ) throws -> ExitCode {
    var plan = ExplorationPlan(
      phone: invocation.value(phone).flatMap(PhoneKind.init) ?? .ios, store: store, seed: 1)
    plan.writerCount = invocation.value(writers) ?? plan.writerCount
    plan.readerCount = invocation.value(readers) ?? plan.readerCount
    let interrupts = try Interrupts(console, "stopping after this order (again: at once)")
    let found: OrderLint
    do {
      found = try OrderLint(plan) { interrupts.isRaised }
    } catch {
      throw Failure.couldNotRun("\(error)")
    }
    if invocation.has(json) {
      console.result(JSONWriter.text(of: found.json))
    } else {
      console.result(LintText(found, of: plan).lines(for: console))
      console.result(
        "next: lab explore --store \(store) --phone \(plan.phone.rawValue)"
          + "   (what each moment leaves)")
    }
    if interrupts.isRaised { return .interrupted }
    return found.report.windows.isEmpty ? .asExpected : .finding
  }
}
