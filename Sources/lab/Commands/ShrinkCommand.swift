import Chaos
import JSON
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
      "A story of `lab explore --client` loses its second kill, what a power cut left of it, or its "
        + "fault, where it fails without.",
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
    var written: [String] = []
    for file in files where !interrupts.isRaised {
      if file.steps?.history.store == ForeignApp.storeName {
        console.result(
          "\(file.file ?? file.name): found with a program of somebody's own, and made small there")
        continue
      }
      guard let path = target ?? file.file, let failure = file.failure else {
        throw Failure.couldNotRun("\(file.file ?? file.name) shows no failure")
      }
      guard let (smaller, words) = try shrink(file, shrinker) else {
        console.result("\(path): does not show \(failure.rawValue) here; unchanged")
        exitCode = .finding
        continue
      }
      try Replays.write(smaller, to: path)
      console.result("\(path): \(words)")
      written.append(path)
    }
    if interrupts.isRaised {
      console.error("INTERRUPTED at \(written.count) of \(Counted.words(files.count, "file"))")
      console.error(Lab.again())
      return .interrupted
    }
    if !written.isEmpty { console.result("next: \(ShellWord.line(["lab", "replay"] + written))") }
    return exitCode
  }

  private static func shrink(
    _ file: ReplayFile, _ shrinker: Shrinker
  ) throws -> (ReplayFile, String)? {
    do throws(PhoneHostError) {
      switch file {
      case .steps(let replay):
        return try shrinker.shrink(replay).map { (.steps($0.after), "\($0)") }
      case .story(let story): return try story.shrunk().map { (.story($0.after), "\($0)") }
      }
    } catch {
      throw Failure.couldNotRun("\(error)")
    }
  }
}
