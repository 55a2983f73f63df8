import Glibc
import JSON
import Linux
import Machine
import Phone
import Ports
import Session
import Simulation
import Zoo

/// One launch of the reference app: `session --root DIR --daemon SOCKET --store KIND COMMAND…`.
///
/// Prints its result as one line of JSON on standard output, warnings on standard error. With the
/// command `serve` it stays, as an app in the foreground does: it takes one command a line from
/// standard input, `{"nowMs": …, "words": ["refresh", "--to", "2"]}`, answers each with a line, and
/// ends with its input. `nowMs` moves a virtual clock, and is ignored with the machine's. With
/// `--adapter WORDS` (a JSON list) the store is not one of ours, but a program that it starts.
enum SessionCommand {
  private static let options =
    [
      "root", "daemon", "store", "name", "user", "size", "sdk", "size-rule", "seed", "clock-start",
      "pid", "ack", "launch", "client", "server", "state", "clock-ahead",
      "web-crypto", "backend", "jar", "adapter", "adapter-patience", "adapter-browser",
      "adapter-notes",
    ] + Options.phone

  static func run(_ arguments: [String]) throws {
    let options = try Options(arguments, allowed: options)
    try Launch(options).run()
  }
}

/// What the command line says about a launch. Holds values only, so that everything else is made
/// where it runs.
private struct Launch: Sendable {
  var root: String
  var daemon: String
  var store: Store
  /// `nil`: one command after the other, from standard input.
  var command: AppCommand?
  var app: AppSettings
  var phone: PhoneKind
  var start: PhoneLaunch
  var seed: UInt64?
  var clockStartMs: Int64?
  var acknowledgements: String?
  /// Where a program of somebody else's has its calls noted.
  var callNotes: String?
  /// `nil`: the reference app.
  var client: ClientLaunch?
  /// Whether the person sees it.
  var state: AppState

  enum Store: Sendable {
    case own(StoreKind)
    /// The program of somebody else's that is the store.
    case foreign(AdapterProgram.Launch)
  }

  init(_ options: Options) throws(UsageError) {
    root = try options.required("root")
    daemon = try options.required("daemon")
    store = try Self.store(options)
    client = try ClientLaunch(options)
    state = try options.word("state") ?? .active
    if options.rest != ["serve"] {
      do {
        command = try AppCommand(words: options.rest)
      } catch {
        throw UsageError("\(error)")
      }
    }
    app = try Self.appSettings(options)
    seed = try options.number("seed")
    phone = try options.phoneKind()
    start = try options.phoneLaunch()
    start.processNumber = try options.number("pid") ?? getpid()
    clockStartMs = try options.number("clock-start")
    acknowledgements = options["ack"]
    callNotes = options["adapter-notes"]
  }

  private static func store(_ options: Options) throws(UsageError) -> Store {
    if let adapter = options["adapter"] {
      let words = (try? JSONReader.read(adapter))?.value.list?.compactMap(\.text)
      guard let words, !words.isEmpty else {
        throw UsageError("--adapter \(adapter): not a JSON list of texts")
      }
      let patienceMs = try options.number("adapter-patience") ?? 10_000
      let browser = options["adapter-browser"].flatMap(BrowserResult.init(word:)) ?? .cancel
      return .foreign(
        AdapterProgram.Launch(words: words, patienceMs: patienceMs, browser: browser))
    }
    let name = try options.required("store")
    guard let kind = KnownStores.named(name) else {
      let allowed = StoreKind.all.map(\.name).joined(separator: " ")
      throw UsageError("no store '\(name)'; allowed: \(allowed)")
    }
    return .own(kind)
  }

  private static func appSettings(_ options: Options) throws(UsageError) -> AppSettings {
    var settings = AppSettings()
    if let name = options["name"] { settings.sessionItem = name }
    if let user = options["user"] { settings.user = user }
    if let size: SessionText.Size = try options.word("size") { settings.size = size }
    if let rule: SizeRule = try options.word("size-rule") { settings.store.sizeRule = rule }
    if let jar: BetterAuthBehaviour = try options.word("jar") { settings.store.jar = jar }
    if let launch: Int = try options.number("launch") { settings.launch = launch }
    settings.hasWebCrypto = options["web-crypto"] == "yes"
    if let text = options["sdk"] {
      guard let version = SDKVersion(text) else {
        throw UsageError("--sdk \(text): not a version such as \(SDKVersion.current)")
      }
      settings.sdk = version
    }
    return settings
  }

  /// Runs the app to its end.
  func run() throws {
    if let client { return try serve(client) }
    let clock = Inputs.clock(startMs: clockStartMs)
    let service = CountingDaemon(SocketSystemDaemon(path: daemon))
    let notes = CallNotes(try callNotes.map { path in try FileAcknowledgements(path: path) })
    let app = try ScheduledApp(service, notes) { process throws in
      let halves = try makeHalves(clock, service, in: process)
      return try makeApp(halves, clock, notes, in: process)
    }
    if let command {
      Self.answer(with: app.run(command))
    } else {
      try serve(app, clock)
    }
  }

  private func serve(_ app: ScheduledApp, _ clock: any WallClock) throws {
    try Self.takeCommands { words, now in
      if let clock = clock as? FixedClock { clock.nowMs = now }
      return app.run(try AppCommand(words: words))
    }
  }

  /// Answers one line after the other, to the end of the input.
  private static func takeCommands(
    _ run: (_ words: [String], _ nowMs: Int64) throws -> AppResult
  ) throws {
    let input = LineReader(Descriptor(borrowing: 0))
    while let line = try input.next() {
      var request = try JSONReader.read(line).object("a command")
      let now = try request.required("nowMs").integer()
      let words = try request.required("words").list { word throws(JSONError) in try word.text() }
      try request.finish()
      answer(with: try run(words, now))
    }
  }

  /// The app with its client: in virtual time, which the commands tell.
  private func serve(_ client: ClientLaunch) throws {
    let schedule = AppSchedule("app", startMs: clockStartMs ?? MachineClock().nowMs)
    let clock = SkewedClock(schedule.clock, aheadMs: client.clockAheadMs)
    let service = CountingDaemon(SocketSystemDaemon(path: daemon))
    guard case .own(let kind) = store else {
      throw UsageError("--adapter is for the reference app, not for one with its client")
    }
    let halves = try makeHalves(clock, service, in: schedule.process).ports
    let transport = ServiceTransport(
      try RemoteService(client.server), sleeper: schedule.process,
      latency: ServiceTransport.phoneLatency, clock: schedule.clock)
    let running = try app.app(
      client.profile, client.backend, kind, on: halves, in: schedule.process,
      browser: LabBrowser(transport, halves.trace),
      ClientNetwork(
        transport: transport, clock: clock, entropy: Inputs.entropy(seed: seed, stream: "client")),
      state: state)
    try Self.takeCommands { words, now in
      var result = running.result(
        of: try ClientCommand(words: words), nowMs: { schedule.nowMs }
      ) { patience, settling, work in
        schedule.perform(atMs: now, patience: patience, settling: settling, work)
      }
      result.serviceCallCount = service.takeCount()
      return result
    }
  }

  private static func answer(with result: AppResult) {
    StandardStream.output.write("\(JSONWriter.text(of: result.json))\n")
  }

  private func makeApp(
    _ halves: Halves, _ clock: any WallClock, _ notes: CallNotes, in process: SimulatedProcess
  ) throws -> (app: ReferenceApp, adapter: AdapterStore?) {
    let sink = try acknowledgements.map { path in try FileAcknowledgements(path: path) }
    switch store {
    case .own(let kind):
      return (try ReferenceApp(kind, halves.ports, clock: clock, log: sink, app, state: state), nil)
    case .foreign(let program):
      guard let many = halves.modules.plain as? any ManyItems,
        let protected = halves.modules.secure as? any ProtectedItems
      else {
        preconditionFailure("every phone's modules take several keys, and options")
      }
      let console = WarningRecorder(halves.ports.console)
      var ports = halves.ports
      ports.console = console
      let adapter = AdapterStore(
        program,
        AdapterModules(
          ports: ports, protected: protected, many: many, process: process,
          browser: program.browser, state: state, notes: notes),
        clock: clock,
        platform: phone, rule: app.store.sizeRule)
      let reference = ReferenceApp(
        store: adapter, secure: ports.secure, console: console, trace: ports.trace, clock: clock,
        log: sink, app)
      return (reference, adapter)
    }
  }

  /// What a store touches, and AsyncStorage as it is.
  struct Halves {
    var ports: StorePorts
    let modules: NativeModules
  }

  /// What a store touches: the phone's native modules, on the mount.
  private func makeHalves(
    _ clock: any WallClock, _ service: any SystemDaemon, in process: SimulatedProcess
  ) throws -> Halves {
    let files = PosixFileSystem(root: root, databaseSeed: seed)
    let console = StandardErrorConsole()
    let points = MountTracePoints(root: root)
    let crashes = ProcessCrash()
    let modules = try phone.modules(
      on: PhonePorts(
        files: files, entropy: Inputs.entropy(seed: seed, stream: "temporary names"),
        clock: clock, console: console),
      daemon: service, points: points, crashes: crashes, start)
    var ports = StorePorts(
      secure: process.secureStorage(over: modules.secure),
      plain: process.plainStorage(over: modules.plain),
      entropy: Inputs.entropy(seed: seed, stream: "session"), console: console, trace: points)
    ports.crash = crashes.crash
    ports.clock = clock
    return Halves(ports: ports, modules: modules)
  }
}

/// What is said of an app with its client.
private struct ClientLaunch: Sendable {
  var profile: AppProfile
  var backend: AppBackend
  var server: String
  var clockAheadMs: Int64

  init?(_ options: Options) throws(UsageError) {
    guard let profile: AppProfile = try options.word("client") else { return nil }
    self.profile = profile
    backend = try options.word("backend") ?? .gotrue
    server = try options.required("server")
    clockAheadMs = try options.number("clock-ahead") ?? 0
  }
}

/// The app on a scheduler, which calls that overlap need; for all others it only runs them.
private struct ScheduledApp {
  private let simulator = Simulator(Choices(GivenOrder([])), interleaving: .beforeCalls)
  private let process: SimulatedProcess
  private let app: ReferenceApp
  private let service: CountingDaemon
  private let adapter: AdapterStore?
  private let notes: CallNotes

  init(
    _ service: CountingDaemon, _ notes: CallNotes,
    _ make: (SimulatedProcess) throws -> (app: ReferenceApp, adapter: AdapterStore?)
  ) throws {
    (self.service, self.notes) = (service, notes)
    process = simulator.process("app")
    (app, adapter) = try make(process)
  }

  func run(_ command: AppCommand) -> AppResult {
    var order: [Int] = []
    if case .overlap(let overlap) = command { order = overlap.order }
    simulator.choices = Choices(GivenOrder(order))
    adapter?.isOrdered = command.isOverlap
    var result: AppResult?
    process.spawn("main") { [app, process] in result = await app.run(command, with: process) }
    let outcome = simulator.run()
    var ended =
      result ?? AppResult(command: command.name, outcome: .hung("\(outcome)"))
    ended.serviceCallCount = service.takeCount()
    do {
      if command.isOverlap { try noteOrder() }
    } catch {
      ended.outcome = .hung("\(error)")
    }
    if let problem = adapter?.problem { ended.outcome = .adapter(problem.text) }
    return ended
  }

  /// Notes for the lab in which order the calls of an overlap went.
  private func noteOrder() throws(AcknowledgementFailure) {
    guard let adapter else { return }
    if adapter.hasTakenTurns { try notes.noteTurns() }
    for decision in simulator.choices.decisions {
      try notes.note(choice: decision.choice, of: decision.count)
    }
  }
}

extension AppCommand {
  fileprivate var isOverlap: Bool {
    if case .overlap = self { true } else { false }
  }
}
