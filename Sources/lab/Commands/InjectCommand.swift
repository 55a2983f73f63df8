import Chaos
import JSON
import Mount
import Terminal

/// `lab inject FAULT`: one fault now, or armed for a moment.
enum InjectCommand {
  private static let at = Option("at", .text("WHEN"), "arm it for a moment, such as K1 or rename:*")
  private static let times = Option(
    "times", .integer("N", in: 1...1_000_000), "how often an armed fault fires; default 1")
  private static let parameters = FaultParameter.allCases.map { parameter in
    Option(parameter.rawValue, .text("VALUE"), parameter.summary)
  }

  /// The options that give a fault its moment and its values.
  static var faultOptions: [any OptionDefinition] { [at, times] + parameters }

  static var command: Command {
    var command = Command(
      "inject", "one fault on a mounted phone or a server, now or at a moment", run: run)
    command.description = [
      "Returns when it is done, and prints what it removed and what remains; before it takes "
        + "something stored, a snapshot is taken by itself, and the line `undo:` brings it back. With --at, or in the "
        + "short form FAULT@WHEN, the fault waits for its moment; `lab faults` says what became "
        + "of it.",
      "Moments: a point (K0 K1 B0 B1 M1 S0 S1 R0 R1), recovery, op:17, or a call and a path such "
        + "as rename:*.bak#2. `lab list faults` and `lab list points` show all words.",
      "A fault of an auth server goes to `lab serve`: it waits for the next request that fits "
        + "--path and --method, or with --at for the Nth; what somebody else does there, such as "
        + "revoke-session, happens at once.",
    ]
    command.arguments = [Argument("FAULT", suggestions: FaultKind.allCases.map(\.rawValue))]
    command.options = [PhoneLink.on] + faultOptions + [json]
    command.examples = [
      ("lab inject keychain-reset", "the system forgets every keychain item"),
      ("lab inject kill@K1", "the next save dies between its two writes"),
      ("lab inject power-cut --survivors seed:7", "the power fails now"),
      ("lab inject lose-reply --path /token", "the server loses its next reply there"),
    ]
    return command
  }

  /// The fault of a phone that a command line names.
  static func order(_ text: String, _ invocation: Invocation) throws -> PhoneVerb.InjectOrder {
    let (order, request) = try orderAndRequest(text, invocation)
    guard !request.kind.isOnServer else {
      throw Failure.wrongUsage(
        "\(request.kind.rawValue) happens to a server, not to a phone", help: "lab inject --help")
    }
    return order
  }

  private static func orderAndRequest(
    _ text: String, _ invocation: Invocation
  ) throws -> (order: PhoneVerb.InjectOrder, request: FaultRequest) {
    var values: [String: String] = [:]
    for option in parameters {
      if let value = invocation.value(option) { values[option.name] = value }
    }
    let order = PhoneVerb.InjectOrder(
      text, at: invocation.value(at), times: invocation.value(times) ?? 1, parameters: values)
    do {
      let request = try FaultRequest(
        order.text, at: order.at, times: order.times, parameters: order.parameters)
      return (order, request)
    } catch {
      let allowed = error.allowed.map { $0.count <= 80 ? "   (\($0))" : "" } ?? ""
      throw Failure.wrongUsage("\(error.reason)\(allowed)", help: "lab list faults")
    }
  }

  private static func run(_ invocation: Invocation, _ console: Console) throws -> ExitCode {
    let (order, request) = try orderAndRequest(invocation.argument("FAULT") ?? "", invocation)
    let (report, place): (InjectReport, String)
    if request.kind.isOnServer {
      let link = try ServerLink(invocation)
      let members = JSONValue.object(JSONObject(request.members))
      (report, place) = (InjectReport(try link.call("POST", "/lab/faults", members)), link.url)
    } else {
      if let url = ServerLink.url(invocation) {
        throw Failure.wrongUsage(
          "\(request.kind.rawValue) happens to a phone, and \(url) is a server",
          help: "lab list faults")
      }
      let link = try PhoneLink(invocation)
      (report, place) = (InjectReport(try link.call(.inject(order))), link.entry.name)
    }
    if invocation.has(json) {
      console.result(JSONWriter.text(of: report.json))
    } else {
      show(report, on: place, named: invocation.value(PhoneLink.on), console)
    }
    return .asExpected
  }

  /// What takes a fault back, where it took nothing that is stored.
  private static let undo = [
    FaultKind.lock.rawValue: ["inject", "unlock"],
    FaultKind.diskFull.rawValue: ["inject", "disk-free"],
  ]

  /// - Parameters:
  ///   - report: What was done.
  ///   - phone: To what.
  ///   - named: What `--on` said, for the next command.
  ///   - console: Where to tell it.
  static func show(
    _ report: InjectReport, on phone: String, named: String?, _ console: Console
  ) {
    if report.status == "armed" {
      console.result(
        "\(report.fault) on \(phone): armed as fault \(report.id ?? 0), for "
          + "\(report.moment ?? "its moment")")
      console.note("next: run the app, then lab faults")
      return
    }
    let kind = report.phone.isEmpty ? "" : " (\(report.phone))"
    console.result("\(report.fault) on \(phone)\(kind): done")
    show("removed", report.removed, console)
    if let returned = report.returned { show("is back", returned, console) }
    show("remains", report.remains, console)
    if !report.volatile.isEmpty {
      let parts = report.volatile.joined(separator: ", ")
      console.result("  not durable before: something in \(parts)")
    }
    if let rule = report.rule {
      console.result("  \(report.isSynthetic ? "synthetic" : "can happen"): \(rule)")
    }
    if report.returned != nil {
      console.result("  all of it is durable now: it came from a snapshot")
    }
    if report.fault == FaultKind.kill.rawValue {
      console.note("next: lab app ... (start it again)")
    }
    tellUndo(of: report, on: named, console)
  }

  /// Tells what takes a change back, where something does.
  static func tellUndo(of report: InjectReport, on named: String?, _ console: Console) {
    guard let words = report.snapshot.map({ ["restore", $0] }) ?? undo[report.fault] else { return }
    console.note("undo: \(line(words, on: named))")
  }

  /// A command for the same phone.
  static func line(_ words: [String], on named: String?) -> String {
    ShellWord.line(["lab"] + words + (named.map { ["--on", $0] } ?? []))
  }

  static func show(_ word: String, _ items: [StoredItem], _ console: Console) {
    guard !items.isEmpty else {
      console.result("  \(word)   nothing")
      return
    }
    let width = items.map(\.name.count).max() ?? 0
    for (index, item) in items.enumerated() {
      let name = item.name + String(repeating: " ", count: width - item.name.count)
      let bytes = item.bytes.map { "\($0) bytes" } ?? ""
      let padded = String(repeating: " ", count: max(0, 12 - bytes.count)) + bytes
      let place = item.place + String(repeating: " ", count: max(0, 8 - item.place.count))
      let note = item.note.map { "   \($0)" } ?? ""
      console.result("  \(index == 0 ? word : "       ")   \(place)  \(name) \(padded)\(note)")
    }
  }
}

/// `lab snapshot NAME` and `lab restore NAME`: backups, of one half or both.
enum SnapshotCommand {
  static let half = Option<Scenario.HalfChoice>(
    "half", .word("HALF"), "key, blob or both (default)")

  static var command: Command {
    var command = Command("snapshot", "a backup of a mounted phone", run: run)
    command.description = ["Keeps it under a NAME: \(SnapshotName.rule)."]
    command.arguments = [Argument("NAME")]
    command.options = [PhoneLink.on, half, json]
    return command
  }

  private static func run(_ invocation: Invocation, _ console: Console) throws -> ExitCode {
    let name = invocation.argument("NAME") ?? ""
    if let problem = SnapshotName.problem(of: name) {
      throw Failure.wrongUsage(problem, help: "lab snapshot --help")
    }
    let half = invocation.value(half) ?? .both
    let link = try PhoneLink(invocation)
    let answer = try link.call(.snapshot(name: name, half: half))
    if invocation.has(json) {
      console.result(JSONWriter.text(of: answer))
    } else {
      console.result("snapshot '\(name)' of \(link.entry.name): \(half.rawValue)")
      let option = half == .both ? [] : ["--half", half.rawValue]
      let words = ["restore", name] + option
      console.note("next: \(InjectCommand.line(words, on: invocation.value(PhoneLink.on)))")
    }
    return .asExpected
  }
}

enum RestoreCommand {
  private static let device = Option(
    "device", .word("DEVICE", of: ["same", "new"]), "onto the same phone (default) or a new one")

  static var command: Command {
    var command = Command("restore", "bring a backup back", run: run)
    command.description = [
      "Both halves follow the platform's rules: what no backup holds is gone afterwards. One half "
        + "alone is brought back byte by byte, which no real phone does: a synthetic state.",
      "A snapshot that was taken by itself, before `lab inject`, `lab restore` or `lab reset "
        + "--device` took something stored, brings the whole phone back as it was then; the latest "
        + "8 are kept until the unmount, and `lab status` lists them.",
    ]
    command.arguments = [Argument("NAME")]
    command.options = [PhoneLink.on, SnapshotCommand.half, device, json]
    return command
  }

  private static func run(_ invocation: Invocation, _ console: Console) throws -> ExitCode {
    let link = try PhoneLink(invocation)
    let answer = try link.call(
      .restore(
        name: invocation.argument("NAME") ?? "",
        half: invocation.value(SnapshotCommand.half) ?? .both,
        device: invocation.value(device) ?? "same"))
    if invocation.has(json) {
      console.result(JSONWriter.text(of: answer))
    } else {
      InjectCommand.show(
        InjectReport(answer), on: link.entry.name,
        named: invocation.value(PhoneLink.on), console)
    }
    return .asExpected
  }
}
