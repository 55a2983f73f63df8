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
  package var faults = FaultPlan()
  let entropy: any Entropy
  private let clock: any WallClock
  private let environment: () -> BetterAuthEnvironment

  /// - Parameters:
  ///   - state: What an earlier server has left; `nil` is a new one.
  ///   - clock: The server's own clock.
  ///   - entropy: Draws tokens, codes and a new server's secret.
  ///   - environment: Is asked at every request.
  package init(
    _ state: BetterAuthState? = nil, clock: any WallClock, entropy: any Entropy,
    environment: @escaping () -> BetterAuthEnvironment
  ) {
    self.clock = clock
    self.entropy = entropy
    self.environment = environment
    if let state {
      self.state = state
    } else {
      self.state = BetterAuthState()
      self.state.secret = Hexadecimal.encode(entropy.bytes(32))
    }
  }

  /// Where the pages of its web app come from.
  var webOrigin: String { environment().baseURL }

  /// By the server's clock.
  var nowMs: Int64 { clock.nowMs + state.skewMs }

  /// Signs its cookies. As Better Auth takes it, the text is the key.
  var secret: [UInt8] { Array(state.secret.utf8) }

  package func answer(_ request: HTTPRequest, from address: String) -> ServerReply {
    var call = BetterAuthCall(request, from: address, nowMs: nowMs, environment())
    guard !call.path.hasPrefix("/lab/") else { return ServerReply(response(to: call)) }
    return reply(
      meeting: faults.faults(meeting: call.place), prepare: { prepare($0, &call) },
      handle: {
        call.nowMs = nowMs
        return ServerReply(response(to: call))
      },
      change: { change(&$0, by: $1) })
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
    switch BetterAuthRoute(rawValue: call.route) {
    case .page: try page(call)
    case .getSession: try getSession(call)
    case .signOut: try signOut(call)
    case .sendCode: try sendCode(call)
    case .signInWithCode: try signInWithCode(call)
    case .signInSocial: try signInSocial(call)
    case .authorizationProxy: try authorizationProxy(call)
    case .providerCallback: try providerCallback(call)
    case .passkeyOptions: try passkeyOptions(call)
    case .verifyPasskey: try verifyPasskey(call)
    case .handOff: try handOff(call)
    case .methods: methods(call)
    case .redeem: try redeem(call)
    case nil: try handleLab(call)
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

/// What is served: pages, and what lies below `/api/auth`.
enum BetterAuthRoute: String, CaseIterable {
  case page = "GET /auth"
  case getSession = "GET /get-session"
  case signOut = "POST /sign-out"
  case sendCode = "POST /email-otp/send-verification-otp"
  case signInWithCode = "POST /sign-in/email-otp"
  case signInSocial = "POST /sign-in/social"
  case authorizationProxy = "GET /expo-authorization-proxy"
  case providerCallback = "GET /callback/*"
  case passkeyOptions = "GET /passkey/generate-authenticate-options"
  case verifyPasskey = "POST /passkey/verify-authentication"
  case handOff = "GET /mobile-handoff"
  case methods = "GET /mobile-handoff/methods"
  case redeem = "POST /mobile-handoff/redeem"
}
