import Crypto
import JSON
import Ports
import Session
import TestSupport

/// What survives a launch: the session's store and the plain one. A call of a store lets others go
/// first, as native modules do.
final class AppDisk: SessionStore {
  var loop: TestLoop?
  var items: [String: String] = [:]
  var failure: StoreError?
  let plain = FakePlain()

  func item(_ name: String) async throws(StoreError) -> JavaScriptString? {
    try await called()
    return items[name].map { JavaScriptString($0) }
  }

  func setItem(_ name: String, to value: JavaScriptString) async throws(StoreError) {
    try await called()
    items[name] = value.repaired
  }

  func removeItem(_ name: String) async throws(StoreError) {
    try await called()
    items[name] = nil
  }

  private func called() async throws(StoreError) {
    await withCheckedContinuation { turn in loop?.spawn("native call") { turn.resume() } }
    if let failure { throw failure }
  }
}

/// A server that signs in, refreshes and confirms, as far as one user goes; offline, if the test says.
final class OneUserServer: HTTPTransport {
  var isOffline = false
  var hasFactor = false
  var level = "aal1"
  private(set) var requests: [String] = []
  /// The verifier of the last exchange of a code.
  private(set) var verifier: String?
  private let clock: any WallClock
  private var generation = 1

  init(_ clock: any WallClock) { self.clock = clock }

  var refreshes: Int { requests.filter { $0.contains("refresh_token") }.count }

  func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
    requests.append("\(request.method) \(request.target)")
    if isOffline { throw NetworkError(message: "Network request failed") }
    if request.path.hasSuffix("/logout") { return HTTPResponse(204) }
    if request.target.contains("grant_type=pkce") {
      let body = String(decoding: request.body, as: UTF8.self)
      verifier = body.split(separator: "\"").drop { $0 != "code_verifier" }.dropFirst(2).first
        .map(String.init)
    }
    generation += 1
    let reply = session(secondsLeft: 3600)
    return HTTPResponse(200, body: JSONWriter.bytes(of: reply))
  }

  /// A session of its user, as a reply holds it.
  func session(secondsLeft: Int64) -> JSONValue {
    let claims: JSONValue = ["aal": .text(level), "sub": "id-ada"]
    let parts: [JSONValue] = [["alg": "HS256"], claims]
    let token = parts.map { Base64URL.encode(JSONWriter.bytes(of: $0)) } + ["c2ln"]
    let factors: JSONValue = hasFactor ? [["id": "f1", "status": "verified"]] : []
    return [
      "access_token": .text(token.joined(separator: ".")), "token_type": "bearer",
      "expires_in": .integer(secondsLeft), "expires_at": .integer(clock.nowMs / 1000 + secondsLeft),
      "refresh_token": .text("refresh-\(generation)"),
      "user": ["id": "id-ada", "email": "ada@example.com", "factors": factors],
    ]
  }
}

/// One launch of the whole app: provider and screens over the real client.
final class WholeApp {
  static let item = "sb-demo-auth-token"

  let loop: TestLoop
  let server: OneUserServer
  let disk: AppDisk
  let client: AuthClient
  let provider: AuthProvider
  let navigator = Navigator(at: .home)
  let lifecycle = FakeLifecycle()
  let console = FakeConsole(Journal())
  private(set) var statuses: [AuthStatus] = []
  private(set) var violations: [StatusInvariants.Violation] = []
  private var invariants = StatusInvariants()

  init(
    _ profile: AppProfile, sdk: SDKVersion = .current, on disk: AppDisk = AppDisk(),
    _ prepare: (OneUserServer, AppDisk) -> Void = { _, _ in }
  ) {
    loop = TestLoop()
    server = OneUserServer(loop)
    self.disk = disk
    disk.loop = loop
    prepare(server, disk)
    var settings = AuthSettings(
      baseURL: "https://auth.example.com/auth/v1", anonKey: "public", storageKey: Self.item,
      profile: profile == .seed ? .seed : .hardened)
    settings.sdk = sdk
    client = AuthClient(
      settings,
      AuthPorts(
        store: disk, transport: server, clock: loop, sleeper: loop, spawner: loop,
        entropy: FakeEntropy(Journal()), console: console))
    provider = AuthProvider(
      client,
      ProviderPorts(
        storage: disk.plain, console: console, spawner: loop, sleeper: loop, lifecycle: lifecycle),
      cache: QueryCache(), profile)
    provider.onStep { [unowned self] in violations += invariants.observe($0, $1, $2) }
    provider.onFrame { [unowned self] in
      if statuses.last != $0.status { statuses.append($0.status) }
      navigator.settle($0)
    }
    provider.start()
    loop.run()
  }

  var context: FlowContext {
    FlowContext(
      client, provider, navigator, spawner: loop, sleeper: loop, clock: loop, console: console)
  }
}
