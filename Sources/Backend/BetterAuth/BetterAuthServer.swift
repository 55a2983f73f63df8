import Crypto
import JSON
package import Ports
import Wire

/// A server like the web app of a kit on Better Auth: sessions in cookies, codes by mail, sign-in with
/// a provider, passkeys behind a switch, and the hand-off to the app.
///
/// Modelled: the endpoints, their refusals and limits, cookies, and the plugin for Expo. Not modelled:
/// passwords, the cookie cache, two factors, the cryptography of passkeys and of providers, whose
/// answers are tokens that the server signs itself (``idToken(for:)``, ``addPasskey(for:)``).
package final class BetterAuthServer: HTTPService {
  package var state: BetterAuthState
  let clock: any WallClock
  let entropy: any Entropy
  let secret: [UInt8]
  private let environment: () -> BetterAuthEnvironment
  private var faults: [BetterAuthFault] = []

  /// - Parameters:
  ///   - state: What it remembers of earlier.
  ///   - secret: Signs its cookies.
  ///   - clock: The server's own clock.
  ///   - entropy: Draws tokens and codes.
  ///   - environment: Is asked at every request.
  package init(
    _ state: BetterAuthState = BetterAuthState(), secret: [UInt8], clock: any WallClock,
    entropy: any Entropy, environment: @escaping () -> BetterAuthEnvironment
  ) {
    self.state = state
    self.secret = secret
    self.clock = clock
    self.entropy = entropy
    self.environment = environment
  }

  /// Lets the next request to a path fail.
  package func arm(_ fault: BetterAuthFault) { faults.append(fault) }

  package func answer(_ request: HTTPRequest, from address: String) -> ServerReply {
    let call = BetterAuthCall(request, from: address, nowMs: clock.nowMs, environment())
    let index = faults.firstIndex { call.path.hasPrefix($0.path) }
    let effect = index.map { faults.remove(at: $0).effect }
    if let reply = effect?.replyBeforeHandling { return reply }
    let reply = response(to: call)
    return effect?.reply(after: reply) ?? ServerReply(reply)
  }

  private func response(to call: BetterAuthCall) -> HTTPResponse {
    do throws(BetterAuthRefusal) {
      try limit(call)
      try checkOrigin(call)
      var response = try handle(call)
      if response.status == 302, ExpoPlugin.leadsBack(call.path) {
        let cookies = response.headers.values(of: "set-cookie").joined(separator: ", ")
        let location = ExpoPlugin.location(
          response.headers["location"], setCookie: cookies,
          trustedOrigins: call.environment.trustedOrigins)
        if let location { response.headers["location"] = location }
      }
      return response
    } catch {
      return error.response
    }
  }

  private func handle(_ call: BetterAuthCall) throws(BetterAuthRefusal) -> HTTPResponse {
    switch (call.method, call.path) {
    case ("GET", "/auth"): try page(call)
    case ("GET", "/get-session"): try getSession(call)
    case ("POST", "/sign-out"): try signOut(call)
    case ("POST", "/email-otp/send-verification-otp"): try sendCode(call)
    case ("POST", "/sign-in/email-otp"): try signInWithCode(call)
    case ("POST", "/sign-in/social"): try signInSocial(call)
    case ("GET", "/expo-authorization-proxy"): try authorizationProxy(call)
    case ("GET", _) where call.path.hasPrefix("/callback/"): try providerCallback(call)
    case ("GET", "/passkey/generate-authenticate-options"): try passkeyOptions(call)
    case ("POST", "/passkey/verify-authentication"): try verifyPasskey(call)
    case ("GET", "/mobile-handoff"): try handOff(call)
    case ("GET", "/mobile-handoff/methods"): methods(call)
    case ("POST", "/mobile-handoff/redeem"): try redeem(call)
    default: throw BetterAuthRefusal(404, "NOT_FOUND", "Not Found")
    }
  }

  /// Refuses a request that another site may have a browser send: one with cookies that only reads is
  /// not looked at, so a hand-off has to look itself.
  private func checkOrigin(_ call: BetterAuthCall) throws(BetterAuthRefusal) {
    let trusted = call.environment.trustedOrigins.map(OriginPattern.init)
    if call.method != "GET", !call.cookies.pairs.isEmpty {
      guard let origin = call.headers["origin"], !origin.isEmpty, origin != "null" else {
        throw BetterAuthRefusal(403, "MISSING_OR_NULL_ORIGIN", "Missing or null Origin")
      }
      guard trusted.contains(where: { $0.matches(origin) }) else {
        throw BetterAuthRefusal(403, "INVALID_ORIGIN", "Invalid origin")
      }
    }
    for name in ["callbackURL", "newUserCallbackURL", "errorCallbackURL"] {
      guard let url = call.body[name]?.text else { continue }
      guard trusted.contains(where: { $0.matches(url, allowsRelative: true) }) else {
        throw BetterAuthRefusal(403, "INVALID_CALLBACK_URL", "Invalid callbackURL")
      }
    }
  }
}

/// What a lab can make of one request.
package struct BetterAuthFault: Equatable, Sendable {
  package enum Effect: Equatable, Sendable {
    /// Not handled, but answered with a status.
    case refuse(Int)
    /// Not handled, and no reply.
    case loseRequest
    /// Handled, and the reply never arrives.
    case loseReply
    case delay(Duration)
    /// Handled, and the reply does not come, nor the end of the connection.
    case hang
    /// Handled, and the body is a page of some proxy.
    case html
    /// Handled, and the body ends in its middle.
    case truncate

    fileprivate var replyBeforeHandling: ServerReply? {
      switch self {
      case .refuse(let status): ServerReply(BetterAuthRefusal(status, nil, "refused").response)
      case .loseRequest: ServerReply(HTTPResponse(500), .cut)
      case .loseReply, .delay, .hang, .html, .truncate: nil
      }
    }

    fileprivate func reply(after response: HTTPResponse) -> ServerReply {
      var other = response
      switch self {
      case .refuse, .loseRequest: return ServerReply(response)
      case .loseReply: return ServerReply(response, .cut)
      case .delay(let time): return ServerReply(response, .after(time))
      case .hang: return ServerReply(response, .never)
      case .html:
        other.headers["content-type"] = "text/html"
        other.body = Array("<html><body>error</body></html>".utf8)
      case .truncate: other.body.removeLast(response.body.count / 2)
      }
      return ServerReply(other)
    }
  }

  /// How the path begins, below `/api/auth`.
  package var path: String
  package var effect: Effect

  package init(_ path: String, _ effect: Effect) {
    self.path = path
    self.effect = effect
  }
}
