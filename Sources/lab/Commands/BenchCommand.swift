import Benchmarks
import Chaos
import JSON
import Linux
import Mount
import Terminal

/// `lab bench SUITE`: measurements on this machine.
enum BenchCommand {
  private static let rounds = Option(
    "rounds", .integer("N", in: 1...999),
    "how many rounds; default \(FilesystemSuite.Parameters.real.roundCount)")
  private static let against = Option(
    "against", .text("DIR"), "measure the file system of this folder as well")
  private static let devices = Option(
    "devices", .integer("N", in: 1...1_000_000), "how many phones refresh; default 1000")
  private static let days = Option(
    "days", .integer("N", in: 1...3_650), "for how many days; default 30")
  private static let seed = Option("seed", .seed, "what the phones do; default 990951")
  private static let smoke = Flag(
    "smoke", "a quick pass, to see that all runs; its values are not measurements")

  private static let html = Option(
    "html", .text("FILE"), "also writes the run as one page, with charts")
  private static let markdown = Option(
    "markdown", .text("FILE"), "also writes the tables of all runs as Markdown")
  private static let compare = Option(
    "compare", .text("OLD.json"), "stands the run beside an older one that --json wrote")
  private static let from = Option(
    "from", .text("FILE.json"), "shows a run that --json wrote, instead of measuring",
    isRepeatable: true)

  static var command: Command {
    var command = Command("bench", "how fast the lab is on this machine", run: run)
    command.description = [
      "Without SUITE, lists the suites. Ratios of one run can be compared with those of another "
        + "machine, times cannot: close other programs first.",
      "filesystem measures a mounted phone on one processor, beside the least that two processes "
        + "need to talk and a file system in memory; --against adds any other FUSE mount.",
      "exploration measures the simulator: crash states beside a naive replay, checks of a database, "
        + "saves beside those on a mounted phone, and whole explorations.",
      "crypto measures AES-256-CTR of every library here beside bare AES rounds, and what stores make "
        + "of it. Python's pyaes is found through LAB_PYTHON.",
      "storage saves, reads and removes a session with every store on every phone: in memory, on a "
        + "mounted phone, and in a folder of TMPDIR, which should be on a disk.",
      "refresh plays a fleet of phones whose sessions are refreshed, by each client, with its ticker "
        + "tied to the app's state and not; --devices, --days and --seed are for it.",
      "Keep a run with --json > old.json. --compare says of each figure whether it changed by more than "
        + "both runs spread; times are compared on the same processor only. With --json it prints the "
        + "comparison instead of the run. Ctrl-C shows what the finished rounds gave.",
    ]
    command.arguments = [
      Argument("SUITE", .optional, kind: "suite", words: Suites.all.map { $0.name })
    ]
    command.options = [
      rounds, against, devices, days, seed, smoke, from, compare, json, html, markdown,
    ]
    command.examples = [
      ("lab bench filesystem", "in about half a minute"),
      ("lab bench filesystem --against DIR", "beside another FUSE mount"),
      ("lab bench exploration", "in about two minutes"),
      ("lab bench crypto", "in about a minute"),
      ("lab bench storage", "in about a minute"),
      ("lab bench refresh --devices 100", "in a few seconds"),
      ("lab bench crypto --compare old.json", "and what changed since"),
      ("lab bench --from new.json --html new.html", "a page to send around"),
    ]
    return command
  }

  private static func run(_ invocation: Invocation, _ console: Console) throws -> ExitCode {
    let name = invocation.argument("SUITE")
    try ReportOptions.check([html, markdown], invocation)
    // Read before anything is measured.
    let runs = try invocation.values(from).map { try BenchRunFile.read($0, suite: name) }
    let older = try invocation.value(compare).map { path in
      try BenchRunFile.read(path, suite: name ?? runs.first?.suite)
    }
    if !runs.isEmpty {
      for option in [rounds, against, smoke] as [any OptionDefinition]
      where invocation.isGiven(option) {
        throw wrongUsage("--\(option.name) is for measuring, which --from does not")
      }
      try show(runs, older, invocation, console)
      return .asExpected
    }
    if let name { return try measure(name, older, invocation, console) }
    for option in [rounds, against, smoke, compare, json, html, markdown] as [any OptionDefinition]
    where invocation.isGiven(option) {
      throw wrongUsage("--\(option.name) needs a SUITE or --from")
    }
    for suite in Suites.all { console.result("  \(suite.name)  \(suite.summary)") }
    console.result("next: lab bench \(Suites.all[0].name)")
    return .asExpected
  }

  private static func measure(
    _ name: String, _ older: Measurements?, _ invocation: Invocation, _ console: Console
  ) throws -> ExitCode {
    let interrupts = try Interrupts(console, "stopping (again: at once)")
    let suite = try suite(name, invocation, console)
    do {
      var measured = try suite.run(watch(name, interrupts, console))
      measured.isSmoke = invocation.has(smoke)
      try show([measured], older, invocation, console)
      return measured.wasInterrupted ? .interrupted : .asExpected
    } catch {
      // A suite may fail of it before the first round, too.
      guard error as? BenchmarkError == .interrupted || interrupts.wait(timeoutMs: 500) != nil
      else { throw error }
      console.error("INTERRUPTED in the first round: no figures")
      return .interrupted
    }
  }

  private static func show(
    _ runs: [Measurements], _ older: Measurements?, _ invocation: Invocation, _ console: Console
  ) throws {
    if runs.count > 1 {
      for option in [compare, json, html] as [any OptionDefinition] where invocation.isGiven(option)
      {
        throw wrongUsage("--\(option.name) takes one run, not \(runs.count)")
      }
    }
    let comparison = older.flatMap { older in
      runs.first.map { BenchmarkComparison($0, with: older) }
    }
    if let path = invocation.value(markdown) {
      try write(ResultsPage(runs).text, to: path, console)
    }
    for run in runs {
      if let path = invocation.value(html) {
        try write(BenchmarkPage(run, comparison: comparison).html, to: path, console)
      }
      if invocation.has(json) {
        console.result(JSONWriter.text(of: comparison?.json ?? run.json, .pretty))
      } else {
        console.result(BenchmarkReport(run).lines(for: console))
        if let comparison { console.result([""] + comparison.lines(for: console)) }
        if comparison == nil, !run.isSmoke, invocation.values(from).isEmpty {
          let command = "lab bench \(run.suite)"
          console.result(
            "keep: \(command) --json > old.json   later: \(command) --compare old.json")
        }
      }
    }
  }

  private static func write(_ text: String, to path: String, _ console: Console) throws {
    try Files.write(path, Array(text.utf8), permissions: 0o644)
    console.note("written: \(path)")
  }

  private static func wrongUsage(_ reason: String) -> Failure {
    .wrongUsage(reason, help: "lab bench --help")
  }

  private static func suite(
    _ name: String, _ invocation: Invocation, _ console: Console
  ) throws -> any Suite {
    let isOfFleet = [devices, days].contains { invocation.value($0) != nil }
    if isOfFleet || invocation.value(seed) != nil, name != RefreshSuite.name {
      throw Failure.wrongUsage(
        "--devices, --days and --seed are for refresh", help: "lab bench --help")
    }
    if name == FilesystemSuite.name { return try filesystem(invocation) }
    guard invocation.value(against) == nil else {
      throw wrongUsage("--against is for filesystem")
    }
    if name == CryptoSuite.name { return crypto(invocation) }
    if name == StorageSuite.name { return try storage(invocation, console) }
    if name == RefreshSuite.name { return refresh(invocation) }
    var parameters: ExplorationSuite.Parameters = invocation.has(smoke) ? .smoke : .real
    if let count = invocation.value(rounds) { parameters.roundCount = count }
    return ExplorationSuite(parameters, executable: try mountingExecutable(console))
  }

  private static func crypto(_ invocation: Invocation) -> CryptoSuite {
    var parameters: CryptoSuite.Parameters = invocation.has(smoke) ? .smoke : .real
    if let count = invocation.value(rounds) { parameters.roundCount = count }
    return CryptoSuite(parameters)
  }

  private static func storage(
    _ invocation: Invocation, _ console: Console
  ) throws -> StorageSuite {
    var parameters: StorageSuite.Parameters = invocation.has(smoke) ? .smoke : .real
    if let count = invocation.value(rounds) { parameters.roundCount = count }
    let executable = try mountingExecutable(console)
    return StorageSuite(
      parameters, programs: try executable.map { try PhoneHost.Programs(besideExecutable: $0) })
  }

  private static func refresh(_ invocation: Invocation) -> RefreshSuite {
    var parameters: RefreshSuite.Parameters = invocation.has(smoke) ? .smoke : .real
    if let count = invocation.value(rounds) { parameters.roundCount = count }
    if let count = invocation.value(devices) { parameters.deviceCount = count }
    if let count = invocation.value(days) { parameters.dayCount = count }
    if let seed = invocation.value(seed) { parameters.seed = seed }
    return RefreshSuite(parameters)
  }

  /// Our own program, where it can mount a phone.
  private static func mountingExecutable(_ console: Console) throws -> String? {
    do {
      try FuseDevice.check()
    } catch {
      console.note("no phone to compare with: \(error)")
      return nil
    }
    return try Files.currentExecutable()
  }

  private static func filesystem(_ invocation: Invocation) throws -> FilesystemSuite {
    var parameters: FilesystemSuite.Parameters = invocation.has(smoke) ? .smoke : .real
    if let count = invocation.value(rounds) { parameters.roundCount = count }
    let executable = try Files.currentExecutable()
    return FilesystemSuite(
      parameters, executable: executable,
      programs: try PhoneHost.Programs(besideExecutable: executable),
      peer: invocation.value(against))
  }

  private static func watch(_ name: String, _ interrupts: Interrupts, _ console: Console) -> Watch {
    let phase = Phase(name, on: console)
    return Watch(
      shouldStop: { interrupts.isRaised },
      // Ctrl-C reaches the measured phone as well, which may end before we hear of it.
      hasFailedOfStop: { interrupts.wait(timeoutMs: 500) != nil },
      progress: { done, all in
        if done == all {
          phase.end("\(done) rounds")
        } else {
          phase.update(Double(done) / Double(all), "round \(done) of \(all)")
        }
      })
  }
}
