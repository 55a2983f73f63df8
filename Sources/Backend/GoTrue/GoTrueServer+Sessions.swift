import Crypto
import JSON
import Ports
import Wire

/// Who asks, and what they get: access tokens, sessions, the reply to every sign-in.
extension GoTrueServer {
  /// The account and the session behind a request.
  struct Caller {
    var user: GoTrueState.User
    var session: GoTrueState.Session
  }

  /// Runs what fails only when the cryptographic library does.
  func attempt<Value>(
    _ work: () throws(CryptoError) -> Value
  ) throws(GoTrueError) -> Value {
    do {
      return try work()
    } catch {
      throw .unexpected
    }
  }

  var signingKey: [UInt8] { Array(state.signingKey.utf8) }

  /// The claims of the bearer's token.
  ///
  /// - Throws: `no_authorization` or `bad_jwt`.
  func claims(_ call: GoTrueCall) throws(GoTrueError) -> JSONObject {
    guard let bearer = call.bearer else {
      throw .error(401, .noAuthorization, "This endpoint requires a valid Bearer token")
    }
    let key = signingKey
    let read = try attempt { () throws(CryptoError) in
      try SignedToken.claims(of: bearer, key: key)
    }
    let problem = "invalid JWT: unable to parse or verify signature"
    guard let claims = read else { throw .error(403, .badJWT, problem) }
    guard let expires = claims["exp"]?.integer, expires > call.nowSeconds else {
      throw .error(403, .badJWT, "\(problem), token has invalid claims: token is expired")
    }
    return claims
  }

  /// The account and the session of the bearer.
  ///
  /// - Throws: As ``claims(_:)``; `user_not_found`, `user_banned`, `session_not_found`.
  func caller(_ call: GoTrueCall) throws(GoTrueError) -> Caller {
    let claims = try claims(call)
    guard let user = state.user(id: claims["sub"]?.text ?? "") else {
      throw .error(403, .userNotFound, "User from sub claim in JWT does not exist")
    }
    if isBanned(user, call) { throw .error(403, .userBanned, "User is banned") }
    guard let session = state.session(id: claims["session_id"]?.text ?? "") else {
      throw .sessionGone
    }
    return Caller(user: user, session: session)
  }

  func isBanned(_ user: GoTrueState.User, _ call: GoTrueCall) -> Bool {
    user.bannedUntilMs.map { $0 > call.nowMs } ?? false
  }

  /// Begins a session, and gives the reply to a sign-in.
  func signIn(
    _ user: GoTrueState.User, by method: GoTrueState.Session.Method.Name, _ call: GoTrueCall
  ) throws(GoTrueError) -> JSONObject {
    var user = user
    user.lastSignInMs = call.nowMs
    state.update(user)
    var session = GoTrueState.Session()
    session.id = Identifier.uuid(entropy)
    session.userID = user.id
    session.createdMs = call.nowMs
    session.refreshedMs = call.nowMs
    session.methods = [.init(method, at: call.nowMs)]
    let token: String
    switch settings.refreshTokens {
    case .v1:
      token = makeRefreshToken(session.id, parent: nil)
    case .v2:
      session.counter = 0
      token = try countedToken(session.id, 0)
    }
    state.sessions.append(session)
    return try tokenReply(user, session, refreshToken: token, call)
  }

  /// What every grant of tokens answers.
  func tokenReply(
    _ user: GoTrueState.User, _ session: GoTrueState.Session, refreshToken: String,
    _ call: GoTrueCall
  ) throws(GoTrueError) -> JSONObject {
    let lifetime = call.agesTokens ? -60 : settings.accessTokenSeconds
    let expires = call.nowSeconds + lifetime
    let claims = accessClaims(user, session, expires: expires, call)
    let key = signingKey
    let token = try attempt { () throws(CryptoError) in try SignedToken.make(claims, key: key) }
    var reply = JSONObject()
    reply["access_token"] = .text(token)
    reply["token_type"] = "bearer"
    reply["expires_in"] = .integer(lifetime)
    reply["expires_at"] = .integer(expires)
    reply["refresh_token"] = .text(refreshToken)
    reply["user"] = .object(json(of: user))
    return reply
  }

  private func accessClaims(
    _ user: GoTrueState.User, _ session: GoTrueState.Session, expires: Int64, _ call: GoTrueCall
  ) -> JSONObject {
    let methods = session.methods.map { method -> JSONValue in
      ["method": .text(method.name.rawValue), "timestamp": .integer(method.atMs / 1000)]
    }
    var claims = JSONObject()
    claims["sub"] = .text(user.id)
    claims["aud"] = "authenticated"
    claims["iat"] = .integer(call.nowSeconds)
    claims["exp"] = .integer(expires)
    claims["iss"] = .text("\(externalURL(call))/auth/v1")
    claims["email"] = .text(user.email)
    claims["phone"] = ""
    claims["app_metadata"] = .object(applicationMetadata(of: user))
    claims["user_metadata"] = .object(user.metadata)
    claims["role"] = "authenticated"
    claims["aal"] = session.isAAL2 ? "aal2" : "aal1"
    claims["amr"] = .list(methods)
    claims["session_id"] = .text(session.id)
    claims["is_anonymous"] = false
    return claims
  }

  /// The server's address as others see it.
  func externalURL(_ call: GoTrueCall) -> String { settings.externalURL ?? call.base }

  /// `POST /logout`.
  func signOut(_ call: GoTrueCall) throws(GoTrueError) -> GoTrueAnswer {
    let caller = try caller(call)
    let scope = call.query["scope"] ?? "global"
    switch scope {
    case "global": state.endSessions { $0.userID == caller.user.id }
    case "local": state.endSessions { $0.id == caller.session.id }
    case "others":
      state.endSessions { $0.userID == caller.user.id && $0.id != caller.session.id }
    default: throw .invalid("Unsupported logout scope \"\(scope)\"")
    }
    return .empty
  }
}
