import Chaos
import JSON
import Linux
import Terminal

/// `lab with FAULT -- COMMAND…`: a fault for as long as a command runs.
enum WithCommand {
  static var command: Command {
    var command = Command("with", "a fault around any command", run: run)
    command.description = [
      "Arms a fault, or lets it happen, runs the command as a process of the phone, and takes the "
        + "fault back: what was armed is disarmed, a locked phone is unlocked, a full disk has "
        + "room again."
    ]
    command.arguments = [
      Argument("FAULT", suggestions: FaultKind.onPhones.map(\.rawValue)),
      Argument("COMMAND", .afterDashes),
    ]
    command.options = [PhoneLink.on] + InjectCommand.faultOptions
    command.exitCodes = [
      (.asExpected, "the command's own code"), (.killed, "killed by the fault"),
      (.neverFired, "the armed fault never fired"),
    ]
    command.examples = [
      ("lab with kill@K1 -- node save.mjs", "a program that dies between two writes"),
      ("lab with lock -- ./read-session", "a program on a locked phone"),
    ]
    return command
  }

  private static func run(_ invocation: Invocation, _ console: Console) throws -> ExitCode {
    let order = try InjectCommand.order(invocation.argument("FAULT") ?? "", invocation)
    let interrupts = try Interrupts(console, "stopping the command, and taking the fault back")
    let link = try PhoneLink(invocation)
    let report = InjectReport(try link.call(.inject(order)))
    let code: ExitCode
    do {
      let launch = ChildProcess.Launch(invocation.arguments("COMMAND"))
      let guest = try GuestProcess(launch, on: link, name: launch.command[0])
      code = try guest.wait { interrupts.isRaised }
    } catch {
      _ = try? takeBack(report, order, link)
      throw error
    }
    let hasFired = try takeBack(report, order, link)
    guard hasFired || code == .interrupted else {
      console.error("NEVER FIRED  \(order.text). What the command showed proves nothing.")
      return .neverFired
    }
    return code
  }

  /// - Returns: Whether the fault fired, as far as it had to.
  private static func takeBack(
    _ report: InjectReport, _ order: PhoneVerb.InjectOrder, _ link: PhoneLink
  ) throws -> Bool {
    if let id = report.id {
      let faults = try link.call(.disarm(id))["faults"]?.list ?? []
      let fault = faults.first { $0["id"]?.integer == Int64(id) }
      return (fault?["fired"]?.integer ?? 0) > 0
    }
    switch FaultKind(rawValue: report.fault) {
    case .lock: _ = try link.call(.inject(.init(FaultKind.unlock.rawValue)))
    case .diskFull: _ = try link.call(.inject(.init(FaultKind.diskFree.rawValue)))
    default: break
    }
    return true
  }
}
