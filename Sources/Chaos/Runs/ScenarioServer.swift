import Backend
import Crypto
import Linux
import Machine
import Ports
import Session
import Simulation
import Wire

/// The server of a case, with the account of the phone's owner in it.
///
/// It knows the true time by what the app's requests say, and by the player. On the mounted tier it
/// answers on a thread of its own, while the player waits for the app.
final class ScenarioServer: HTTPService, Sendable {
  static let owner = Credentials(email: "ada@example.com", password: "correct horse battery")

  private let inner: Locked<Inner>

  private struct Inner {
    let clock: FixedClock
    let server: any SessionServer
    var tokenCallsMs: [Int64] = []
    var browser: BrowserSheet?
  }

  /// - Parameters:
  ///   - settings: Which server, and what the scenario turns of it.
  ///   - seed: The start of all that is drawn.
  ///   - nowMs: The true time.
  /// - Throws: ``PhoneHostError`` when the crypto library fails.
  init(_ settings: ScenarioSettings, seed: UInt64, atMs nowMs: Int64) throws(PhoneHostError) {
    let clock = FixedClock(startMs: nowMs)
    let entropy = SeededEntropy(seed: seed, stream: "server")
    switch settings.backendKind {
    case .gotrue:
      inner = Locked(
        Inner(clock: clock, server: try Self.goTrue(settings, clock, entropy)))
    case .betterAuth:
      let environment = BetterAuthEnvironment(
        baseURL: HandOffApp.webURL, appScheme: HandOffApp.trust.scheme,
        mobileAllowedOrigins: HandOffApp.trust.allowedOrigins)
      let server = BetterAuthServer(clock: clock, entropy: entropy) { environment }
      inner = Locked(
        Inner(
          clock: clock, server: server,
          browser: BrowserSheet(WebVisitor(server, email: Self.owner.email))))
    }
  }

  private static func goTrue(
    _ settings: ScenarioSettings, _ clock: FixedClock, _ entropy: any Entropy
  ) throws(PhoneHostError) -> GoTrueServer {
    var chosen = GoTrueSettings.hosted
    chosen.externalURL = "https://demo.example"
    if settings[ScenarioSettings.rotation] == "strict" { chosen.forgiveNothing() }
    chosen.refreshTokens =
      RefreshTokenVersion(rawValue: settings[ScenarioSettings.refreshTokens]) ?? .v1
    let server = GoTrueServer(chosen, clock: clock, entropy: entropy)
    do {
      try server.addAccount(owner.email, password: owner.password)
    } catch {
      throw .refused("\(error)")
    }
    return server
  }

  func answer(_ request: HTTPRequest, from address: String) -> ServerReply {
    inner.withLock { inner in
      if let text = request.headers[ServiceTransport.timeHeader], let now = Int64(text) {
        inner.clock.nowMs = max(inner.clock.nowMs, now)
      }
      if request.path == LabBrowser.path {
        return ServerReply(inner.browser?.answer(request) ?? HTTPResponse(404))
      }
      if request.path.hasSuffix("/token") { inner.tokenCallsMs.append(inner.clock.nowMs) }
      return inner.server.answer(request, from: address)
    }
  }

  // MARK: - The browser

  /// The person goes on with the page that an app has opened last, to its end.
  ///
  /// - Returns: The address that leads back; `nil` when no page is open, or none leads back.
  func finishPage() -> String? { inner.withLock { $0.browser?.finish() } }

  /// The same for a page that another phone has opened.
  func foreignCallback() -> String? { inner.withLock { $0.browser?.finishForeign() } }

  // MARK: - For the player

  func pass(toMs nowMs: Int64) {
    inner.withLock { $0.clock.nowMs = max($0.clock.nowMs, nowMs) }
  }

  /// How often the app has asked for tokens.
  var tokenCallCount: Int { inner.withLock { $0.tokenCallsMs.count } }

  /// The most calls for tokens in a minute, from a call on.
  func tokenCallsInAMinute(from first: Int) -> Int {
    inner.withLock { SessionEnding.callsInAMinute(Array($0.tokenCallsMs.dropFirst(first))) }
  }

  /// What the token of a session is worth that the app shows.
  ///
  /// - Throws: ``PhoneHostError`` when the crypto library fails.
  func standing(of session: ClientView.ShownSession) throws(PhoneHostError) -> GoTrueServer.Standing
  {
    try read { server in try server.standing(of: session) }
  }

  private func read<Value>(
    _ body: (any SessionServer) throws -> Value
  ) throws(PhoneHostError) -> Value {
    let result = inner.withLock { inner in Result { try body(inner.server) } }
    do {
      return try result.get()
    } catch {
      throw .refused("\(error)")
    }
  }

  /// The digests of the newest tokens of all sessions.
  ///
  /// - Throws: ``PhoneHostError`` when the crypto library fails.
  func newestDigests() throws(PhoneHostError) -> Set<String> {
    try read { server in try server.newestDigests() }
  }

  /// Arms a fault for the requests that come, or has it happen at once.
  ///
  /// - Returns: What was armed, or done.
  /// - Throws: ``PhoneHostError/refused(_:)`` for a fault that this server does not know so.
  func inject(_ fault: FaultRequest) throws(PhoneHostError) -> InjectReport {
    let result = inner.withLock { inner in Result { try fault.inject(into: inner.server) } }
    do {
      return try result.get()
    } catch {
      throw .refused("\(error)")
    }
  }

  /// What a fault has met, which from now on meets nothing.
  func conclude(_ id: Int) -> FaultPlan.Entry? {
    inner.withLock { $0.server.faults.disarm(id) }
  }
}

/// The phone's browser, and who uses it.
private struct BrowserSheet {
  private var person: WebVisitor
  private var page: String?

  init(_ person: WebVisitor) { self.person = person }

  /// What an app tells of a page, and asks.
  mutating func answer(_ request: HTTPRequest) -> HTTPResponse {
    page = String(decoding: request.body, as: UTF8.self)
    let address = request.query == "finished" ? finish() : nil
    return HTTPResponse(200, body: Array((address ?? "").utf8))
  }

  mutating func finish() -> String? { page.flatMap { person.finish($0) } }

  mutating func finishForeign() -> String? {
    let link = "\(HandOffApp.trust.scheme ?? "")://auth/callback?state=of-another-phone"
    var query = FormQuery()
    query.add("mobile_callback", link)
    return person.finish("\(HandOffApp.webURL)/auth?\(query.text)")
  }
}
