import Chaos
import Gallery
import JSON
import Linux
import Phone
import Reports
import Terminal

/// `lab replay`: findings again, beside what was recorded of them.
enum ReplayCommand {
  private static let tier = Option(
    "tier", .word("TIER", of: Tier.allCases.map(\.rawValue) + [both]),
    "simulated, mounted or both; default simulated")
  private static let both = "both"
  private static let tool = Option(
    "as", .word("TOOL", of: DeviceTool.allCases.map(\.rawValue)),
    "print the closest steps for "
      + "\(DeviceTool.allCases.map(\.rawValue).joined(separator: ", ")), and play nothing")
  private static let bundle = Option(
    "bundle",
    ValueKind("ID", allowed: "an app's id such as com.example.app") {
      DeviceScript.isBundle($0) ? $0 : nil
    }, "with --as: the app's id; default com.example.app")
  private static let only = Option(
    "case", .text("NAME"),
    "with --as and a scenario: its case that has this part, as K1, or these: seed+K1")
  private static let phone = Option(
    "phone", .word("PHONE", of: PhoneKind.allCases.map(\.rawValue)),
    "with --as maestro and a scenario of both phones: which; default ios")

  static var command: Command {
    var command = Command("replay", "findings again, from their files", run: run)
    command.description = [
      "Plays replay files, which `lab explore` and `lab chaos` write for what they find: the same "
        + "steps and faults on a new phone. Shows how it went, and whether the decisions, the "
        + "verdicts and the stored images are those that were recorded. On both tiers also whether "
        + "each file saw the same writes, truncations, syncs, renames and removals in the same order.",
      "A decision that is not the recorded one is named, with what was met instead: a save may "
        + "make other operations than it did when the file was written.",
      "A story of `lab explore --client` takes virtual hours, so it plays in memory only.",
      "With --as it plays nothing: it prints the steps that come closest on a real simulator or phone, "
        + "as a shell script or a Maestro flow, with what a person has to do, and which steps have no "
        + "equivalent there and why. That works for a scenario, too.",
    ]
    command.arguments = [
      Argument("FILE|FOLDER", .some, suggestions: GalleryFiles.all.map(\.name))
    ]
    command.options = [tier, tool, bundle, only, phone, json, ReportOptions.html]
    command.options += ForeignAppOption.all
    command.exitCodes = [
      (.asExpected, "all is as recorded"), (.finding, "something is not as recorded"),
    ]
    command.examples = [
      ("lab replay lab-findings", "all findings of earlier runs"),
      ("lab replay finding.json --tier both", "in memory, and on a mounted phone"),
      ("lab replay finding.json --app 'node my-store.mjs'", "one of a program of your own"),
      ("lab replay finding.json --as simctl --bundle com.you.app", "confirm it on a simulator"),
      ("lab replay torn-save --case K1 --as adb", "the same for a case of a scenario"),
    ]
    return command
  }

  private static func run(_ invocation: Invocation, _ console: Console) throws -> ExitCode {
    let words = invocation.arguments("FILE|FOLDER")
    if let tool = invocation.value(tool).flatMap(DeviceTool.init) {
      try ForeignAppOption.refuse(ForeignAppOption.all, "--as plays nothing", in: invocation)
      return try showSteps(of: words, tool, invocation, console)
    }
    for option in [bundle, only, phone] as [any OptionDefinition] where invocation.isGiven(option) {
      throw Failure.wrongUsage("--\(option.name) is for --as", help: "lab replay --help")
    }
    try ReportOptions.check(invocation)
    let foreign = try ForeignAppOption.foreignApp(invocation)
    let files = try Replays.load(words, with: foreign)
    let tiers = try tiers(invocation, foreign)
    if tiers != [.simulated], let story = files.compactMap(\.story).first {
      throw Failure.wrongUsage(
        "\(story.file ?? story.name) is a story: its hours are virtual, so it plays on the simulated "
          + "tier only", help: "lab replay --help")
    }
    let interrupts = try Interrupts(console)
    let isTold = invocation.value(ReportOptions.html) != nil
    let played = try play(
      files.compactMap(\.steps), on: tiers, isTold: isTold, interrupts, console)
    let stories = try play(files.compactMap(\.story), interrupts)
    let report = ReplayReport(played.filter { !$0.isEmpty }, stories: stories)
    if invocation.has(json) {
      console.result(JSONWriter.text(of: report.json, .pretty))
    } else {
      console.result(report.lines)
      if interrupts.isRaised {
        let doneCount = played.count { !$0.isEmpty } + stories.count
        console.result("INTERRUPTED at \(doneCount) of \(Counted.words(files.count, "replay"))")
      }
    }
    if interrupts.isRaised { console.error(Lab.again()) }
    try ReportOptions.publish(
      page: { try report.page(version: Lab.version, wasInterrupted: interrupts.isRaised) },
      invocation, console)
    return interrupts.isRaised ? .interrupted : report.exitCode
  }

  private static func play(
    _ replays: [Replay], on tiers: [Tier], isTold: Bool, _ interrupts: Interrupts,
    _ console: Console
  ) throws -> [[ReplayComparison]] {
    var played = replays.map { _ in [ReplayComparison]() }
    guard !replays.isEmpty else { return played }
    for tier in tiers where !interrupts.isRaised {
      let stage = try Stage(tier, console)
      defer { stage.close() }
      var player = ReplayPlayer(on: stage.phone)
      player.tracesStorage = tiers.count > 1
      player.tellsOperations = isTold
      for (index, replay) in replays.enumerated() where !interrupts.isRaised {
        do {
          played[index].append(
            try ForeignAppOption.reported(interrupts) { () throws(PhoneHostError) in
              try player.replay(replay)
            }
          )
        } catch let error as PhoneHostError {
          throw Failure.couldNotRun("\(replay.file ?? replay.name): \(error)")
        }
      }
    }
    return played
  }

  private static func play(
    _ stories: [StoryReplay], _ interrupts: Interrupts
  ) throws -> [StoryComparison] {
    var played: [StoryComparison] = []
    for story in stories where !interrupts.isRaised {
      do {
        played.append(try story.play())
      } catch {
        throw Failure.couldNotRun("\(story.file ?? story.name): \(error)")
      }
    }
    return played
  }

  private static func showSteps(
    of words: [String], _ tool: DeviceTool, _ invocation: Invocation, _ console: Console
  ) throws -> ExitCode {
    for option in [json, tier, ReportOptions.html] as [any OptionDefinition]
    where invocation.isGiven(option) {
      throw Failure.wrongUsage("--\(option.name) is not for --as", help: "lab replay --help")
    }
    let id = invocation.value(bundle) ?? "com.example.app"
    let wanted = invocation.value(phone).flatMap(PhoneKind.init)
    let played = try words.flatMap { word in
      try OnDevice.load(word, case: invocation.value(only), tool, on: wanted)
    }
    guard let first = played.first, played.count == 1 else {
      throw Failure.wrongUsage(
        "--as takes one file, not \(played.count): a script is for one run",
        help: "lab replay --help")
    }
    let script = DeviceScript(
      first.title, on: first.phone, first.steps, as: tool, bundle: id, sites: first.sites)
    console.result(script.lines)
    let counts = script.counts
    console.note(
      "\(counts.commands) with a command, \(counts.byHand) by hand, \(counts.nothing) without an "
        + "equivalent")
    return .asExpected
  }

  private static func tiers(
    _ invocation: Invocation, _ foreign: ForeignApp?
  ) throws -> [Tier] {
    if foreign != nil {
      guard let word = invocation.value(tier), word != Tier.mounted.rawValue else {
        try ForeignAppOption.checkTier()
        return [.mounted]
      }
      throw ForeignAppOption.refusal(ofTier: word, invocation)
    }
    switch invocation.value(tier) {
    case both: return Tier.allCases
    case let word: return [word.flatMap(Tier.init) ?? .simulated]
    }
  }
}
