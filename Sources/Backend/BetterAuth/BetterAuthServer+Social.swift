import Crypto
import JSON
import Ports
import Wire

/// Sign-in with a provider, which is played by the server itself: what a provider would send back is
/// an address with a signature.
extension BetterAuthServer {
  private static let providers = ["apple", "google"]
  private static let stateMs: Int64 = 300_000

  /// What a provider says about a user: a token of the system's dialogue, and the code of its page.
  package func idToken(for email: String) throws -> String {
    "\(email)~\(try Self.signature(email, secret))"
  }

  func signInSocial(_ call: BetterAuthCall) throws(BetterAuthRefusal) -> HTTPResponse {
    let provider = try call.text("provider")
    guard Self.providers.contains(provider) else {
      throw BetterAuthRefusal(404, "PROVIDER_NOT_FOUND", "Provider not found")
    }
    if let token = call.body["idToken"] {
      guard let email = try email(in: token["token"]?.text ?? "") else {
        throw BetterAuthRefusal(401, "INVALID_TOKEN", "Invalid token")
      }
      return try signedIn(userID(email, call.nowMs), call)
    }
    var social = BetterAuthState.SocialState()
    social.state = newID()
    social.provider = provider
    social.callbackURL = call.body["callbackURL"]?.text ?? "/"
    social.expiresMs = call.nowMs + Self.stateMs
    state.socialStates.removeAll { $0.expiresMs <= call.nowMs }
    state.socialStates.append(social)
    var query = FormQuery()
    query.add("state", social.state)
    query.add(
      "redirect_uri",
      "\(call.environment.baseURL)\(BetterAuthCall.basePath)/callback/\(provider)")
    let url = "https://\(provider).lab.test/authorize?\(query.text)"
    var response = HTTPResponse.json(["url": .text(url), "redirect": true])
    try setState(social.state, &response, call)
    return response
  }

  func authorizationProxy(_ call: BetterAuthCall) throws(BetterAuthRefusal) -> HTTPResponse {
    guard let url = call.query.single("authorizationURL") else {
      throw BetterAuthRefusal(400, "VALIDATION_ERROR", "[query.authorizationURL] invalid input")
    }
    let verdict = ExpoPlugin.proxy(
      authorizationURL: url, oauthState: call.query.single("oauthState"),
      baseURL: call.environment.baseURL)
    var response = HTTPResponse.redirect(url)
    switch verdict {
    case .refused(let message): throw BetterAuthRefusal(400, nil, message)
    case .plain(let state):
      let cookie = SignedCookie("oauth_state", call.environment)
      let value = FormText.encodeComponent(state)
      response.headers.add(
        "set-cookie", "\(cookie.name)=\(value); Max-Age=600; Path=/; HttpOnly; SameSite=Lax")
    case .signed(let state): try setState(state, &response, call)
    }
    return response
  }

  /// The provider sends the browser here. The browser must be the one that was sent there.
  func providerCallback(_ call: BetterAuthCall) throws(BetterAuthRefusal) -> HTTPResponse {
    let given = call.query.single("state")
    let kept = try signed { () throws(CryptoError) in
      try SignedCookie("state", call.environment).value(in: call.cookies, secret: secret)
    }
    let index = state.socialStates.firstIndex {
      $0.state == given && call.path == "/callback/\($0.provider)" && $0.expiresMs > call.nowMs
    }
    guard let index, given == kept else {
      return Self.errorPage("state_mismatch", call)
    }
    let social = state.socialStates.remove(at: index)
    guard let email = try email(in: call.query.single("code") ?? "") else {
      return Self.errorPage("invalid_code", call)
    }
    var response = HTTPResponse.redirect(social.callbackURL)
    try begin(userID: userID(email, call.nowMs), &response, call)
    response.headers.add("set-cookie", SignedCookie("state", call.environment).deletion)
    return response
  }

  private static func errorPage(_ error: String, _ call: BetterAuthCall) -> HTTPResponse {
    .redirect("\(call.environment.baseURL)\(BetterAuthCall.basePath)/error?error=\(error)")
  }

  private func setState(
    _ state: String, _ response: inout HTTPResponse, _ call: BetterAuthCall
  ) throws(BetterAuthRefusal) {
    let header = try signed { () throws(CryptoError) in
      try SignedCookie("state", call.environment).header(
        state, maxAge: Self.stateMs / 1000, secret: secret)
    }
    response.headers.add("set-cookie", header)
  }

  private func email(in token: String) throws(BetterAuthRefusal) -> String? {
    let parts = token.split(separator: "~", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    let email = String(parts[0])
    let signature = try signed { () throws(CryptoError) in try Self.signature(email, secret) }
    return parts[1] == signature ? email : nil
  }

  private static func signature(_ email: String, _ secret: [UInt8]) throws(CryptoError) -> String {
    Base64URL.encode(try HMACSHA256.code(for: Array("provider:\(email)".utf8), key: secret))
  }
}
