package import JSON
package import Ports
import Wire

/// Better Auth's client for Expo: cookies in a jar of its own, since no platform cookies are used.
///
/// Each reply that sets a cookie of Better Auth changes the jar; if the session in it changed, the
/// session is fetched again. Nothing here fails because a write did (see ``ChunkedStorage``).
package final class BetterAuthClient {
  package let setup: BetterAuthSetup
  package private(set) var session = SessionState()
  let ports: BetterAuthPorts
  let storage: ChunkedStorage
  /// One change of the jar at a time; only where the behaviour wants it.
  private let jarTurn = SerialQueue()
  private var signOutCount = 0
  private var refetchedMs: Int64?

  package init(_ setup: BetterAuthSetup, _ ports: BetterAuthPorts) {
    self.setup = setup
    self.ports = ports
    storage = ChunkedStorage(ports.secure, setup.behaviour.layout, console: ports.console)
  }

  /// Shows the session that was cached, if it has a user and has not ended.
  package func start() async throws(BetterAuthError) {
    guard !setup.isCacheDisabled, let text = try await stored(setup.cacheItem),
      let cached = OrderedJSON.reading(text, revivingDates: true),
      cached["user"]?["id"]?.isTruthy == true, cached["session"]?["id"]?.isTruthy == true,
      case .date(let end)? = cached["session"]?["expiresAt"], end.ms > ports.clock.nowMs
    else { return }
    session.data = OrderedJSON.reading(text)
    session.error = nil
  }

  /// The `Cookie` header of the jar, for requests that the app makes itself.
  package func cookieHeader() async throws(BetterAuthError) -> String {
    let jar = CookieJar(try await stored(setup.cookieItem))
    do throws(CookieJarError) {
      return try jar.header(nowMs: ports.clock.nowMs)
    } catch {
      throw .jar(error)
    }
  }

  /// Tells all who show the session that it is another one: it is fetched again.
  func notify() {
    ports.spawner.spawn("better-auth session signal") { [self] in await refetch() }
  }

  /// The app came to the foreground or the network is back: fetches the session, at most once in 5 s.
  package func refetchOnFocus() async {
    let nowMs = ports.clock.nowMs
    if let refetchedMs, nowMs - refetchedMs < 5000 { return }
    refetchedMs = nowMs
    await refetch()
  }

  private func refetch() async {
    do throws(BetterAuthError) {
      try await getSession()
    } catch {
      session.error = error
    }
  }

  func stored(_ name: String) async throws(BetterAuthError) -> String? {
    do throws(NativeError) {
      return try await storage.item(name)
    } catch {
      throw .storage(error)
    }
  }
}

// MARK: - Requests and replies

extension BetterAuthClient {
  /// Sends a request and works through the reply.
  ///
  /// - Returns: The body of the reply; `nil` if it is no JSON.
  func call(
    _ method: String, _ path: String, _ body: JSONObject? = nil
  ) async throws(BetterAuthError) -> OrderedJSON? {
    let signOuts = signOutCount
    let request = try await prepare(method, path, body)
    let reply: HTTPResponse
    do throws(NetworkError) {
      reply = try await ports.transport.send(request)
    } catch {
      throw .network(error)
    }
    let data = OrderedJSON.reading(String(decoding: reply.body, as: UTF8.self))
    guard (200..<300).contains(reply.status) else {
      throw .refused(status: reply.status, code: data?["code"]?.text)
    }
    let isLate = setup.behaviour == .hardened && signOuts != signOutCount && path != "/sign-out"
    guard !isLate else { return data }
    try await received(path, reply.headers.values(of: "set-cookie"), data)
    return data
  }

  /// What goes out before each request: the cookies, and the app's scheme as its origin.
  ///
  /// A request with a token of a provider proves itself, so it gets neither. A sign-out empties jar and
  /// cache before it is sent.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - path: The path below `/api/auth`.
  ///   - body: The members of the body.
  ///   - given: Headers of the caller; those that the client sets replace them.
  /// - Returns: The request.
  /// - Throws: ``BetterAuthError`` if the jar cannot be read.
  package func prepare(
    _ method: String, _ path: String, _ body: JSONObject?,
    headers given: HTTPHeaders = HTTPHeaders()
  ) async throws(BetterAuthError) -> HTTPRequest {
    var headers = given
    var body = body
    let hasToken = body?["idToken"] != nil
    if !hasToken || path.contains("/link-social") {
      let cookie = try await cookieHeader()
      if !cookie.isEmpty { headers["cookie"] = cookie }
    }
    headers["x-skip-oauth-proxy"] = "true"
    if !hasToken {
      headers["expo-origin"] = "\(setup.scheme)://"
      for name in ["callbackURL", "newUserCallbackURL", "errorCallbackURL"] {
        guard let url = body?[name]?.text, url.hasPrefix("/") else { continue }
        body?[name] = .text("\(setup.scheme)://\(url.dropFirst())")
      }
      if path.contains("/sign-out") { await clear() }
    }
    if body != nil { headers["content-type"] = "application/json" }
    return HTTPRequest(
      method, BetterAuthSetup.basePath + path, headers: headers,
      body: body.map { JSONWriter.bytes(of: .object($0)) } ?? [])
  }

  /// What follows each good reply: cookies into the jar, a session into the cache.
  package func received(
    _ path: String, _ setCookies: [String], _ data: OrderedJSON?
  ) async throws(BetterAuthError) {
    let header = SetCookieHeader(setCookies.joined(separator: ", "))
    if CookieName.isAny(in: header, of: setup.cookiePrefixes) {
      try await merge(header)
    }
    if path.contains("/get-session"), !setup.isCacheDisabled {
      await storage.setItem(setup.cacheItem, to: (data ?? .null).json)
    }
    if path.contains("/sign-out") { await clear() }
  }

  private func merge(_ header: SetCookieHeader) async throws(BetterAuthError) {
    let isSerial = setup.behaviour == .hardened
    if isSerial { await jarTurn.enter() }
    defer { if isSerial { jarTurn.leave() } }
    let old = try await stored(setup.cookieItem)
    let jar = try merged(old, header)
    await storage.setItem(setup.cookieItem, to: jar.text)
    if CookieJar.isSessionChanged(from: old, to: jar.text) { notify() }
  }

  func merged(
    _ old: String?, _ header: SetCookieHeader
  ) throws(BetterAuthError) -> CookieJar {
    var jar = CookieJar(old)
    do throws(CookieJarError) {
      try jar.merge(header, nowMs: ports.clock.nowMs)
    } catch {
      throw .jar(error)
    }
    return jar
  }

  private func clear() async {
    signOutCount += 1
    await storage.setItem(setup.cookieItem, to: "{}")
    session = SessionState(data: nil, error: nil, isPending: false)
    await storage.setItem(setup.cacheItem, to: "{}")
  }

  func show(_ data: OrderedJSON?) {
    session = SessionState(data: data, error: nil, isPending: false)
  }

  /// Does one change of the jar while no other can begin.
  func withJar<Result>(_ change: () async -> Result) async -> Result {
    await jarTurn.enter()
    defer { jarTurn.leave() }
    return await change()
  }
}
