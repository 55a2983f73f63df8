import Chaos
import Glibc
import JSON
import Linux
import Mount
import Session
import Terminal

/// `lab app`: the reference app as a process on a mounted phone.
enum AppVerb {
  private static let store = Option(
    "store", StoreOption.kind, "where the session is kept")
  private static let user = Option("user", .text("NAME"), "whose session; default ada")
  private static let item = Option(
    "name", .text("NAME"), "the name of the session's item; default sb-demo-auth-token")
  private static let acknowledgements = Option(
    "ack", .text("FILE"), "append what was begun and what was acknowledged to this file")
  private static let knobs = [
    ScenarioSettings.size, ScenarioSettings.sizeRule, ScenarioSettings.sdk,
  ].map { key in
    Option(key.option, .word("WORD", of: key.values), "\(key.meaning); default \(key.values[0])")
  }

  static var command: Command {
    var command = Command("app", "the reference app, on a mounted phone", run: run)
    command.description = [
      "Starts an app that keeps a session in a store and does one thing: "
        + AppCommand.usage.joined(separator: " | ") + ".",
      "Every start is a cold one: what an app keeps in memory is gone.",
    ]
    command.arguments = [Argument("COMMAND", .some)]
    command.options =
      [PhoneLink.on, store, user, item, acknowledgements] + knobs + [to, generation, text, json]
    command.exitCodes = [
      (.finding, "the store or the client refused"), (.killed, "killed by a fault"),
    ]
    command.examples = [
      ("lab app --store healing sign-in", "stores a session"),
      ("lab app --store healing get", "reads it, as the client does at start"),
      ("lab app --store recipe refresh --to 2", "saves the next generation"),
    ]
    return command
  }

  // The app's own options, so that they may stand anywhere in the line.
  private static let to = Option("to", .integer("N", in: 1...1_000_000), "for refresh: generation")
  private static let generation = Option(
    "generation", .integer("N", in: 1...1_000_000), "for sign-in: generation; default 1")
  private static let text = Option("text", .text("TEXT"), "for sign-in: the session's own text")

  private static func run(_ invocation: Invocation, _ console: Console) throws -> ExitCode {
    guard let store = invocation.value(store) else {
      let names = StoreKind.all.map(\.name).joined(separator: "|")
      throw Failure.wrongUsage("app needs --store \(names)", help: "lab app --help")
    }
    let words = appWords(invocation)
    do {
      _ = try AppCommand(words: words)
    } catch {
      throw Failure.wrongUsage("\(error)", help: "lab app --help")
    }
    var options = ["--store", store]
    if let user = invocation.value(user) { options += ["--user", user] }
    if let item = invocation.value(item) { options += ["--name", item] }
    if let path = invocation.value(acknowledgements) { options += ["--ack", path] }
    for knob in knobs {
      if let value = invocation.value(knob) { options += ["--\(knob.name)", value] }
    }
    let link = try PhoneLink(invocation)
    let command = try link.call(.app(options + words))["command"]?.list?.compactMap(\.text) ?? []
    let interrupts = try Interrupts(console, "stopping the app")
    let (code, output) = try runApp(command, on: link) { interrupts.isRaised }
    guard code == .asExpected else {
      if code == .killed { console.error("KILLED  the app was ended by a fault") }
      return code
    }
    return try show(output, invocation, console)
  }

  /// Starts the app, and waits for its end.
  ///
  /// - Parameters:
  ///   - command: Its command line.
  ///   - link: The phone that it joins.
  ///   - isStopped: Whether it shall end before its time.
  /// - Returns: Its code, and the line that it said if it ended well.
  /// - Throws: `Failure` when the phone refuses, `SystemError` when it cannot be started.
  static func runApp(
    _ command: [String], on link: PhoneLink, isStopped: () -> Bool
  ) throws -> (ExitCode, String) {
    let (reading, writing) = try Descriptor.pipe()
    var launch = ChildProcess.Launch(command)
    launch.descriptors = [nil, writing, .standardError]
    let code = try GuestProcess(launch, on: link, name: "lab app").wait(isStopped: isStopped)
    // The answer is one short line, so it waits in the pipe.
    guard code == .asExpected, let line = try LineReader(reading).next(patienceMs: 0) else {
      return (code, "")
    }
    return (code, line)
  }

  private static func appWords(_ invocation: Invocation) -> [String] {
    var words = invocation.arguments("COMMAND")
    if let generation = invocation.value(to) { words += ["--to", String(generation)] }
    if let number = invocation.value(generation) { words += ["--generation", String(number)] }
    if let text = invocation.value(text) { words += ["--text", text] }
    return words
  }

  private static func show(
    _ output: String, _ invocation: Invocation, _ console: Console
  ) throws -> ExitCode {
    let result: AppResult
    do {
      result = try AppResult(JSONReader.read(output))
    } catch {
      throw Failure(.defect, ["the app gave an answer that is not one: \(error)"])
    }
    if invocation.has(json) {
      console.result(JSONWriter.text(of: result.json))
    } else {
      console.result(words(result.outcome))
    }
    if case .rejected = result.outcome { return .finding }
    return .asExpected
  }

  private static func words(_ outcome: AppResult.Outcome) -> String {
    switch outcome {
    case .session(let identity): "signed in: \(words(identity))"
    case .absent: "null"
    case .garbage(_, let removed):
      "null   (the store gave a text that is no session"
        + (removed ? "; the client removed it)" : "; it is still stored)")
    case .item(let bytes, let digest): "\(bytes) bytes, digest \(digest)"
    case .saved(let identity): "saved" + (identity.map { ": \(words($0))" } ?? "")
    case .removed: "removed"
    case .signedOut: "signed out"
    case .told: "told"
    case .view(let view): view.status.rawValue
    case .hung(let place): "never answers: \(place)"
    case .adapter(let problem): "no answer that counts: \(problem)"
    case .overlapped(let outcomes): outcomes.map { words($0) }.joined(separator: "\n")
    case .rejected(let code, let message):
      "rejected: \(message)" + (code.map { "   (\($0))" } ?? "")
    }
  }

  private static func words(_ identity: SessionIdentity) -> String {
    let generation = identity.generation.map { "generation \($0)" } ?? "a session of another app"
    return "\(generation), digest \(identity.textDigest.prefix(4))"
  }
}
