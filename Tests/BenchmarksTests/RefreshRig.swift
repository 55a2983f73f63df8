import Backend
import JSON
import Ports
import Session
import Simulation
import Testing

@testable import Benchmarks

/// What a client did, as the model's witness and the real client's surroundings both say it.
struct RefreshRecord: RefreshWitness, Equatable {
  struct Call: Equatable {
    var startMs: Int
    /// `nil` when the answer never came.
    var endMs: Int?
    var expiry: Int?
    var shown: Int?
  }

  var tokenCallsMs: [Int] = []
  var attemptsMs: [Int] = []
  var calls: [Call] = []
  var signedOutMs: Int?

  mutating func tokenCall(atMs ms: Int) { tokenCallsMs.append(ms) }
  mutating func offlineAttempt(atMs ms: Int) { attemptsMs.append(ms) }
  mutating func joined() {}
  mutating func fresh(afterMs ms: Int) {}
  mutating func neverFresh() {}
  mutating func signedOut(atMs ms: Int, _ cause: SignOutCause) { signedOutMs = ms }

  mutating func call(startMs start: Int, endMs end: Int, expiry: Int?, shown: Int?) {
    calls.append(Call(startMs: start, endMs: end, expiry: expiry, shown: shown))
  }

  mutating func calls(_ count: Int, fromMs start: Int, expiry: Int, shown: Int?) {
    for index in 0..<count {
      let ms = start + index * DeviceTrace.callEachMs
      calls.append(Call(startMs: ms, endMs: ms, expiry: expiry, shown: shown))
    }
  }

  /// Without what happens after the end of the trace or of the session, in the order of time. A call
  /// that was not answered is none.
  func cut(at endMs: Int) -> RefreshRecord {
    var record = self
    let end = min(endMs, (signedOutMs ?? .max - 1) + 1)
    record.tokenCallsMs.removeAll { $0 >= end }
    record.attemptsMs.removeAll { $0 >= end }
    record.calls.removeAll { $0.startMs >= end || ($0.endMs ?? .max) >= end }
    record.calls.sort { $0.startMs < $1.startMs }
    return record
  }
}

/// The real client under the real provider against the real server, in virtual time, on one trace.
final class RefreshRig {
  static let startMs: Int64 = 1_700_000_000_000

  let kind: RefreshKind
  let trace: DeviceTrace
  var record = RefreshRecord()
  private let simulator = Simulator(Choices(GivenOrder([])), startMs: startMs)
  private let server: GoTrueServer
  private let store: LockedStore
  private var app: RefreshApp?

  init(_ kind: RefreshKind, _ trace: DeviceTrace) throws {
    self.kind = kind
    self.trace = trace
    var settings = kind.isForgiving ? GoTrueSettings.hosted : .strict
    settings.reuseSeconds = 10
    settings.limitsAddresses = false
    settings.accessTokenSeconds = Int64(trace.tokenMs / 1000)
    server = GoTrueServer(
      settings, clock: simulator.clock, entropy: SeededEntropy(seed: 1, stream: "server"))
    store = LockedStore(simulator.clock, trace)
    try server.addAccount("ada@example.com", password: "correct horse")
    let reply = server.answer(
      HTTPRequest(
        "POST", "/auth/v1/token?grant_type=password",
        body: Array(#"{"email":"ada@example.com","password":"correct horse"}"#.utf8)),
      from: "192.0.2.7")
    store.items["session"] = JavaScriptString(String(decoding: reply.response.body, as: UTF8.self))
  }

  var nowMs: Int { Int(simulator.clock.nowMs - Self.startMs) }

  func play() -> RefreshRecord {
    simulator.launch("person") { person in
      do throws(ProcessGone) {
        for index in self.trace.visits.indices { try await self.visit(index, person) }
      } catch {
        preconditionFailure("the person is not killed")
      }
    }
    _ = simulator.run(until: .milliseconds(trace.endMs - 1))
    app?.process.kill()
    _ = simulator.run(until: .milliseconds(trace.endMs))
    return record
  }

  private func visit(_ index: Int, _ person: SimulatedProcess) async throws(ProcessGone) {
    let visit = trace.visits[index]
    try await sleep(until: visit.span.startMs, person)
    if let app, !app.process.isGone { app.become(.active) } else { app = launch() }
    var callMs = visit.span.startMs
    var nextMs = callMs + DeviceTrace.firstCallMs
    while callMs < visit.span.endMs {
      try await sleep(until: callMs, person)
      call()
      callMs = nextMs
      nextMs += DeviceTrace.callEachMs
    }
    try await sleep(until: visit.span.endMs, person)
    app?.become(.background)
    guard visit.killMs < .max else { return }
    try await sleep(until: visit.killMs, person)
    app?.process.kill()
  }

  private func sleep(until ms: Int, _ process: SimulatedProcess) async throws(ProcessGone) {
    guard ms > nowMs else { return }
    try await process.sleep(for: .milliseconds(ms - nowMs))
  }

  private func call() {
    guard let app else { return }
    let index = record.calls.count
    record.calls.append(.init(startMs: nowMs, shown: app.provider.session.flatMap(expiry)))
    app.process.spawn("call") { [unowned self] in
      let session: AuthSession?
      do throws(AuthError) {
        session = try await app.client.getSession()
      } catch {
        session = nil
      }
      guard !app.process.isGone else { return }
      record.calls[index].endMs = nowMs
      record.calls[index].expiry = session.flatMap(expiry)
    }
  }

  private func expiry(_ session: AuthSession) -> Int? {
    session.json["expires_at"]?.integer.map { Int($0 * 1000 - Self.startMs) }
  }

  private func launch() -> RefreshApp {
    let process = simulator.process("app")
    let app = RefreshApp(
      kind, process, store: store, TraceTransport(self, server, process), simulator.clock,
      SuspendedSleeper(process, simulator.clock, trace))
    app.provider.onStep { [unowned self] input, _, _ in
      if case .event(.signedOut, _) = input, record.signedOutMs == nil {
        record.signedOutMs = nowMs
      }
    }
    return app
  }
}

/// One launch.
private final class RefreshApp {
  let process: SimulatedProcess
  let client: AuthClient
  let provider: AuthProvider
  private let lifecycle = Lifecycle()

  init(
    _ kind: RefreshKind, _ process: SimulatedProcess, store: LockedStore,
    _ transport: TraceTransport, _ clock: VirtualClock, _ sleeper: SuspendedSleeper
  ) {
    self.process = process
    var settings = AuthSettings(
      baseURL: "https://demo.example/auth/v1", anonKey: "public", storageKey: "session",
      profile: kind.profile == .hardened ? .hardened : .seed)
    settings.sdk = kind.sdk
    let console = SilentConsole()
    client = AuthClient(
      settings,
      AuthPorts(
        store: store, transport: transport, clock: clock, sleeper: sleeper, spawner: process,
        entropy: SeededEntropy(seed: 1, stream: "auth"), console: console))
    provider = AuthProvider(
      kind.isCoupled ? client : UncoupledClient(client),
      ProviderPorts(
        storage: NoMarker(), console: console, spawner: process, sleeper: sleeper,
        lifecycle: lifecycle), cache: QueryCache(), kind.profile)
    process.spawn("start") { [provider] in provider.start() }
  }

  func become(_ state: AppState) {
    guard !process.isGone else { return }
    lifecycle.state = state
  }

  private final class Lifecycle: AppLifecycle {
    private var listener: ((AppState) -> Void)?
    var state = AppState.active { didSet { listener?(state) } }

    func onChange(_ listener: @escaping (AppState) -> Void) -> () -> Void {
      self.listener = listener
      return { [weak self] in self?.listener = nil }
    }
  }

  private final class NoMarker: PlainStorage {
    func item(_ name: String) async throws(NativeError) -> String? { nil }
    func setItem(_ name: String, to value: String) async throws(NativeError) {}
    func removeItem(_ name: String) async throws(NativeError) {}
  }
}

/// Keeps texts, and throws while the phone is locked.
private final class LockedStore: SessionStore {
  var items: [String: JavaScriptString] = [:]
  private let clock: VirtualClock
  private let trace: DeviceTrace

  init(_ clock: VirtualClock, _ trace: DeviceTrace) {
    self.clock = clock
    self.trace = trace
  }

  func item(_ name: String) async throws(StoreError) -> JavaScriptString? {
    try requireUnlocked()
    return items[name]
  }

  func setItem(_ name: String, to value: JavaScriptString) async throws(StoreError) {
    try requireUnlocked()
    items[name] = value
  }

  func removeItem(_ name: String) async throws(StoreError) {
    try requireUnlocked()
    items[name] = nil
  }

  private func requireUnlocked() throws(StoreError) {
    var hint = 0
    let now = Int(clock.nowMs - RefreshRig.startMs)
    guard DeviceTrace.contains(trace.unlocked, now, from: &hint) else {
      throw .native(NativeError(code: "ERR_KEY_CHAIN", message: "user interaction is not allowed"))
    }
  }
}

/// What is due while the app is suspended is due when it comes back.
private final class SuspendedSleeper: Sleeper {
  private let process: SimulatedProcess
  private let clock: VirtualClock
  private let trace: DeviceTrace

  init(_ process: SimulatedProcess, _ clock: VirtualClock, _ trace: DeviceTrace) {
    self.process = process
    self.clock = clock
    self.trace = trace
  }

  func sleep(for duration: Duration) async throws(ProcessGone) {
    let (seconds, attoseconds) = (clock.elapsed + duration).components
    let dueMs = Int(seconds * 1_000 + attoseconds / 1_000_000_000_000_000)
    guard let end = trace.suspension(at: dueMs) else {
      return try await process.sleep(for: duration)
    }
    try await process.sleep(for: .milliseconds(end + 2) - clock.elapsed)
  }
}

extension DeviceTrace {
  /// When the app comes back that is suspended at a moment.
  fileprivate func suspension(at ms: Int) -> Int? {
    visits.indices.map(suspension(after:)).first { $0.startMs <= ms && ms < $0.endMs }?.endMs
  }
}

/// The network of a trace, which goes on while the app is suspended.
private final class TraceTransport: HTTPTransport {
  private unowned let rig: RefreshRig
  private let server: GoTrueServer
  private let process: SimulatedProcess
  private var isAsking = false
  private static let failure = NetworkError(message: "Network request failed")

  init(_ rig: RefreshRig, _ server: GoTrueServer, _ process: SimulatedProcess) {
    self.rig = rig
    self.server = server
    self.process = process
  }

  func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
    if isAsking { Issue.record("two token requests of one client at once") }
    isAsking = true
    defer { isAsking = false }
    guard !isOffline else {
      rig.record.attemptsMs.append(rig.nowMs)
      throw Self.failure
    }
    let way = rig.trace.latencyMs(ofRequest: rig.record.tokenCallsMs.count)
    try await pass(way)
    let number = rig.record.tokenCallsMs.count
    rig.record.tokenCallsMs.append(rig.nowMs)
    let fate = rig.trace.fate(ofRequest: number)
    let response =
      switch fate {
      case .limited: Self.refusal(429, "over_request_rate_limit")
      case .failed: Self.refusal(500, "unexpected_failure")
      case .unavailable: Self.refusal(503, "unexpected_failure")
      case .answered, .replyLost: server.answer(request, from: "192.0.2.7").response
      }
    try await pass(way)
    let isLost = fate == .replyLost || isOffline
    if let end = rig.trace.suspension(at: rig.nowMs) { try await pass(end + 1 - rig.nowMs) }
    if isLost { throw Self.failure }
    return response
  }

  private var isOffline: Bool {
    var hint = 0
    return DeviceTrace.contains(rig.trace.offline, rig.nowMs, from: &hint)
  }

  private func pass(_ ms: Int) async throws(NetworkError) {
    do throws(ProcessGone) {
      try await process.sleep(for: .milliseconds(ms))
    } catch {
      throw NetworkError(message: "\(error)")
    }
  }

  private static func refusal(_ status: Int, _ code: String) -> HTTPResponse {
    var response = HTTPResponse(
      status, body: Array(#"{"code":"\#(code)","message":"refused"}"#.utf8))
    response.headers["X-Supabase-Api-Version"] = "2024-01-01"
    return response
  }
}
