import Backend
import Crypto
import Linux
import Machine
import Ports
import Session
import Simulation

/// The server of a case, with the account of the phone's owner in it.
///
/// It knows the true time by what the app's requests say, and by the player. On the mounted tier it
/// answers on a thread of its own, while the player waits for the app.
final class ScenarioServer: HTTPService, Sendable {
  static let baseURL = "https://demo.example/auth/v1"
  static let owner = Credentials(email: "ada@example.com", password: "correct horse battery")

  private let inner: Locked<Inner>

  private struct Inner {
    let clock: FixedClock
    let server: GoTrueServer
    var tokenCallsMs: [Int64] = []
  }

  /// - Parameters:
  ///   - settings: What the scenario turns of it.
  ///   - seed: The start of all that is drawn.
  ///   - nowMs: The true time.
  /// - Throws: ``PhoneHostError`` when the crypto library fails.
  init(_ settings: ScenarioSettings, seed: UInt64, atMs nowMs: Int64) throws(PhoneHostError) {
    let clock = FixedClock(startMs: nowMs)
    var chosen = GoTrueSettings.hosted
    chosen.externalURL = "https://demo.example"
    chosen.forgivesLostReply = settings[ScenarioSettings.rotation] == "tolerant"
    chosen.refreshTokens =
      RefreshTokenVersion(rawValue: settings[ScenarioSettings.refreshTokens]) ?? .v1
    let server = GoTrueServer(
      chosen, clock: clock, entropy: SeededEntropy(seed: seed, stream: "server"))
    do {
      try server.addAccount(Self.owner.email, password: Self.owner.password)
    } catch {
      throw .refused("\(error)")
    }
    inner = Locked(Inner(clock: clock, server: server))
  }

  func answer(_ request: HTTPRequest, from address: String) -> ServerReply {
    inner.withLock { inner in
      if let text = request.headers[ServiceTransport.timeHeader], let now = Int64(text) {
        inner.clock.nowMs = max(inner.clock.nowMs, now)
      }
      if request.path.hasSuffix("/token") { inner.tokenCallsMs.append(inner.clock.nowMs) }
      return inner.server.answer(request, from: address)
    }
  }

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
  func standing(of session: ClientView.Session) throws(PhoneHostError) -> GoTrueServer.Standing {
    try read { server in
      try server.standing(of: session.id) { token in
        (try? ClientView.digest(ofToken: token)) == session.tokenDigest
      }
    }
  }

  private func read<Value>(
    _ body: (GoTrueServer) throws -> Value
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
    try read { server in
      Set(
        try server.state.sessions.compactMap { try server.newestToken(of: $0.id) }
          .map(ClientView.digest(ofToken:)))
    }
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

  /// How often a fault has met a request; it meets none from now on.
  func conclude(_ id: Int) -> Int {
    inner.withLock { $0.server.faults.disarm(id)?.fired ?? 0 }
  }
}
