import Chaos
import Device
import Glibc
import JSON
import Linux
import Mount
import Phone
import Terminal

/// `lab mount DIR`: a live phone, until it is unmounted.
enum MountCommand {
  private static let phone = Option(
    "phone", .word("PHONE", of: PhoneKind.allCases.map(\.rawValue)),
    "which phone; default ios, or that of the image")
  private static let profile = Option(
    "profile", .word("NAME", of: PersistenceProfile.all.map(\.name)),
    "what the device promises about a power cut, for all of it")
  private static let capacity = Option(
    "capacity", .size, "how much the device holds; default 64MiB")
  private static let image = Option(
    "image", .text("FILE"), "keep everything in this file; made when missing")
  private static let attributes = Flag("xattr", "serve extended attributes; slower writes")
  private static let knobs = ScenarioSettings.phoneKeys.map { key in
    Option(key.option, .word("WORD", of: key.values), "\(key.meaning); default \(key.values[0])")
  }

  static var command: Command {
    var command = Command("mount", "a live fake phone on a folder", run: run)
    command.description = [
      "Mounts a phone on an empty or a new folder and serves it until `lab unmount`, Ctrl-C or a "
        + "signal. Any program may use it: what it stores there is what the phone stores.",
      "With --image everything is kept in one file, and is there again the next time.",
    ]
    command.arguments = [Argument("DIR")]
    command.options = [phone, image, profile, capacity, attributes] + knobs
    command.exitCodes = [
      (.asExpected, "unmounted, or ended by SIGTERM"), (.interrupted, "ended by Ctrl-C"),
      (.neverFired, "an armed fault never fired"),
    ]
    command.examples = [
      ("lab mount my-phone &", "a phone in the background"),
      ("lab mount p --profile posix-weak", "with the weakest device that POSIX allows"),
    ]
    return command
  }

  private static func run(_ invocation: Invocation, _ console: Console) throws -> ExitCode {
    let directory = invocation.argument("DIR") ?? ""
    guard !directory.isEmpty else {
      throw Failure.wrongUsage("mount needs DIR, not an empty word", help: "lab mount --help")
    }
    let interrupts = try Interrupts(console, "stopping (again: at once)")
    let registry = try Registry()
    let programs = try PhoneHost.Programs(besideExecutable: Files.currentExecutable())
    var settings = ScenarioSettings()
    for (key, option) in zip(ScenarioSettings.phoneKeys, knobs) {
      if let value = invocation.value(option) { settings[key] = value }
    }
    let chosen = invocation.value(phone).flatMap(PhoneKind.init)
    var setup = PhoneSetup(chosen ?? .ios, settings, seed: nil)
    setup.profile = invocation.value(profile).flatMap(PersistenceProfile.named)
    if let capacity = invocation.value(capacity) { setup.capacityBytes = capacity }
    let live = try LivePhone(
      at: directory, registry, programs, setup, isChosen: chosen != nil,
      image: invocation.value(image),
      servesExtendedAttributes: invocation.has(attributes))
    defer { live.close() }
    console.result("\(live.name) (\(live.host.kind.rawValue)) is mounted at \(directory)")
    console.note("next: lab app --store healing sign-in   (from a second terminal)")
    let code = wait(live, interrupts, console)
    try live.end()
    return code
  }

  private static func wait(
    _ live: LivePhone, _ interrupts: Interrupts, _ console: Console
  ) -> ExitCode {
    var isSaved = true
    var savedNs = Clocks.monotonicNs
    while true {
      if let signal = interrupts.wait(timeoutMs: 100) {
        console.error("\(live.name) is being unmounted")
        return signal == SIGINT ? .interrupted : .asExpected
      }
      if live.server.waitUntilAsked(timeoutMs: 0) {
        return live.neverFiredCount > 0 ? .neverFired : .asExpected
      }
      if live.host.mounted.waitUntilEnded(timeoutMs: 0) {
        console.error("\(live.name) was unmounted by hand")
        return .asExpected
      }
      if Clocks.monotonicNs - savedNs > saveIntervalNs {
        live.host.writeBack()
        let problem = live.saveProblem()
        // Said once; the phone goes on, and the next save may work.
        if isSaved, let problem { console.error("not saved: \(problem)") }
        isSaved = problem == nil
        savedNs = Clocks.monotonicNs
      }
    }
  }

  /// How much a lab that is killed may lose of what its image file should hold.
  private static let saveIntervalNs: Int64 = 1_000_000_000
}
