import Chaos
import Glibc
import JSON
import Linux
import Mount
import Terminal

/// `lab doctor`: what is missing here, and how to get it.
enum DoctorCommand {
  private struct Check {
    let name: String
    /// `nil`: it is there.
    let remedy: String?
    let blocks: String
  }

  static var command: Command {
    var command = Command("doctor", "what this machine lacks", run: run)
    command.options = [json]
    command.exitCodes = [(.couldNotRun, "something is missing")]
    return command
  }

  private static func run(_ invocation: Invocation, _ console: Console) throws -> ExitCode {
    let checks = checks
    let missing = checks.filter { $0.remedy != nil }
    if invocation.has(json) {
      let rows = checks.map { check -> JSONValue in
        var fields = JSONObject()
        fields["name"] = .text(check.name)
        fields["ok"] = .bool(check.remedy == nil)
        fields["remedy"] = check.remedy.map { .text($0) }
        return .object(fields)
      }
      console.result(
        JSONWriter.text(of: ["schema": "lab.doctor/1", "checks": .list(rows)], .pretty))
    } else {
      show(checks, console)
    }
    return missing.isEmpty ? .asExpected : .couldNotRun
  }

  private static func show(_ checks: [Check], _ console: Console) {
    for check in checks {
      guard let remedy = check.remedy else {
        console.result("  ok       \(check.name)")
        continue
      }
      console.result("  MISSING  \(check.name)   blocks: \(check.blocks)")
      console.result("           do: \(remedy)")
    }
    let missing = checks.count { $0.remedy != nil }
    console.result(
      "\(checks.count - missing) of \(checks.count) checks passed"
        + (missing == 0 ? ". Everything works." : ", \(missing) missing."))
  }

  private static var checks: [Check] {
    [
      Check(name: "/dev/fuse", remedy: fuse, blocks: "mount; run and chaos go on, simulated"),
      Check(
        name: "fusermount3",
        remedy: inPath("fusermount3") ? nil : "apt-get install -y fuse3",
        blocks: "mount, run, chaos"),
      Check(
        name: "lab-app", remedy: hasApp ? nil : "build the lab again: ./lab doctor",
        blocks: "app, run, chaos"),
      Check(name: "a private runtime folder", remedy: runtimeFolder, blocks: "mount, run, chaos"),
    ]
  }

  private static var fuse: String? {
    do {
      try FuseDevice.check()
      return nil
    } catch .noFuse {
      return "sudo modprobe fuse   (container: --device /dev/fuse --cap-add SYS_ADMIN)"
    } catch {
      return "\(error)"
    }
  }

  private static var hasApp: Bool {
    guard let executable = try? Files.currentExecutable() else { return false }
    return (try? PhoneHost.Programs(besideExecutable: executable)) != nil
  }

  /// Opening the registry cleans up stale mounts, too.
  private static var runtimeFolder: String? {
    do {
      _ = try Registry().list()
      return nil
    } catch {
      return "\(error)"
    }
  }

  private static func inPath(_ program: String) -> Bool {
    (Files.environment("PATH") ?? "").split(separator: ":").contains {
      Files.exists("\($0)/\(program)")
    }
  }
}
