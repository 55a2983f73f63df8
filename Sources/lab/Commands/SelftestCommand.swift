import Chaos
import JSON
import Reports
import Terminal
import Zoo

/// `lab selftest`: whether the lab finds what it must, and nothing else.
enum SelftestCommand {
  private static let seed = Option("seed", .seed, "the start of all draws; default 1")
  private static let budget = Option(
    "budget", .duration,
    "how many rounds of random histories, one for 15 seconds of it; default 30s")
  private static let tier = Option(
    "tier", .word("TIER", of: Tier.allCases.map(\.rawValue) + ["both"]),
    "simulated: without the mounted engine; mounted: that one alone; both: all; default all that can "
      + "run")
  private static let twin = Option(
    "twin", .word("NAME", of: Twin.all.flatMap { [$0.name, $0.storeName] }),
    "only this twin, and no good store",
    isRepeatable: true)

  static var command: Command {
    var command = Command("selftest", "every known-bad store must be caught", run: run)
    command.description = [
      "The zoo holds \(Twin.all.count) stores that are broken on purpose, each in one way (lab list "
        + "twins). Each engine looks for each of them with the same workloads and faults: one that "
        + "goes through all crashes and the gallery, one that draws histories, and the same on a "
        + "mounted device with real processes. A twin that an engine misses is a finding, and so is "
        + "anything in a store that is right.",
      "A budget stands for a fixed number of histories, one round of each kind of disturbance for "
        + "fifteen seconds, so that the same seed and budget give the same results.",
    ]
    command.options = [budget, seed, tier, twin, json]
    command.exitCodes = [(.asExpected, "all caught"), (.finding, "one was missed")]
    command.examples = [
      ("lab selftest", "the matrix of twins and engines"),
      ("lab selftest --twin retry-storm", "one of them"),
    ]
    return command
  }

  private static func run(_ invocation: Invocation, _ console: Console) throws -> ExitCode {
    let tier = invocation.value(tier).flatMap(Tier.init)
    var plan = Selftest.Plan(
      seed: invocation.value(seed) ?? 1,
      engines: Selftest.Engine.allCases.filter { engine in
        tier.map { ($0 == .mounted) == (engine == .mounted) } ?? true
      })
    let seconds = Int((invocation.value(budget) ?? .seconds(30)).components.seconds)
    plan.roundCount = max(1, seconds / 15)
    let names = invocation.values(twin)
    if !names.isEmpty {
      plan.twins = Twin.all.filter { names.contains($0.name) || names.contains($0.storeName) }
      plan.hasControls = false
    }
    let interrupts = try Interrupts(console)
    if let both = invocation.value(Self.tier), tier == nil { _ = try Stage.tiers(both) }
    let stage = try Stage(tier, console)
    defer { stage.close() }
    let mounted = stage.phone.tier == .mounted ? stage.phone : nil
    let report = SelftestReport(
      try outcome(plan, mounted, interrupts, console), hasMounted: mounted != nil)
    if invocation.has(json) {
      console.result(JSONWriter.text(of: report.json, .pretty))
    } else {
      console.result(report.lines(for: console))
      if !invocation.isGiven(Self.tier), let missing = Stage.missingTier { console.result(missing) }
      if report.exitCode == .asExpected { console.result("next: lab chaos") }
    }
    if report.exitCode == .interrupted { console.error(Lab.again()) }
    return report.exitCode
  }

  private static func outcome(
    _ plan: Selftest.Plan, _ mounted: (any HostedPhone)?, _ interrupts: Interrupts,
    _ console: Console
  ) throws -> Selftest.Outcome {
    do {
      let selftest = try Selftest(plan, gallery: try Scenarios.gallery(), mounted: mounted)
      selftest.shouldStop = { interrupts.isRaised }
      selftest.progress = { row, done, all in
        let phase = Phase("selftest", on: console)
        if done == all {
          phase.end("\(done) of \(all)")
        } else {
          phase.update(Double(done) / Double(all), "\(done) of \(all), \(row.name)")
        }
      }
      return try selftest.run()
    } catch let error as PhoneHostError {
      throw Failure.couldNotRun("\(error)")
    }
  }
}
