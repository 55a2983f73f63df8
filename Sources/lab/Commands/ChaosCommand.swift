import Chaos
import JSON
import Linux
import Phone
import Reports
import Session
import Terminal

/// `lab chaos`: the main job.
enum ChaosCommand {
  private static let seed = Option("seed", .seed, "the start of all draws; default is drawn")
  private static let phone = Option(
    "phone", .word("PHONE", of: PhoneKind.allCases.map(\.rawValue)), "only this phone")
  private static let budget = Option(
    "budget", .duration, "about how long random histories run; default 30s")
  private static let store = Option(
    "store", .word("NAME", of: StoreKind.all.map(\.name)),
    "search this store with random faults: what it loses is a finding", isRepeatable: true)
  private static let out = Option(
    "out", .text("FOLDER"), "where findings are kept, and tried first; default lab-findings")

  static var command: Command {
    var command = Command("chaos", "the gallery, then random faults; ends with a verdict", run: run)
    command.description = [
      "Runs every scenario of the gallery with every store, each with its control; then random "
        + "histories with a fault somewhere in a save, on the store that should lose nothing; and "
        + "last the canary: the same search on a store that is known to lose sessions, which must "
        + "be caught.",
      "The same seed and budget give the same results. How many random histories a budget stands "
        + "for is fixed (\(historiesPerSecond) a second), so that a slow machine takes longer and "
        + "proves as much.",
    ]
    command.options = [budget, seed, phone, RunCommand.tier, store, out, json]
    command.exitCodes = [
      (.finding, "a finding"), (.neverFired, "an armed fault never fired"),
    ]
    command.examples = [
      ("lab chaos", "everything, in about a minute"),
      ("lab chaos --store recipe", "see what the published store loses"),
      ("lab chaos --budget 5m --json", "for CI"),
    ]
    return command
  }

  private static let historiesPerSecond = 4

  private static func run(_ invocation: Invocation, _ console: Console) throws -> ExitCode {
    let seed = try invocation.value(seed) ?? drawnSeed()
    let folder = invocation.value(out) ?? "lab-findings"
    let seconds = Int((invocation.value(budget) ?? .seconds(30)).components.seconds)
    var plan = Campaign.Plan(
      seed: seed, galleryStores: StoreKind.all.map(\.name),
      historyCount: max(1, seconds * historiesPerSecond))
    if let only = invocation.value(phone).flatMap(PhoneKind.init) { plan.phones = [only] }
    if !invocation.values(store).isEmpty { plan.randomStores = invocation.values(store) }
    if Files.exists(folder) {
      guard try Files.status(folder).isDirectory else {
        throw Failure.couldNotRun("--out \(folder) is not a folder", do: "name another")
      }
      plan.oldFindings = try Scenarios.files(in: folder)
      plan.oldReplays = try Replays.files(in: folder)
    }
    let gallery = try Scenarios.gallery()
    let interrupts = try Interrupts(console)
    let stage = try Stage(invocation.value(RunCommand.tier).flatMap(Tier.init), console)
    defer { stage.close() }
    console.note(
      "lab \(Lab.version)  seed \(seed)  \(plan.phones.map(\.rawValue).joined(separator: " "))  "
        + "\(stage.phone.tier.rawValue) tier  budget \(seconds)s")
    let outcome = try campaign(plan, gallery, stage, interrupts, console)
    try Replays.write(outcome.findings.map(\.replay), to: folder)
    let report = ChaosReport(outcome, seed: seed)
    show(report, folder, seed, invocation, console)
    return report.exitCode
  }

  private static func campaign(
    _ plan: Campaign.Plan, _ gallery: [Scenario], _ stage: Stage, _ interrupts: Interrupts,
    _ console: Console
  ) throws -> Campaign.Outcome {
    let width = Campaign.Phase.allCases.map(\.rawValue.count).max() ?? 0
    let runner = ScenarioRunner(on: stage.phone, seed: plan.seed)
    runner.shouldStop = { interrupts.isRaised }
    let campaign = Campaign(
      plan, on: runner,
      progress: { phase, done, all, remark in
        let line = Phase(phase.rawValue, nameWidth: width, on: console)
        if done == all {
          line.end("\(done) of \(all), \(remark)")
        } else {
          line.update(Double(done) / Double(all), "\(done) of \(all), \(remark)")
        }
      })
    do {
      return try campaign.run(gallery: gallery)
    } catch {
      throw Failure.couldNotRun("\(error)")
    }
  }

  private static func show(
    _ report: ChaosReport, _ folder: String, _ seed: UInt64, _ invocation: Invocation,
    _ console: Console
  ) {
    if invocation.has(json) {
      console.result(JSONWriter.text(of: report.json(filesIn: folder), .pretty))
    } else {
      console.result(report.lines(showsAll: console.isVerbose, for: console))
      console.result(report.conclusion)
      console.result(report.findingLines(filesIn: folder))
      switch report.exitCode {
      case .interrupted: console.result("again: ./lab chaos --seed \(seed)")
      case .asExpected: console.result("next: ./lab mount my-phone &   (break one by hand)")
      default: break
      }
    }
    for line in report.neverFiredLines { console.error(line) }
  }

  private static func drawnSeed() throws -> UInt64 {
    // Below 2⁵³, so that every reader of the JSON keeps it exact.
    Chaos.drawnSeed() >> 11
  }
}
