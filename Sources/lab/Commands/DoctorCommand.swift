import Benchmarks
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
    var finding = Finding.fine
    /// What does not work without it.
    var blocks = ""

    enum Finding {
      case fine
      /// It is needed; what to do.
      case missing(String)
      /// Nothing of the lab's own needs it.
      case advice(String)
    }

    var remedy: String? { if case .missing(let remedy) = finding { remedy } else { nil } }
    var advice: String? { if case .advice(let words) = finding { words } else { nil } }
  }

  static var command: Command {
    var command = Command("doctor", "what this machine lacks", run: run)
    command.description = [
      "Looks at what the program depends on where it runs, and says how to get what is missing. "
        + "Advice is about what only some need."
    ]
    command.options = [json]
    command.exitCodes = [(.couldNotRun, "something is missing")]
    return command
  }

  private static func run(_ invocation: Invocation, _ console: Console) throws -> ExitCode {
    let checks = try libraries() + machine
    if invocation.has(json) {
      let rows = checks.map { check -> JSONValue in
        var fields = JSONObject()
        fields["name"] = .text(check.name)
        fields["ok"] = .bool(check.remedy == nil)
        fields["remedy"] = check.remedy.map { .text($0) }
        fields["advice"] = check.advice.map { .text($0) }
        return .object(fields)
      }
      console.result(
        JSONWriter.text(of: ["schema": "lab.doctor/1", "checks": .list(rows)], .pretty))
    } else {
      show(checks, console)
    }
    return checks.allSatisfy { $0.remedy == nil } ? .asExpected : .couldNotRun
  }

  // MARK: - For people

  private static let nameWidth = 17

  private static func show(_ checks: [Check], _ console: Console) {
    let fine = checks.filter { $0.remedy == nil && $0.advice == nil }.map(\.name)
    let names = TextLayout.wrap(fine.joined(separator: ", "), width: console.columnCount - 11)
    for (index, line) in names.enumerated() {
      console.result((index == 0 ? "  ok       " : "           ") + line)
    }
    for check in checks {
      if let remedy = check.remedy {
        console.result("  MISSING  \(padded(check.name))blocks: \(check.blocks)")
        console.result("           \(padded("do:"))\(remedy)")
      } else if let advice = check.advice {
        console.result("  advice   \(padded(check.name))\(advice)")
      }
    }
    let missing = checks.count { $0.remedy != nil }
    let advice = checks.count { $0.advice != nil }
    let others = [missing > 0 ? "\(missing) missing" : nil, advice > 0 ? "\(advice) advice" : nil]
    console.result(
      (["\(fine.count) of \(checks.count) checks passed"] + others.compactMap(\.self))
        .joined(separator: ", ")
        + (missing == 0 ? ". Everything works." : ". \(usable)"))
    if missing == 0 { console.result("next: lab run torn-save") }
  }

  /// What needs nothing of this machine.
  private static let usable = "Fully usable: explore, compare, bench crypto."

  private static func padded(_ name: String) -> String {
    name + String(repeating: " ", count: max(2, nameWidth - name.count))
  }

  // MARK: - Checks

  /// What the program is linked with is there when it runs; the versions help whoever is asked.
  private static func libraries() throws -> [Check] {
    try MachineDescription.libraries().map { Check(name: "\($0.name) \($0.version)") }
  }

  private static var machine: [Check] {
    [
      Check(
        name: "/dev/fuse", finding: fuse,
        blocks: "mount; chaos, run and selftest go on, simulated tier only"),
      Check(
        name: "fusermount3",
        finding: ProgramPath.find("fusermount3") == nil
          ? .missing("apt-get install -y fuse3") : .fine,
        blocks: "mount; chaos and run on the mounted tier"),
      Check(
        name: "lab-app", finding: hasApp ? .fine : .missing("build the lab again"),
        blocks: "app, run, chaos"),
      Check(
        name: "a private runtime folder", finding: runtimeFolder, blocks: "mount, run, chaos"),
      staleMounts, node,
    ]
  }

  private static var fuse: Check.Finding {
    do {
      try FuseDevice.check()
      return .fine
    } catch .noFuse {
      return .missing(
        "sudo modprobe fuse   (container: --device /dev/fuse --cap-add SYS_ADMIN)")
    } catch {
      return .missing("\(error)")
    }
  }

  private static var hasApp: Bool {
    guard let executable = try? Files.currentExecutable() else { return false }
    return (try? PhoneHost.Programs(besideExecutable: executable)) != nil
  }

  /// All that commands would use of those folders. Opening the registry cleans up the mounts that it
  /// knows of.
  private static var runtimeFolder: Check.Finding {
    do throws(MountError) {
      _ = try Registry().list()
      for folder in RuntimeFolder.allCases where Files.exists(folder.path) {
        _ = try folder.checked()
      }
      return .fine
    } catch .folderRefused(let path, let reason, let remedy) {
      return .missing("\(remedy)   (\(path) \(reason))")
    } catch {
      return .missing("\(error)")
    }
  }

  /// What a lab that was killed has left, where no registry leads to it.
  private static var staleMounts: Check {
    let stale = StaleMounts.list()
    guard let first = stale.first else { return Check(name: "no stale mount") }
    return Check(
      name: stale.count == 1 ? "a stale mount" : "\(stale.count) stale mounts",
      finding: .advice("do: fusermount3 -uz \(ShellWord.quoted(first))"))
  }

  // MARK: - node

  private static let nodeWords = "only for JavaScript stores; everything else works without it"

  private static var node: Check {
    guard let version = nodeVersion else {
      return Check(name: "node 18.19+", finding: .advice(nodeWords))
    }
    let numbers = version.split(separator: ".").compactMap { Int($0) }
    let isNew = numbers.count > 1 && (numbers[0], numbers[1]) >= (18, 19)
    return isNew
      ? Check(name: "node \(version)")
      : Check(name: "node 18.19+", finding: .advice("\(nodeWords); this is \(version)"))
  }

  private static let patienceMs = 5_000

  /// `18.19.0`; `nil` where there is none that answers.
  private static var nodeVersion: String? {
    guard ProgramPath.find("node") != nil, let pipe = try? Descriptor.pipe() else { return nil }
    var launch = ChildProcess.Launch(["node", "--version"])
    launch.descriptors = [nil, pipe.writing, nil]
    guard let child = try? ChildProcess(launch) else { return nil }
    // It is short enough to wait in the pipe.
    guard (try? child.wait(timeoutMs: patienceMs)) == .exited(0) else {
      try? child.kill()
      return nil
    }
    guard let bytes = try? pipe.reading.read(count: 100) else { return nil }
    let text = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    return text.first.map { String($0.drop { $0 == "v" }) }
  }
}
