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
    "budget", .duration,
    "when to stop: what has begun is ended, and what is left out is named; default is no end")
  private static let effort = Option(
    "effort", .duration,
    "how much exploration and how many random histories; default is the budget, or 30s")
  private static let store = Option(
    "store", StoreOption.kind,
    "search this store: what it loses is a finding", isRepeatable: true)
  private static let tier = Option(
    "tier", .word("TIER", of: Tier.allCases.map(\.rawValue) + ["both"]),
    "simulated, mounted or both; default both, or simulated where no phone can be mounted")
  static let out = Option(
    "out", .text("FOLDER"), "where findings are kept, and tried first; default lab-findings")

  static var command: Command {
    var command = Command(
      "chaos", "the gallery, exploration, random faults; ends with a verdict", run: run)
    command.description = [
      "Runs every scenario of the gallery with every store, each with its control, on both tiers; "
        + "explores the store that should lose nothing, at every operation of its saves; then random "
        + "histories with a fault somewhere in a save; and last the canary: the same search on a store "
        + "of the zoo (lab list twins), which must be caught.",
      "The same seed and effort give the same results, for any number of processes, where no budget "
        + "ends them. What an effort stands for is fixed: for each second \(rates), and half a choice of "
        + "survivors at each moment of an exploration, whose recovery is interrupted, too, from "
        + "\(deepSeconds / 60) minutes on; the gallery comes on top, about 40 seconds on two cores. A slow "
        + "machine takes longer and proves as much; more cores take less time.",
      "A budget holds: no unit begins after it, and a unit takes a few seconds at most, an exploration "
        + "longer. The canary comes first, then earlier findings, the gallery on the simulated tier, "
        + "exploration, the gallery on the mounted tier, random histories.",
      "With --app a program of your own meets the gallery and \(appHistoriesPerSecond) random history "
        + "for each second, on the mounted tier; lab explore --app looks at every operation of it.",
    ]
    command.options = [
      budget, effort, seed, phone, tier, store, ShardOptions.jobs, ShardOptions.shard, out, json,
      ReportOptions.html, ReportOptions.junit,
    ]
    command.options += ForeignAppOption.all
    command.exitCodes = [
      (.finding, "a finding"),
      (.neverFired, "an armed fault never fired, or the canary was left out"),
    ]
    command.environment = ShardOptions.environment + ReportOptions.environment
    command.examples = [
      ("lab chaos", "everything, in about a minute"),
      ("lab chaos --store recipe", "see what the published store loses"),
      ("lab chaos --app 'node my-store.mjs'", "the gallery and histories with a store of your own"),
      ("lab chaos --budget 5m --html lab.html --junit lab.xml", "for CI"),
      ("lab chaos --budget 20s", "what fits into 20 seconds"),
      ("lab chaos --shard 2/4 --seed 7 --json > 2.json", "a quarter of it; see lab merge"),
    ]
    return command
  }

  /// How many random histories a second of effort stands for.
  private static func historiesPerSecond(_ tier: Tier) -> Int {
    switch tier {
    case .mounted: 4
    case .simulated: 16
    }
  }

  /// The same for a program of somebody else's, which each cold start starts anew.
  private static let appHistoriesPerSecond = 1

  private static let rates =
    Tier.allCases.map { "\(historiesPerSecond($0)) histories on the \($0.rawValue) tier" }
    .joined(separator: " and ")

  /// The histories of more would not fit into memory.
  private static let longest = Duration.seconds(86_400)

  /// From this effort on an exploration looks at a second crash.
  private static let deepSeconds = 1800

  private static func run(_ invocation: Invocation, _ console: Console) throws -> ExitCode {
    let shard = try ShardOptions.shard(invocation)
    if shard != nil, invocation.value(seed) == nil {
      throw Failure.wrongUsage(
        "--shard needs --seed: all shards of a run have one", help: "lab chaos --help")
    }
    try ReportOptions.check(invocation)
    let budget = invocation.value(budget)
    let endNs = budget.map { Clocks.monotonicNs + Int64(min($0, longest) / .nanoseconds(1)) }
    let effort = invocation.value(effort) ?? min(budget ?? .seconds(30), longest)
    guard effort <= longest else {
      throw Failure.wrongUsage(
        "--effort: \(DurationText.text(longest)) at most", help: "lab chaos --help")
    }
    let seconds = Int(effort.components.seconds)
    let plan = try plan(invocation, seconds, console)
    let gallery = try Scenarios.gallery()
    let interrupts = try Interrupts(console)
    console.note(
      "lab \(Lab.version)  seed \(plan.seed)  \(plan.phones.map(\.rawValue).joined(separator: " "))  "
        + "\(plan.tiers.map(\.rawValue).joined(separator: " and ")) tier"
        + "\(plan.tiers.count > 1 ? "s" : "")  effort \(DurationText.text(effort))"
        + (budget.map { "  budget \(DurationText.text($0))" } ?? "")
        + (shard.map { "  shard \($0)" } ?? ""))
    let work = SharedWork.chaos(plan, gallery: gallery)
    let units = plan.units(gallery: gallery)
    let ending = try ShardOptions.perform(
      work, invocation, interrupts, console, endNs: endNs
    ) { unit, result in
      try UnitResult(result, of: units[unit], in: plan, gallery: gallery).findingCount
    }
    let code = try conclude(
      plan, gallery, ending.results, wasInterrupted: ending.wasInterrupted,
      missingTier: invocation.isGiven(tier) ? nil : Stage.missingTier, invocation, console)
    return ending.hasLostWorker ? .defect : code
  }

  private static func plan(
    _ invocation: Invocation, _ seconds: Int, _ console: Console
  ) throws -> Campaign.Plan {
    let folder = invocation.value(out) ?? "lab-findings"
    var plan = try emptyPlan(invocation, seconds, console)
    if let only = invocation.value(phone).flatMap(PhoneKind.init) { plan.phones = [only] }
    plan.exploredCutCountMax = min(max(1, seconds / 2), 256)
    plan.exploredDepth = seconds < deepSeconds ? 1 : 2
    guard Files.exists(folder) else { return plan }
    guard try Files.status(folder).isDirectory else {
      throw Failure.couldNotRun("--out \(folder) is not a folder", do: "name another")
    }
    // What is known of stores that are not searched is no news.
    let isTried = { (stores: [String]) in
      stores.isEmpty || !plan.randomStores.allSatisfy { !stores.contains($0) }
    }
    plan.oldFindings = try Scenarios.files(in: folder).filter { isTried($0.stores) }.map {
      scenario in
      let text = String(decoding: try InputFile.read(scenario.place), as: UTF8.self)
      return Campaign.OldFinding(scenario, text: text)
    }
    // A story is tried by `lab explore --client`.
    let replays = try Replays.files(in: folder).compactMap(\.steps)
    plan.oldReplays = replays.filter { isTried([$0.history.store]) }
    plan.nameForeign()
    let leftOutCount = replays.count - plan.oldReplays.count
    if leftOutCount > 0 {
      console.note(
        "\(folder): not tried: \(Counted.words(leftOutCount, "finding")) of other stores; --store or "
          + "--app names theirs")
    }
    return plan
  }

  /// Without what was found before.
  private static func emptyPlan(
    _ invocation: Invocation, _ seconds: Int, _ console: Console
  ) throws -> Campaign.Plan {
    let seed = try invocation.value(seed) ?? drawnSeed()
    if let foreign = try ForeignAppOption.foreignApp(invocation) {
      try ForeignAppOption.refuse(
        [store], "--app takes the place of --store; leave one out", in: invocation)
      if let tier = invocation.value(tier), tier != Tier.mounted.rawValue {
        throw ForeignAppOption.refusal(ofTier: tier, invocation)
      }
      var plan = Campaign.Plan(seed: seed, app: foreign)
      try ForeignAppOption.checkTier()
      plan.tiers = [.mounted]
      plan.historyCounts[.mounted] = max(1, seconds * appHistoriesPerSecond)
      return plan
    }
    var plan = Campaign.Plan(
      seed: seed, galleryStores: StoreKind.all.map(\.name) + [StoreKind.chunked.name])
    plan.tiers =
      try invocation.value(tier).map(Stage.tiers) ?? Stage.possibleTiers(console)
    for tier in plan.tiers { plan.historyCounts[tier] = max(1, seconds * historiesPerSecond(tier)) }
    plan.searchedStores = ["durable"]
    if !invocation.values(store).isEmpty {
      plan.searchedStores = invocation.values(store)
      plan.randomStores = plan.searchedStores
    }
    return plan
  }

  /// Shows what was found, here or on other machines, and writes its files.
  static func conclude(
    _ plan: Campaign.Plan, _ gallery: [Scenario], _ results: [Int: JSONNode],
    wasInterrupted: Bool = false, missingTier: String? = nil, _ invocation: Invocation,
    _ console: Console
  ) throws -> ExitCode {
    let units = plan.units(gallery: gallery)
    var found: [Int: UnitResult] = [:]
    for (number, result) in results where units.indices.contains(number) {
      found[number] = try UnitResult(result, of: units[number], in: plan, gallery: gallery)
    }
    let outcome = Campaign.Outcome(
      plan, try ShardOptions.shard(invocation) ?? .whole, gallery: gallery, results: found,
      wasInterrupted: wasInterrupted)
    let folder = invocation.value(out) ?? "lab-findings"
    let report = ChaosReport(outcome, findingsIn: folder)
    try Replays.write(report.replays.map(ReplayFile.steps), to: folder, console)
    if invocation.has(json) {
      let document = try ShardOptions.document(
        report.json, of: .chaos(plan, gallery: gallery), results, invocation)
      console.result(JSONWriter.text(of: document, .pretty))
    } else {
      show(report, plan, missingTier, console)
    }
    for line in report.neverFiredLines { console.error(line) }
    if report.exitCode == .interrupted {
      let isDrawn = invocation.value(seed) == nil
      console.error(Lab.again(with: isDrawn ? ["--seed", "\(plan.seed)"] : []))
    }
    try ReportOptions.publish(
      page: { try report.page(version: Lab.version, missingTier: missingTier) }, invocation,
      console)
    try ReportOptions.publish(report.checks, invocation, console)
    return report.exitCode
  }

  private static func show(
    _ report: ChaosReport, _ plan: Campaign.Plan, _ missingTier: String?, _ console: Console
  ) {
    console.result(report.lines(showsAll: console.isVerbose, for: console))
    if let missingTier { console.result(missingTier) }
    let isOurs = report.exitCode == .asExpected && report.isWhole && plan.foreign == nil
    console.result(report.conclusion + (isOurs ? " Now try yours:" : ""))
    console.result(report.findingLines)
    switch report.exitCode {
    case .asExpected where report.isWhole:
      console.result(
        plan.foreign.map { ["next: lab explore \($0.shellWords)   (every operation of a save)"] }
          ?? [
            "first: lab shims shims   (for an app in JavaScript)",
            "next: lab chaos --app 'node --import ./shims/register.mjs my-store.mjs'",
          ])
    default: break
    }
  }

  private static func drawnSeed() throws -> UInt64 {
    // Below 2⁵³, so that every reader of the JSON keeps it exact.
    Chaos.drawnSeed() >> 11
  }
}
