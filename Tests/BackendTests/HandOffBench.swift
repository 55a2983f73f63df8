import Backend
import Crypto
import JSON
import Ports
import Session
import TestSupport
import Testing
import Wire

/// A phone, a server, and a person with a browser between them.
final class HandOffBench {
  let clock = HandClock()
  /// The server's own; it may be ahead or behind.
  let serverClock = HandClock()
  let store = PhoneStore()
  let console = LineConsole()
  /// A signal of the session waits for `release()`, so that a test sees what comes before it.
  let loop = TestLoop { $0.hasSuffix("signal") }
  let entropy = SeededEntropy(seed: 7, stream: "phone")
  var environment = BetterAuthEnvironment(
    baseURL: "https://web.example.com", appScheme: "supastack",
    mobileAllowedOrigins: "https://app.example.com", authPasskeyEnabled: "true")
  private(set) lazy var server = BetterAuthServer(
    clock: serverClock, entropy: SeededEntropy(seed: 7, stream: "server")
  ) { [self] in environment }
  private(set) lazy var wire = Wiretap(server)
  private(set) lazy var person = Person(self)

  static let cookieItem = "supastack.auth_cookie"

  var trust = TrustSettings(
    scheme: "supastack", allowedOrigins: "https://app.example.com", isProduction: true)

  /// Starts the app; what is stored stays, what was in memory is gone.
  func launch(
    _ profile: HandOffProfile, _ behaviour: BetterAuthBehaviour? = nil
  ) -> (client: BetterAuthClient, handOff: HandOff) {
    let setup = BetterAuthSetup(
      apiURL: "https://web.example.com", trust: trust,
      behaviour: behaviour ?? (profile == .seed ? .expo171 : .hardened))
    let client = BetterAuthClient(
      setup,
      BetterAuthPorts(
        transport: wire, secure: store, browser: person, clock: clock, console: console,
        spawner: loop))
    return (client, HandOff(client, profile, entropy: entropy, sleeper: loop))
  }

  /// Signs in and follows it as far as it goes; `nil` if it waits for ever.
  func signIn(_ handOff: HandOff, withPasskey: Bool = false) -> HandOffOutcome? {
    loop.perform { await handOff.signIn(withPasskey: withPasskey) }
  }

  /// The jar as the client reads it, whatever the layout.
  var jar: String? {
    get async throws {
      try await ChunkedStorage(store, .alternating, console: console).item(Self.cookieItem)
    }
  }

  func request(
    _ method: String, _ path: String, _ body: JSONValue? = nil, cookies: String = "",
    origin: String? = "https://web.example.com", from address: String = "198.51.100.1"
  ) -> HTTPResponse {
    var headers = HTTPHeaders()
    if !cookies.isEmpty { headers["cookie"] = cookies }
    headers["origin"] = origin
    let request = HTTPRequest(
      method, path, headers: headers, body: body.map { JSONWriter.bytes(of: $0) } ?? [])
    return server.answer(request, from: address).response
  }

  /// A cookie that the server would take for a session's, and the cookies of others.
  func fill(_ pairs: [(String, String)]) {
    let cookies = pairs.map { "\"\($0.0)\":{\"value\":\"\($0.1)\",\"expires\":null}" }
    store.items[Self.cookieItem] = "{\(cookies.joined(separator: ","))}"
  }
}

final class HandClock: WallClock { var nowMs: Int64 = 1_790_000_000_000 }

final class LineConsole: Console {
  private(set) var lines: [String] = []
  func warn(_ text: String) { lines.append(text) }
  func error(_ text: String) { lines.append(text) }
}

/// A secure storage whose calls can fail.
final class PhoneStore: SecureStorage {
  var items: [String: String] = [:]
  var failsReads = false
  /// Whether the write of this number fails, counted from 0 since ``restart()``.
  var failsWrite: (Int) -> Bool = { _ in false }
  private var writes = 0
  /// Whether reads wait for ``pass()``.
  var isSlow = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func restart() { writes = 0 }

  func pass() {
    for reader in waiting { reader.resume() }
    waiting = []
  }

  func item(_ name: String) async throws(NativeError) -> String? {
    if failsReads { throw NativeError(message: "cannot be read") }
    let found = items[name]
    if isSlow { await withCheckedContinuation { waiting.append($0) } }
    return found
  }

  func setItem(_ name: String, to value: String) async throws(NativeError) {
    defer { writes += 1 }
    if failsWrite(writes) { throw NativeError(message: "cannot be written") }
    items[name] = value
  }

  func removeItem(_ name: String) async throws(NativeError) { items[name] = nil }
}

/// The way from the app to the server. It notes what goes over it.
final class Wiretap: HTTPTransport {
  let server: BetterAuthServer
  private(set) var requests: [HTTPRequest] = []
  var isOffline = false
  /// Whether replies wait for ``letGo()``.
  var isHeld = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(_ server: BetterAuthServer) { self.server = server }

  func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
    requests.append(request)
    if isOffline { throw NetworkError(message: "Network request failed") }
    let reply = server.answer(request, from: "203.0.113.1")
    if isHeld { await withCheckedContinuation { waiting.append($0) } }
    switch reply.delivery {
    case .now, .after: return reply.response
    case .never, .cut: throw NetworkError(message: "Network request failed")
    }
  }

  func letGo() {
    for reader in waiting { reader.resume() }
    waiting = []
  }
}
