import Chaos
import Gallery
import Mount
import Ports
import Terminal

/// The options that put a program which speaks `lab.adapter/1` into the place of a store.
enum ForeignAppOption {
  static let app = Option(
    "app", kind, "the program that keeps the session, in place of a store; mounted tier only")
  static let expectAs = Option(
    "expect-as", StoreOption.kind,
    "with --app: what this store shows is expected of the program; default a store without a flaw")
  static let patience = Option(
    "app-seconds", .integer("N", in: 1...600),
    "with --app: how long a command may wait for the program; default 10")
  static let browser = Option(
    "app-browser",
    ValueKind("ANSWER", allowed: BrowserResult.allowedWords) { BrowserResult(word: $0) },
    "with --app: what comes of a page that it opens for a sign-in; default cancel"
  )

  private static var kind: ValueKind<ForeignApp> {
    ValueKind("COMMAND", allowed: "a program and its arguments, as 'node my-store.mjs'") { text in
      try? ForeignApp(text)
    }
  }

  /// All of them, for a command that takes a program.
  static let all: [any OptionDefinition] = [app, expectAs, patience, browser]

  /// The program that a command line names; `nil` for none.
  ///
  /// - Throws: `Failure` with 64 for an option of a program where none is named.
  static func foreignApp(_ invocation: Invocation) throws -> ForeignApp? {
    guard var foreign = invocation.value(app) else {
      for option in all where invocation.isGiven(option) {
        throw Failure.wrongUsage(
          "--\(option.name) is for a program that --app names",
          help: "lab \(invocation.command) --help")
      }
      return nil
    }
    foreign.expectAs = invocation.value(expectAs)
    foreign.browser = invocation.value(browser) ?? foreign.browser
    if let seconds = invocation.value(patience) { foreign.patienceMs = seconds * 1000 }
    return foreign
  }

  /// Refuses options that a program does not go with.
  ///
  /// - Throws: `Failure` with 64, and why.
  static func refuse(
    _ others: [any OptionDefinition], _ why: String, in invocation: Invocation
  ) throws {
    for option in others where invocation.isGiven(option) {
      throw Failure.wrongUsage(
        "--\(option.name): \(why)", help: "lab \(invocation.command) --help")
    }
  }

  /// Only a mounted phone can run one: nothing is done in memory in its place.
  ///
  /// - Throws: `Failure` with 2, why no phone can be mounted here, and what to do.
  static func checkTier() throws {
    do {
      try FuseDevice.check()
    } catch {
      throw Failure.couldNotRun(
        "--app needs the mounted tier: a program of your own cannot run in memory.  "
          + "\(PhoneHostError.mount(error))")
    }
  }

  static func refusal(ofTier tier: String, _ invocation: Invocation) -> Failure {
    .wrongUsage(
      "--tier \(tier): a program of your own runs on the mounted tier only",
      help: "lab \(invocation.command) --help")
  }

  /// Runs something with such a program. What the program does against the protocol is no verdict: the
  /// lab could not run it.
  ///
  /// - Throws: `Failure` with what the program printed, or with 130 when somebody wanted to stop.
  static func reported<Value>(
    _ interrupts: Interrupts? = nil, _ body: () throws(PhoneHostError) -> Value
  ) throws -> Value {
    do throws(PhoneHostError) {
      return try body()
    } catch {
      guard case .adapter(let problem) = error else { throw error }
      if interrupts?.isRaised == true {
        throw Failure(.interrupted, ["INTERRUPTED: the program had not answered yet"])
      }
      throw Failure(
        .couldNotRun,
        problem.split(separator: "\n").map(String.init)
          + (advice(on: problem).map { ["do: \($0)"] } ?? [])
          + ["This says nothing of its store.  help: Documentation/Adapter.md"])
    }
  }

  /// What to do about a module that node has not found, and that the shims bring.
  private static func advice(on problem: String) -> String? {
    guard let found = problem.firstMatch(of: /Cannot find (?:package|module) '([^']+)'/) else {
      return nil
    }
    let module = found.1.split(separator: "/")
    guard let name = module.last,
      ProgramFiles.all.contains(where: { [name, "\(name).mjs"].contains($0.path[...]) })
    else { return nil }
    guard name.hasSuffix(".mjs") else {
      return "lab shims ./shims, then --app 'node --import ./shims/register.mjs ...': "
        + "\(name) is one of the stand-ins that it brings"
    }
    // As the command names it: what node printed may be cut.
    let command = problem.prefix { !$0.isNewline }.split { " ='\"".contains($0) }
    let folder = command.last { $0.hasSuffix("/\(name)") }?.dropLast(name.count + 1) ?? "./shims"
    return "lab shims \(ShellWord.quoted(String(folder)))   (writes \(name) there)"
  }
}
