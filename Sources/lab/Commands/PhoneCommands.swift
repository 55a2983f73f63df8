import Chaos
import JSON
import Linux
import Mount
import Terminal

let json = Flag("json", "one JSON document on stdout")

/// `lab unmount`.
enum UnmountCommand {
  static var command: Command {
    var command = Command("unmount", "end a mounted phone", run: run)
    command.arguments = [Argument("PHONE", .optional)]
    command.options = [PhoneLink.on]
    command.exitCodes = [(.neverFired, "an armed fault never fired")]
    return command
  }

  private static func run(_ invocation: Invocation, _ console: Console) throws -> ExitCode {
    let link = try PhoneLink(invocation, named: invocation.argument("PHONE"), waits: false)
    let waiting = (try link.call(.unmount)["faults"]?.list ?? []).filter {
      $0["status"]?.text == "armed"
    }
    link.waitUntilGone()
    console.result("\(link.entry.name) is unmounted")
    for fault in waiting {
      console.error("NEVER FIRED  \(fault["fault"]?.text ?? "a fault")")
    }
    return waiting.isEmpty ? .asExpected : .neverFired
  }
}

/// `lab status`.
enum StatusCommand {
  static var command: Command {
    var command = Command("status", "the mounted phones and servers, or one in detail", run: run)
    command.arguments = [Argument("PHONE", .optional)]
    command.options = [PhoneLink.on, json]
    return command
  }

  private static func run(_ invocation: Invocation, _ console: Console) throws -> ExitCode {
    let phones = try Registry().list()
    let servers = try ServerRegistry().list()
    let wanted = invocation.argument("PHONE") ?? invocation.value(PhoneLink.on)
    if wanted == nil, phones.count != 1 {
      list(phones, servers, asJSON: invocation.has(json), console)
      return .asExpected
    }
    if wanted?.hasPrefix("http://") == true {
      let faults = try ServerLink(invocation, waits: false).faults()
      FaultsCommand.report(faults, of: wanted ?? "", asJSON: invocation.has(json), console)
      return .asExpected
    }
    let status = try PhoneLink(invocation, named: wanted, waits: false).call(.status)
    if invocation.has(json) {
      console.result(JSONWriter.text(of: status))
    } else {
      show(status, console)
      show(servers, console)
    }
    return .asExpected
  }

  /// None, or more than one: their names, for `--on`.
  private static func list(
    _ phones: [Registry.Entry], _ servers: [ServerRegistry.Entry], asJSON: Bool,
    _ console: Console
  ) {
    guard !asJSON else {
      let names = phones.map { phone -> JSONValue in ["name": .text(phone.name)] }
      let urls = servers.map { server -> JSONValue in
        ["kind": .text(server.kind), "url": .text(server.url)]
      }
      console.result(
        JSONWriter.text(of: [
          "schema": "lab.status/1", "phones": .list(names), "servers": .list(urls),
        ]))
      return
    }
    for phone in phones { console.result("\(phone.name)  mounted at \(phone.directory)") }
    show(servers, console)
    guard phones.isEmpty, servers.isEmpty else { return }
    console.result("no phone is mounted")
    console.note("next: lab mount my-phone &")
  }

  private static func show(_ servers: [ServerRegistry.Entry], _ console: Console) {
    for server in servers { console.result("\(server.kind)  served at \(server.url)") }
  }

  private static func show(_ status: JSONValue, _ console: Console) {
    let free = status["freeBytes"]?.integer ?? 0
    let capacity = status["capacityBytes"]?.integer ?? 0
    let since = status["operationsSince"]?.integer ?? 1
    let log = since > 1 ? " (log since \(since))" : ""
    console.result(
      "\(status["name"]?.text ?? "?")  \(status["phone"]?.text ?? "?")  "
        + "\(status["lockState"]?.text ?? "?")  \(status["operations"]?.integer ?? 0) operations\(log)  "
        + "\(free >> 10) of \(capacity >> 10) KiB free")
    for process in status["processes"]?.list ?? [] {
      console.result(
        "  process  \(process["pid"]?.integer ?? 0)  \(process["name"]?.text ?? "?")")
    }
    for held in status["held"]?.list ?? [] { console.result("  held     \(held.text ?? "?")") }
    for snapshot in status["snapshots"]?.list ?? [] {
      let halves = (snapshot["halves"]?.list ?? []).compactMap(\.text).joined(separator: " and ")
      let isAutomatic = snapshot["automatic"]?.bool ?? false
      console.result(
        "  snapshot \(snapshot["name"]?.text ?? "?")   "
          + (isAutomatic ? "all, taken by itself" : halves))
    }
    FaultsCommand.show(status, console)
  }
}

/// `lab faults`.
enum FaultsCommand {
  private static let release = Flag("release", "let held operations go on")
  private static let disarm = Option(
    "disarm", .integer("N", in: 1...Int.max), "take back the armed fault with this number")

  static var command: Command {
    var command = Command(
      "faults", "what was armed on a phone or a server, and what fired", run: run)
    command.options = [PhoneLink.on, release, disarm, json]
    return command
  }

  private static func run(_ invocation: Invocation, _ console: Console) throws -> ExitCode {
    if try ServerLink.isMeant(invocation) { return try runOnServer(invocation, console) }
    let servers = invocation.isGiven(PhoneLink.on) ? [] : try ServerRegistry().list()
    if let server = servers.first, invocation.isGiven(disarm) {
      throw Failure.couldNotRun(
        "a phone and a server each count their faults from 1",
        do: "add --on NAME or --on \(server.url)")
    }
    let link = try PhoneLink(invocation, waits: false)
    if invocation.has(release) {
      let answer = try link.call(.release)
      if invocation.has(json) {
        console.result(JSONWriter.text(of: answer))
        return .asExpected
      }
      let released = answer["released"]?.list ?? []
      for operation in released { console.result("released  \(operation.text ?? "?")") }
      if released.isEmpty { console.result("nothing was held") }
      return .asExpected
    }
    let faults = try link.call(invocation.value(disarm).map { .disarm($0) } ?? .faults)
    if servers.isEmpty {
      report(faults, of: link.entry.name, asJSON: invocation.has(json), console)
    } else {
      let isJSON = invocation.has(json)
      try report(faults, of: link.entry.name, beside: servers, asJSON: isJSON, console)
    }
    return .asExpected
  }

  /// What was armed on a phone, and on the servers that run as well.
  private static func report(
    _ faults: JSONValue, of phone: String, beside servers: [ServerRegistry.Entry], asJSON: Bool,
    _ console: Console
  ) throws {
    let others = try servers.map { try ServerLink($0).faults() }
    guard !asJSON else {
      var document = faults.object ?? JSONObject()
      document["servers"] = .list(
        others.map { ["server": $0["server"] ?? .null, "faults": $0["faults"] ?? []] })
      console.result(JSONWriter.text(of: .object(document)))
      return
    }
    for (place, faults) in zip([phone] + servers.map(\.url), [faults] + others) {
      if faults["faults"]?.list?.isEmpty == false { console.result(place) }
      report(faults, of: place, asJSON: false, console)
    }
  }

  private static func runOnServer(
    _ invocation: Invocation, _ console: Console
  ) throws -> ExitCode {
    guard !invocation.has(release) else {
      throw Failure.wrongUsage("a server holds no operations", help: "lab faults --help")
    }
    let link = try ServerLink(invocation, waits: false)
    if let id = invocation.value(disarm) { _ = try link.call("DELETE", "/lab/faults/\(id)") }
    report(try link.faults(), of: link.url, asJSON: invocation.has(json), console)
    return .asExpected
  }

  static func report(_ faults: JSONValue, of place: String, asJSON: Bool, _ console: Console) {
    if asJSON {
      console.result(JSONWriter.text(of: faults))
    } else if faults["faults"]?.list?.isEmpty ?? true {
      console.result("no fault is armed on \(place)")
    } else {
      show(faults, console)
    }
  }

  static func show(_ faults: JSONValue, _ console: Console) {
    for fault in faults["faults"]?.list ?? [] {
      console.result(
        "  fault \(fault["id"]?.integer ?? 0)  \(fault["fault"]?.text ?? "?"): "
          + "\(fault["status"]?.text ?? "?")")
    }
    for problem in faults["problems"]?.list ?? [] {
      console.error("an event that fired could not happen: \(problem.text ?? "?")")
    }
    let waiting = (faults["faults"]?.list ?? []).contains { fault in
      fault["status"]?.text == "armed" && fault["fault"]?.text?.hasPrefix("kill") == true
    }
    if waiting {
      console.note("a kill hits only what lab app and lab with start")
    }
  }
}

/// `lab reset`.
enum ResetCommand {
  private static let device = Flag(
    "device", "back to the mount: also make everything stored as it was then")

  static var command: Command {
    var command = Command("reset", "disarm all faults of a phone or a server", run: run)
    command.options = [PhoneLink.on, device, json]
    return command
  }

  private static func run(_ invocation: Invocation, _ console: Console) throws -> ExitCode {
    if try ServerLink.isMeant(invocation) {
      guard !invocation.has(device) else {
        throw Failure.wrongUsage("--device is for phones", help: "lab reset --help")
      }
      let link = try ServerLink(invocation, waits: false)
      _ = try link.call("DELETE", "/lab/faults")
      FaultsCommand.report(
        try link.faults(), of: link.url, asJSON: invocation.has(json), console)
      return .asExpected
    }
    let link = try PhoneLink(invocation, waits: false)
    let answer = try link.call(.reset(device: invocation.has(device)))
    if invocation.has(json) {
      console.result(JSONWriter.text(of: answer))
    } else if invocation.has(device) {
      console.result("\(link.entry.name) is as it was when it was mounted; no fault is armed")
      InjectCommand.tellUndo(
        of: InjectReport(answer), on: invocation.value(PhoneLink.on), console)
    } else {
      console.result("no fault is armed on \(link.entry.name)")
    }
    return .asExpected
  }
}
