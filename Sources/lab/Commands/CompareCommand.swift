import Chaos
import JSON
import Linux
import Phone
import Reports
import Session
import Terminal

/// `lab compare`: all stores against all faults.
enum CompareCommand {
  private static let store = Option(
    "store", StoreOption.kind, "only this store", isRepeatable: true)
  private static let phone = Option(
    "phone", .word("PHONE", of: PhoneKind.allCases.map(\.rawValue)), "only this phone")
  private static let faults = Option(
    "faults", .list("LIST", of: FaultKind.onPhones.map(\.rawValue)), "only these faults")
  private static let depth = Option(
    "depth", .integer("N", in: 1...2), "power cuts in a row; default 1")
  private static let bound = Option(
    "bound", .integer("N", in: 1...1_000_000),
    "how many choices of survivors are tried at one moment; with more, as many are drawn; default 8"
  )
  private static let seed = Option("seed", .seed, "the start of all draws; default 1")

  static var command: Command {
    var command = Command("compare", "stores against faults, as a matrix of verdicts", run: run)
    command.description = [
      "Plays a sign-in and two refreshes on a simulated phone with each store, again and again: each "
        + "fault of the catalogue at each operation of each save that it can happen to, events of the "
        + "system behind each save, bits that flip in each file. Then two cold starts show what became "
        + "of the session, and every such state counts by its worst verdict.",
      "It judges nobody: it ends with 0 whatever the stores did.",
    ]
    command.options = [
      store, phone, faults, depth, bound, seed, ShardOptions.jobs, ShardOptions.shard, json,
      ReportOptions.html,
    ]
    command.exitCodes = [(.asExpected, "ran")]
    command.environment = ShardOptions.environment
    command.examples = [
      ("lab compare", "everything"),
      ("lab compare --phone ios --store recipe --store durable", "what a fix is worth"),
      ("lab compare --html compare.html", "a page to send around"),
    ]
    return command
  }

  private static func run(_ invocation: Invocation, _ console: Console) throws -> ExitCode {
    try ReportOptions.check(invocation)
    let stores = invocation.values(store)
    var plan = Comparison.Plan(stores: stores.isEmpty ? StoreKind.all.map(\.name) : stores)
    plan.phones = invocation.value(phone).flatMap(PhoneKind.init).map { [$0] } ?? plan.phones
    plan.faults = invocation.value(faults)?.compactMap(FaultKind.init) ?? plan.faults
    plan.depth = invocation.value(depth) ?? plan.depth
    plan.cutCountMax = invocation.value(bound) ?? plan.cutCountMax
    plan.seed = invocation.value(seed) ?? plan.seed
    let work = SharedWork.comparison(plan)
    let interrupts = try Interrupts(console, "stopping after this state (again: at once)")
    let ending = try ShardOptions.perform(work, invocation, interrupts, console)
    let code = try conclude(
      plan, ending.results, wasInterrupted: ending.wasInterrupted, invocation, console)
    return ending.hasLostWorker ? .defect : code
  }

  /// Shows what was counted, here or on other machines.
  static func conclude(
    _ plan: Comparison.Plan, _ results: [Int: JSONNode], wasInterrupted: Bool = false,
    _ invocation: Invocation, _ console: Console
  ) throws -> ExitCode {
    let report = CompareReport(
      plan, try results.mapValues { try StateTally($0) }, wasInterrupted: wasInterrupted)
    if invocation.has(json) {
      let document = try ShardOptions.document(
        report.json, of: .comparison(plan), results, invocation)
      console.result(JSONWriter.text(of: document, .pretty))
    } else {
      console.result(report.lines(for: console))
    }
    if report.exitCode == .interrupted { console.error(Lab.again()) }
    try ReportOptions.publish(
      page: ComparePage(report, version: Lab.version).html, invocation, console)
    return report.exitCode
  }
}
