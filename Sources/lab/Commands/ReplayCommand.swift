import Chaos
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
    ]
    command.arguments = [Argument("FILE|FOLDER", .some)]
    command.options = [tier, json]
    command.exitCodes = [
      (.asExpected, "all is as recorded"), (.finding, "something is not as recorded"),
    ]
    command.examples = [
      ("lab replay lab-findings", "all findings of earlier runs"),
      ("lab replay finding.json --tier both", "in memory, and on a mounted phone"),
    ]
    return command
  }

  private static func run(_ invocation: Invocation, _ console: Console) throws -> ExitCode {
    let files = try Replays.load(invocation.arguments("FILE|FOLDER"))
    let tiers = tiers(invocation)
    if tiers != [.simulated], let story = files.compactMap(\.story).first {
      throw Failure.wrongUsage(
        "\(story.file ?? story.name) is a story: its hours are virtual, so it plays on the simulated "
          + "tier only", help: "lab replay --help")
    }
    let interrupts = try Interrupts(console)
    let played = try play(files.compactMap(\.steps), on: tiers, interrupts, console)
    let stories = try play(files.compactMap(\.story), interrupts)
    let report = ReplayReport(played.filter { !$0.isEmpty }, stories: stories)
    if invocation.has(json) {
      console.result(JSONWriter.text(of: report.json, .pretty))
    } else {
      console.result(report.lines)
      if interrupts.isRaised { console.result("INTERRUPTED: the others were not played") }
    }
    return interrupts.isRaised ? .interrupted : report.exitCode
  }

  private static func play(
    _ replays: [Replay], on tiers: [Tier], _ interrupts: Interrupts, _ console: Console
  ) throws -> [[ReplayComparison]] {
    var played = replays.map { _ in [ReplayComparison]() }
    guard !replays.isEmpty else { return played }
    for tier in tiers where !interrupts.isRaised {
      let stage = try Stage(tier, console)
      defer { stage.close() }
      var player = ReplayPlayer(on: stage.phone)
      player.tracesStorage = tiers.count > 1
      for (index, replay) in replays.enumerated() where !interrupts.isRaised {
        do {
          played[index].append(try player.replay(replay))
        } catch {
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

  private static func tiers(_ invocation: Invocation) -> [Tier] {
    switch invocation.value(tier) {
    case both: Tier.allCases
    case let word: [word.flatMap(Tier.init) ?? .simulated]
    }
  }
}
