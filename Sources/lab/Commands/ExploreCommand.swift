import Chaos
import Device
import JSON
import Linux
import Phone
import Reports
import Session
import Terminal

/// `lab explore`: every moment of three saves, and every state that a crash there may leave.
enum ExploreCommand {
  private static let store = Option(
    "store", StoreOption.kind, "the store; default durable")
  private static let phone = Option(
    "phone", .word("PHONE", of: PhoneKind.allCases.map(\.rawValue)), "the phone; default ios")
  private static let profile = Option(
    "profile", .word("NAME", of: ScenarioSettings.profile.values),
    "what the device promises about a power cut; default is what the phone's own parts do")
  private static let client = Option(
    "client", .word("NAME", of: AppProfile.allCases.map(\.rawValue)),
    "instead of three saves, the whole app with its auth client against a server: as most apps are "
      + "written, or with its hazards mended")
  private static let story = Option(
    "story", .word("NAME", of: SessionStory.allCases.map(\.rawValue)),
    "with --client: only this story")
  private static let fault = Option(
    "fault", ValueKind("FAULT@N", allowed: "such as kill@74") { SessionFault($0) },
    "with --client and --story: only this fault at this step or request, as a report names it")
  private static let settings = Option(
    "set", .text("KEY=VALUE"),
    "knobs of phone and libraries, as asyncStorage=v3,secureStore=commit-checked (lab list settings)"
  )
  private static let depth = Option(
    "depth", .integer("N", in: 1...3),
    "crashes in a row: 2 has the recovery crash, too, 3 the recovery from that; default 1")
  private static let writers = Option(
    "writers", .integer("N", in: 1...3),
    "calls that save the same session at once, in every order of their waits; default 1")
  private static let readers = Option(
    "readers", .integer("N", in: 0...2), "calls that read meanwhile; default 0")
  private static let faults = Option(
    "faults", .list("LIST", of: ExplorationPlan.Danger.allCases.map(\.rawValue)),
    "what happens, with commas; default crashes,errors")
  private static let bound = Option(
    "bound", .integer("N", in: 1...1_000_000),
    "how many choices of survivors are tried at one moment, bytes flipped in one file, orders of "
      + "calls four times as many; with --app, 16 times as many calls refused; with more, as many are "
      + "drawn; default 256, with --app 8")
  private static let seed = Option("seed", .seed, "the start of all draws; default 1")
  private static let out = Option(
    "out", .text("FOLDER"), "where replays are kept; default lab-findings")

  /// Takes minutes.
  private static let largeStateCount = 200_000

  static var command: Command {
    var command = Command("explore", "crash at every operation of three saves", run: run)
    command.description = [
      "Plays a sign-in and two refreshes on a simulated phone, and ends the app after every "
        + "operation of each save: by a kill, and by a power cut with each combination of what was "
        + "not durable that the phone's storage allows. On what is left the app starts again, and "
        + "the session that it shows is compared with the one that was saved. With --writers several "
        + "saves run at once, in every order. Each operation is also refused with every error that a "
        + "phone can give there; with 'flips' among --faults each stored byte changes, too.",
      "Equal images are recovered once; where the first start changed no byte, the second goes as it "
        + "did, and is played for one in 64 and wherever something was lost. Each cause of a "
        + "violation is made as small as it gets, and written as a file that `lab replay` takes.",
    ]
    command.options = [
      store, client, story, fault, phone, profile, settings, depth, writers, readers, faults, bound,
      seed, out, json, ReportOptions.html, ReportOptions.junit,
    ]
    command.options += ForeignAppOption.all
    command.environment = ReportOptions.environment
    command.exitCodes = [
      (.asExpected, "no violation"), (.finding, "a violation"),
      (.neverFired, "with --client: a fault fell nowhere"),
    ]
    command.examples = [
      ("lab explore --store recipe", "see where the published store loses sessions"),
      ("lab explore --phone android --depth 2", "with crashes during the recovery"),
      ("lab explore --store recipe --writers 2", "two saves at once, in every order"),
      ("lab explore --store recipe --html map.html", "a page to send around"),
      ("lab explore --app 'node my-store.mjs'", "a store of your own, in any language"),
      (
        "lab explore --app 'node my-store.mjs' --writers 2 --faults crashes",
        "two of its saves at once"
      ),
      (
        "lab explore --client seed --store recipe", "a whole app with its server, under every fault"
      ),
    ]
    return command
  }

  private static func run(_ invocation: Invocation, _ console: Console) throws -> ExitCode {
    let folder = invocation.value(out) ?? "lab-findings"
    try ReportOptions.check(folder: folder)
    try ReportOptions.check(invocation)
    var plan = try plan(invocation)
    if invocation.isGiven(client) {
      try ForeignAppOption.refuse(
        ForeignAppOption.all, "--client has the lab's own app", in: invocation)
    }
    if let name = invocation.value(client), let profile = AppProfile(rawValue: name) {
      return try exploreSessions(plan, profile, invocation, folder, console)
    }
    if invocation.value(story) != nil || invocation.value(fault) != nil {
      throw Failure.wrongUsage("--story and --fault need --client", help: "lab explore --help")
    }
    if let foreign = try ForeignAppOption.foreignApp(invocation) {
      try ForeignAppOption.refuse(
        [store], "--app takes the place of --store; leave one out", in: invocation)
      try ForeignAppOption.checkTier()
      plan = ExplorationPlan(plan, app: foreign, cutCountMax: invocation.value(bound))
    }
    let interrupts = try Interrupts(console, "stopping after this moment (again: at once)")
    let found = try explore(plan, interrupts, console)
    let report = ExploreReport(found)
    if invocation.has(json) {
      console.result(JSONWriter.text(of: report.json, .pretty))
    } else {
      console.result(report.lines(replaysIn: folder, for: console))
    }
    if report.exitCode == .interrupted { console.error(Lab.again()) }
    // Behind the result: nothing of that is lost on a full disk.
    try Replays.write(
      found.causes.compactMap { $0.replay.shown.map { .steps($0.replay) } }, to: folder, console)
    let page = ExplorePage(report, replaysIn: folder, version: Lab.version)
    try ReportOptions.publish(page: page.html, invocation, console)
    try ReportOptions.publish(report.checks(replaysIn: folder), invocation, console)
    return report.exitCode
  }

  private static func plan(_ invocation: Invocation) throws -> ExplorationPlan {
    var plan = ExplorationPlan(
      phone: invocation.value(phone).flatMap(PhoneKind.init) ?? .ios,
      store: invocation.value(store) ?? "durable", seed: invocation.value(seed) ?? 1)
    if let text = invocation.value(settings) {
      typealias Settings = ScenarioSettings
      let ofApp =
        invocation.isGiven(client)
        ? [Settings.sdk]
        : [Settings.size] + (plan.store == StoreKind.chunked.name ? [Settings.jar] : [])
      plan.settings = try SettingOption.settings(
        text, among: Settings.phoneKeys + [Settings.profile, Settings.sizeRule] + ofApp,
        help: "lab list settings")
    }
    if let profile = invocation.value(profile) {
      plan.settings[ScenarioSettings.profile] = profile
    }
    if let foreign = plan.settings.foreign(to: plan.phone) {
      throw Failure.wrongUsage(
        "no \(plan.phone.rawValue) phone has the setting '\(foreign.name)'",
        help: "lab list settings")
    }
    if let problem = plan.settings.problem(on: plan.phone) {
      throw Failure.wrongUsage("\(problem)", help: "lab list settings")
    }
    plan.depth = invocation.value(depth) ?? plan.depth
    plan.writerCount = invocation.value(writers) ?? plan.writerCount
    plan.readerCount = invocation.value(readers) ?? plan.readerCount
    if let bound = invocation.value(bound) {
      plan.cutCountMax = bound
      plan.orderCountMax = 4 * bound
    }
    if let list = invocation.value(faults) {
      plan.dangers = Set(list.compactMap(ExplorationPlan.Danger.init))
    }
    return plan
  }

  private static func exploreSessions(
    _ saves: ExplorationPlan, _ profile: AppProfile, _ invocation: Invocation,
    _ folder: String, _ console: Console
  ) throws -> ExitCode {
    var plan = SessionPlan(
      phone: saves.phone, store: saves.store, profile: profile, settings: saves.settings,
      seed: saves.seed)
    plan.killsRecovery = saves.depth > 1
    plan.onlyFault = invocation.value(fault)
    if let only = invocation.value(story).flatMap(SessionStory.init) {
      plan.stories = [only]
    } else if plan.onlyFault != nil {
      throw Failure.wrongUsage("--fault needs --story", help: "lab explore --help")
    }
    if saves.depth > 2 {
      throw Failure.wrongUsage("--client goes to --depth 2", help: "lab explore --help")
    }
    let others = [
      writers.name: invocation.value(writers) != nil,
      readers.name: invocation.value(readers) != nil,
      bound.name: invocation.value(bound) != nil, faults.name: invocation.value(faults) != nil,
    ]
    if let option = others.filter(\.value).keys.min() {
      throw Failure.wrongUsage("--\(option) is not for --client", help: "lab explore --help")
    }
    let interrupts = try Interrupts(console, "stopping after this run (again: at once)")
    let explorer = SessionExplorer(plan)
    explorer.shouldStop = { interrupts.isRaised }
    explorer.progress = { story, done, all in
      let phase = Phase(story.rawValue, on: console)
      if done == all {
        phase.end("\(all)")
      } else {
        phase.update(Double(done) / Double(all), "\(done) of \(all)")
      }
    }
    let report: SessionReport
    do {
      report = SessionReport(try explorer.run())
    } catch {
      throw Failure.couldNotRun("\(error)")
    }
    if invocation.has(json) {
      console.result(JSONWriter.text(of: report.json, .pretty))
    } else {
      console.result(report.lines(replaysIn: folder, for: console))
    }
    if report.exitCode == .interrupted { console.error(Lab.again()) }
    try Replays.write(report.replays.map(ReplayFile.story), to: folder, console)
    let page = SessionPage(report, replaysIn: folder, version: Lab.version)
    try ReportOptions.publish(page: page.html, invocation, console)
    try ReportOptions.publish(report.checks(replaysIn: folder), invocation, console)
    return report.exitCode
  }

  private static func explore(
    _ plan: ExplorationPlan, _ interrupts: Interrupts, _ console: Console
  ) throws -> Exploration {
    if plan.foreign != nil { return try exploreApp(plan, interrupts, console) }
    do {
      let explorer = try Explorer(plan)
      explorer.shouldStop = { interrupts.isRaised }
      explorer.announce = { states, moments in
        guard states > largeStateCount else { return }
        console.note(
          "up to \(states) crash states at \(moments) moments; fewer, drawn by seed: --bound 256")
      }
      explorer.progress = { showProgress($0, $1, $2, console) }
      var found = try explorer.run()
      try found.shrinkReplays(on: SimulatedPhone(PhoneSetup())) { interrupts.isRaised }
      return found
    } catch {
      throw Failure.couldNotRun("\(error)")
    }
  }

  /// A program of somebody else's, on a mounted phone.
  private static func exploreApp(
    _ plan: ExplorationPlan, _ interrupts: Interrupts, _ console: Console
  ) throws -> Exploration {
    let stage = try Stage(.mounted, console)
    defer { stage.close() }
    guard let host = stage.phone as? PhoneHost else {
      preconditionFailure("the mounted tier has a phone of its own kind")
    }
    let explorer = AppExplorer(plan, on: host)
    explorer.shouldStop = { interrupts.isRaised }
    explorer.announce = { for line in words($0) { console.note(line) } }
    explorer.progress = { showProgress($0, $1, $2, console) }
    do {
      return try ForeignAppOption.reported(interrupts) { () throws(PhoneHostError) in
        try explorer.run()
      }
    } catch let error as PhoneHostError {
      throw Failure.couldNotRun("\(error)")
    }
  }

  /// `up to 312 crash states at 78 moments, 240 refused calls: at most about 2m10s`.
  private static func words(_ extent: AppExplorer.Extent) -> [String] {
    let parts = [
      extent.momentCount > 0
        ? "up to \(Counted.words(extent.stateCount, "crash state")) at "
          + Counted.words(extent.momentCount, "moment") : nil,
      extent.refusalCount > 0 ? Counted.words(extent.refusalCount, "refused call") : nil,
      extent.flipCount > 0 ? Counted.words(extent.flipCount, "flipped bit") : nil,
    ].compactMap(\.self)
    let minutes = extent.seconds / 60
    let time = minutes > 0 ? "\(minutes)m\(extent.seconds % 60)s" : "\(extent.seconds)s"
    let more = extent.isBeginning ? " for the first orders and crashes" : ""
    return [
      parts.joined(separator: ", ") + ": at most about \(time)\(more)",
      "  less where states are equal; replays of what is found come on top   (fewer: --bound N)",
    ]
  }

  private static func showProgress(_ work: String, _ done: Int, _ all: Int, _ console: Console) {
    let phase = Phase(work, on: console)
    let remark = all == 0 ? "\(done)" : "\(done) of \(all)"
    if done == all {
      phase.end(remark)
    } else {
      phase.update(all == 0 ? 0 : Double(done) / Double(all), remark)
    }
  }
}
