import Chaos
import Gallery
import Glibc
import JSON
import Linux
import Phone
import Reports
import Terminal

import enum Ports.LogicalPoint

/// `lab run`: scenarios, from files or from the gallery.
enum RunCommand {
  private static let store = Option(
    "store", StoreOption.kind, "only this store", isRepeatable: true)
  private static let phone = Option(
    "phone", .word("PHONE", of: PhoneKind.allCases.map(\.rawValue)), "only this phone")
  private static let seed = Option("seed", .seed, "the start of all draws; default 1")
  static let tier = Option(
    "tier", .word("TIER", of: Tier.allCases.map(\.rawValue)),
    "simulated or mounted; default mounted, or simulated where no phone can be mounted")
  private static let bothTiers = "both"
  private static let tierOrBoth = Option(
    "tier", .word("TIER", of: Tier.allCases.map(\.rawValue) + [bothTiers]),
    "simulated, mounted, or both, which must be equal; default mounted, or simulated where no "
      + "phone can be mounted")
  private static let only = Option(
    "case", .text("NAME"), "only cases that have this part, as K1, or these: seed+K1")

  static var command: Command {
    var command = Command("run", "scenarios, on a phone of the lab's own", run: run)
    command.description = [
      "Runs scenarios on real processes and a mounted device, each with its control first. Without "
        + "a name, the whole gallery.",
      "A known-bad store that fails as its file says is as expected; anything else is a finding. The "
        + "scenario is its own replay, so no other file is written: the line `replay:` runs the one case "
        + "again.",
    ]
    command.arguments = [
      Argument("FILE|FOLDER|NAME", .any, suggestions: GalleryFiles.all.map(\.name))
    ]
    command.options = [
      phone, store, only, tierOrBoth, seed, json, ReportOptions.html, ReportOptions.junit,
    ]
    command.options += ForeignAppOption.all
    command.exitCodes = [
      (.finding, "a store showed what its file does not say, or the tiers differ"),
      (.neverFired, "an armed fault never fired, or no case was run"),
    ]
    command.environment = ReportOptions.environment
    command.examples = [
      ("lab run torn-save", "kill at each point of a save"),
      ("lab run my-save.json5 --store recipe", "a file of your own"),
      ("lab run torn-save --app 'node my-store.mjs'", "a store of your own, in any language"),
      ("lab run torn-save --html lab.html", "the stories as a page"),
    ]
    return command
  }

  private static func run(_ invocation: Invocation, _ console: Console) throws -> ExitCode {
    let scenarios = try scenarios(invocation)
    try ReportOptions.check(invocation)
    let seed = invocation.value(seed) ?? 1
    let foreign = try foreignApp(invocation)
    let jobs = try Self.jobs(of: scenarios, for: foreign, invocation)
    let interrupts = try Interrupts(console)
    let tierWord = invocation.value(tierOrBoth)
    let (isOnBoth, chosen) = (tierWord == bothTiers, tierWord.flatMap(Tier.init))
    let tiers: [Tier?] =
      isOnBoth ? [.mounted, .simulated] : [foreign == nil ? chosen : .mounted]
    let stages = try tiers.map { try Stage($0, console) }
    defer { for stage in stages { stage.close() } }
    let runners = stages.map { stage in
      let runner = runner(on: stage, seed, foreign, interrupts, invocation)
      runner.tracesStorage = isOnBoth
      return runner
    }
    var runs: [ScenarioRun] = []
    var differences: [String] = []
    var doneCount = 0
    for job in jobs where !interrupts.isRaised {
      var columns: [ScenarioRun] = []
      for store in job.stores where !interrupts.isRaised {
        let tiers = try runners.map { runner in
          try ForeignAppOption.reported(interrupts) { () throws(PhoneHostError) in
            try runner.run(
              job.scenario, on: job.phone, store: store, only: invocation.value(only))
          }
        }
        columns.append(tiers[0])
        if tiers.count > 1, !interrupts.isRaised {
          differences += Self.differences(mounted: tiers[0], simulated: tiers[1])
        }
      }
      if !invocation.has(json), !columns.flatMap(\.cases).isEmpty {
        let inDetail = console.isVerbose || invocation.value(only) != nil
        show(columns, inDetail: inDetail, console)
      }
      runs += columns
      if !interrupts.isRaised { doneCount += 1 }
    }
    if !interrupts.isRaised { try checkPart(runs, invocation) }
    if invocation.has(json) {
      console.result(JSONWriter.text(of: RunJSON.run(runs, seed: seed), .pretty))
    }
    for difference in differences { console.error(difference) }
    let isSame = isOnBoth && differences.isEmpty && !interrupts.isRaised
    if isSame, !invocation.has(json) { console.result(RunPage.sameOnBoth) }
    let verdict = RunVerdict(runs, foreign: foreign, isWhole: !interrupts.isRaised)
    let interruption =
      interrupts.isRaised ? Self.interruption(of: jobs, after: doneCount, verdict) : nil
    let code = conclude(verdict, seed, interruption, invocation, console)
    try ReportOptions.publish(
      page: {
        try RunPage(
          runs, verdict, seed: seed, version: Lab.version,
          differences: isOnBoth ? differences : nil, missingTier: missingTier(invocation),
          wasInterrupted: interrupts.isRaised
        ).html()
      }, invocation, console)
    try ReportOptions.publish(
      CheckReport(
        verdict, seed: seed, differences: differences, wasInterrupted: interrupts.isRaised),
      invocation, console)
    return code == .asExpected && !differences.isEmpty ? .finding : code
  }

  private static func runner(
    on stage: Stage, _ seed: UInt64, _ foreign: ForeignApp?, _ interrupts: Interrupts,
    _ invocation: Invocation
  ) -> ScenarioRunner {
    let runner = ScenarioRunner(on: stage.phone, seed: seed)
    runner.shouldStop = { interrupts.isRaised }
    runner.tellsOperations = invocation.value(ReportOptions.html) != nil
    runner.foreign = foreign
    return runner
  }

  private static func scenarios(_ invocation: Invocation) throws -> [Scenario] {
    let words = invocation.arguments("FILE|FOLDER|NAME")
    if invocation.has(json), let word = words.first(where: { $0.hasSuffix(".json") }) {
      throw Failure.wrongUsage(
        "run takes no '\(word)'; \(NoSuch.jsonFile(word))", help: "lab run --help")
    }
    return try Scenarios.load(words)
  }

  private static func neverReached(
    _ point: LogicalPoint, _ reached: [LogicalPoint], isByApp: Bool
  ) -> Failure {
    let names = reached.map(\.nameAndWords).joined(separator: ", ")
    let hint =
      "a program need not come there: --expect-as STORE expects what a store built like it shows "
      + "(lab list stores)"
    let more = ["reached: \(names)"] + (isByApp ? [hint] : [])
    let subject = isByApp ? "the app never" : "no store"
    return Failure(
      .neverFired,
      ["NEVER FIRED  \(subject) comes to \(point.nameAndWords). That proves nothing."]
        + more.flatMap { TextLayout.paragraph($0, width: Console.columnMax, indent: 2) },
      isBare: true)
  }

  /// Refuses a part that no case has; where a control failed no case was spread out.
  private static func checkPart(_ runs: [ScenarioRun], _ invocation: Invocation) throws {
    let isSound = runs.flatMap(\.controls).allSatisfy { $0.outcome == .asExpected }
    guard let only = invocation.value(only), isSound, runs.allSatisfy(\.cases.isEmpty) else {
      return
    }
    let parts = runs.flatMap(\.otherParts).reduce(into: [String]()) {
      if !$0.contains($1) { $0.append($1) }
    }
    let missing = only.split(separator: "+").map(String.init).first { !parts.contains($0) } ?? only
    let reached = parts.compactMap(LogicalPoint.init)
    if let point = LogicalPoint(rawValue: missing), !reached.isEmpty {
      throw neverReached(point, reached, isByApp: invocation.isGiven(ForeignAppOption.app))
    }
    throw Failure.wrongUsage(
      NoSuch.message("case with the part", missing, among: parts)
        + (parts.isEmpty ? "" : "   (all: \(parts.joined(separator: " ")))"), help: "lab run --help"
    )
  }

  /// A scenario with a phone that it is run on, and the stores that it is run with.
  private struct Job {
    let scenario: Scenario
    let phone: PhoneKind
    let stores: [String]
  }

  private static func jobs(
    of scenarios: [Scenario], for foreign: ForeignApp?, _ invocation: Invocation
  ) throws -> [Job] {
    let stores = invocation.values(store)
    let phone = chosenPhone(invocation)
    let jobs = scenarios.flatMap { scenario in
      scenario.phones.filter { phone == nil || phone == $0 }.map {
        Job(scenario: scenario, phone: $0, stores: scenario.storesToRun(stores, foreign))
      }
    }
    guard jobs.contains(where: { !$0.stores.isEmpty }) else {
      let app = foreign.map { _ in ["a program of your own"] } ?? []
      let wanted =
        (phone.map { ["phone \($0.rawValue)"] } ?? []) + app + stores.map { "store \($0)" }
      throw Failure.wrongUsage(
        "nothing to run: none of these scenarios is for \(wanted.joined(separator: ", "))",
        help: "lab list scenarios")
    }
    return jobs
  }

  private static func foreignApp(_ invocation: Invocation) throws -> ForeignApp? {
    guard let foreign = try ForeignAppOption.foreignApp(invocation) else { return nil }
    try ForeignAppOption.refuse(
      [store], "--app takes the place of --store; leave one out", in: invocation)
    guard let tier = invocation.value(tierOrBoth), tier != Tier.mounted.rawValue else {
      try ForeignAppOption.checkTier()
      return foreign
    }
    throw ForeignAppOption.refusal(ofTier: tier, invocation)
  }

  private static func differences(mounted: ScenarioRun, simulated: ScenarioRun) -> [String] {
    TierComparison.differences(simulated: simulated, mounted: mounted).map { name, difference in
      "TIERS DIFFER  \(mounted.scenario.name), \(name), \(mounted.phone.rawValue), "
        + "store \(mounted.store): \(difference)"
    }
  }

  /// Why the tier that proves more did not run, which nobody had asked for by name.
  private static func missingTier(_ invocation: Invocation) -> String? {
    invocation.isGiven(tierOrBoth) || invocation.isGiven(ForeignAppOption.app)
      ? nil : Stage.missingTier
  }

  private static func chosenPhone(_ invocation: Invocation) -> PhoneKind? {
    invocation.value(phone).flatMap(PhoneKind.init)
  }

  /// The table of a scenario, and how each case went when that is asked for.
  private static func show(_ columns: [ScenarioRun], inDetail: Bool, _ console: Console) {
    guard let first = columns.first else { return }
    let scenario = first.scenario
    let phone = scenario.phones == [.ios] ? "" : " on \(first.phone.rawValue)"
    console.result(
      TextLayout.wrap("\(scenario.name)\(phone): \(scenario.story)", width: console.columnCount))
    console.result(RunTable(columns).table.lines(for: console))
    console.result("")
    guard inDetail else { return }
    for one in columns.flatMap(\.cases) where one.outcome == .asExpected {
      console.result(FindingText(one, of: scenario).account + [""])
    }
  }

  /// How far it came. How many runs there were to be nobody knows: a control shows how many points
  /// a fault is spread over.
  private static func interruption(
    of jobs: [Job], after doneCount: Int, _ verdict: RunVerdict
  ) -> String {
    let (good, bad) = verdict.counts
    let index = min(doneCount, jobs.count - 1)
    let job = jobs[index]
    return "INTERRUPTED after \(Counted.words(good + bad, "run")), in \(job.scenario.name) on "
      + "\(job.phone.rawValue), \(index + 1) of \(jobs.count)"
  }

  private static func conclude(
    _ verdict: RunVerdict, _ seed: UInt64, _ interruption: String?, _ invocation: Invocation,
    _ console: Console
  ) -> ExitCode {
    if !invocation.has(json) {
      if !verdict.cases.isEmpty {
        console.result(RunTable.legend(width: console.columnCount))
        console.result(RunTable.numberLegend(of: verdict.cases))
      }
      console.result(interruption == nil ? verdict.summary : "so far: \(verdict.summary)")
      if let missing = missingTier(invocation) { console.result(missing) }
      console.result(verdict.findingLines(seed: seed))
    }
    for line in verdict.neverFiredLines { console.error(line) }
    guard let interruption else {
      let isInDetail = invocation.value(only) != nil || console.isVerbose
      let next = verdict.afterNeverFired ?? verdict.next(isInDetail: isInDetail)
      if !invocation.has(json), let next { console.result(next) }
      return ExitCode(verdict)
    }
    let isGreen = verdict.findings.isEmpty
    console.error(isGreen ? "\(interruption). No findings so far is no pass." : interruption)
    console.error(Lab.again())
    return .interrupted
  }
}

extension ExitCode {
  init(_ verdict: RunVerdict) {
    self =
      switch verdict.outcome {
      case .asExpected: .asExpected
      case .finding: .finding
      case .neverFired: .neverFired
      }
  }
}
