package import JSON
import Ports

/// Second factors, and how sure the server is of the user.
extension AuthClient {
  package func enroll(friendlyName: String, issuer: String) async throws(AuthError) -> JSONObject {
    let session = try await loadSession()
    let reply = try await request(
      "POST", "/factors",
      body: [
        "factor_type": "totp", "friendly_name": .text(friendlyName), "issuer": .text(issuer),
      ], bearer: session?.accessToken)
    var factor = reply.object ?? [:]
    if var totp = factor["totp"]?.object, let image = totp["qr_code"]?.text, !image.isEmpty {
      totp["qr_code"] = .text("data:image/svg+xml;utf-8,\(image)")
      factor["totp"] = .object(totp)
    }
    return factor
  }

  package func challengeAndVerify(factor: String, code: String) async throws(AuthError) {
    _ = try await verify(factor: factor, code: code)
  }

  /// Proves the possession of a factor.
  ///
  /// - Returns: The server's reply: the raised session.
  /// - Throws: ``AuthError``. When no reply came, the session may have been raised all the same.
  package func verify(factor: String, code: String) async throws(AuthError) -> AuthSession {
    let challenge = try await lock { () async throws(AuthError) in
      let session = try await loadSession()
      return try await request(
        "POST", "/factors/\(factor)/challenge", body: ["factorId": .text(factor)],
        bearer: session?.accessToken)
    }
    return try await lock { () async throws(AuthError) in
      let session = try await loadSession()
      let reply = try await request(
        "POST", "/factors/\(factor)/verify",
        body: ["challenge_id": challenge["id"] ?? .null, "code": .text(code)],
        bearer: session?.accessToken)
      let raised = AuthSession(reply.object ?? [:])
      var stored = raised
      if stored.json["expires_at"] == nil {
        stored.json["expires_at"] = AuthSession.expiry(of: raised.json, nowMs: ports.clock.nowMs)
      }
      try await save(stored)
      try await notify(.mfaChallengeVerified, raised)
      return raised
    }
  }

  package func unenroll(factor: String) async throws(AuthError) {
    let session = try await loadSession()
    _ = try await request("DELETE", "/factors/\(factor)", bearer: session?.accessToken)
  }

  package func listFactors() async throws(AuthError) -> [JSONObject] {
    try await getUser().factors
  }

  package func assuranceLevels() async throws(AuthError) -> (current: String?, next: String?) {
    let levels = try await assurance()
    return (levels.current, levels.next)
  }

  /// How sure the server was of the user, and could be.
  package struct Assurance: Equatable, Sendable {
    /// `aal1` or `aal2`, as the access token says.
    package var current: String?
    /// `aal2` when the user has a factor to prove.
    package var next: String?
    /// How the user has signed in.
    package var methods: [JSONValue]
  }

  /// Reads the levels of the stored session.
  ///
  /// - Parameter token: Another access token, whose user the server is asked for.
  /// - Returns: The levels; none without a session.
  /// - Throws: ``AuthError``, also for a stored session that lacks its user.
  package func assurance(of token: String? = nil) async throws(AuthError) -> Assurance {
    if let token {
      return try Self.assurance(token, try await fetchUser(token))
    }
    guard let session = try await getSession() else { return Assurance(methods: []) }
    _ = try AccessToken(session.accessToken)
    guard let user = session.user else {
      let kind = session.json["user"] == nil ? "undefined" : "null"
      throw .defect(
        name: "TypeError", message: "Cannot read properties of \(kind) (reading 'factors')")
    }
    return try Self.assurance(session.accessToken, user)
  }

  private static func assurance(
    _ token: String, _ user: AuthUser
  ) throws(AuthError) -> Assurance {
    let claims = try AccessToken(token).payload
    let current = claims["aal"]?.text
    return Assurance(
      current: current, next: user.hasVerifiedFactor ? "aal2" : current,
      methods: claims["amr"]?.list ?? [])
  }
}
