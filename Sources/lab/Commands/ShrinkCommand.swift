import Chaos
import Linux
import Phone
import Reports
import Terminal

/// `lab shrink`: a finding with as few decisions as it takes.
enum ShrinkCommand {
  private static let out = Option(
    "out", .text("FILE"), "where the smaller one goes; default is the file itself")

  static var command: Command {
    var command = Command("shrink", "make a finding smaller", run: run)
    command.description = [
      "Takes steps, faults and sizes away from replay files for as long as they show the same "
        + "failure, in memory, and writes what is left in their place. Nothing is drawn: the same "
        + "file gives the same result. The file is recorded anew, so this is also how to take over "
        + "a change of what the phone stores.",
      "A story of `lab explore --client` has one fault at one place, and stays as it is.",
    ]
    command.arguments = [Argument("FILE", .some)]
    command.options = [out]
    command.exitCodes = [
      (.asExpected, "it is as small as it gets"),
      (.finding, "the file shows another failure than it says, or none; it stays as it is"),
    ]
    command.examples = [("lab shrink lab-findings/falseSignOut-recipe-ios-1.json", "in place")]
    return command
  }

  private static func run(_ invocation: Invocation, _ console: Console) throws -> ExitCode {
    let files = try Replays.load(invocation.arguments("FILE"))
    let target = invocation.value(out)
    guard target == nil || files.count == 1 else {
      throw Failure.wrongUsage("--out names one file for several", help: "lab shrink --help")
    }
    let stage = try Stage(.simulated, console)
    defer { stage.close() }
    let interrupts = try Interrupts(console, "stopping after this try (again: at once)")
    var shrinker = Shrinker(on: stage.phone)
    shrinker.shouldStop = { interrupts.isRaised }
    var exitCode = ExitCode.asExpected
    for file in files where !interrupts.isRaised {
      guard case .steps(let replay) = file else {
        console.result("\(file.file ?? file.name): a story with one fault: nothing to take away")
        continue
      }
      guard let path = target ?? replay.file, replay.failure != nil else {
        throw Failure.couldNotRun("\(replay.file ?? replay.name) shows no failure")
      }
      guard let shrunk = try shrink(replay, shrinker) else {
        console.result("\(path): does not show \(replay.failure?.rawValue ?? "") here; unchanged")
        exitCode = .finding
        continue
      }
      try Replays.write(.steps(shrunk.after), to: path)
      console.result("\(path): \(shrunk)")
    }
    if interrupts.isRaised { return .interrupted }
    return exitCode
  }

  private static func shrink(_ replay: Replay, _ shrinker: Shrinker) throws -> Shrinker.Shrunk? {
    do {
      return try shrinker.shrink(replay)
    } catch {
      throw Failure.couldNotRun("\(error)")
    }
  }
}
