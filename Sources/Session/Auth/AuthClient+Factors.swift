package import JSON
import Ports

/// Second factors, and how sure the server is of the user.
extension AuthClient {
  /// Begins a factor: `factorType`, `friendlyName` and, for TOTP, `issuer`.
  package func enroll(_ parameters: JSONObject) async throws(AuthError) -> JSONObject {
    let session = try await loadSession()
    var body = JSONObject()
    body["factor_type"] = parameters["factorType"]
    body["friendly_name"] = parameters["friendlyName"]
    body["issuer"] = parameters["issuer"]
    let reply = try await request("POST", "/factors", body: body, bearer: session?.accessToken)
    var factor = reply.object ?? [:]
    if var totp = factor["totp"]?.object, let image = totp["qr_code"]?.text, !image.isEmpty {
      totp["qr_code"] = .text("data:image/svg+xml;utf-8,\(image)")
      factor["totp"] = .object(totp)
    }
    return factor
  }

  /// Asks for a challenge of a factor; its `id` is what a code is checked against.
  package func challenge(factor: String) async throws(AuthError) -> JSONValue {
    try await lock { () async throws(AuthError) in
      let session = try await loadSession()
      return try await request(
        "POST", "/factors/\(factor)/challenge", body: ["factorId": .text(factor)],
        bearer: session?.accessToken)
    }
  }

  /// Proves the possession of a factor.
  ///
  /// - Parameters:
  ///   - factor: Its id.
  ///   - challenge: The id of the challenge.
  ///   - code: What the user typed.
  /// - Returns: The server's reply: the raised session.
  /// - Throws: ``AuthError``. When no reply came, the session may have been raised all the same.
  package func verify(
    factor: String, challenge: JSONValue, code: String
  ) async throws(AuthError) -> AuthSession {
    try await lock { () async throws(AuthError) in
      let session = try await loadSession()
      let reply: JSONValue
      do throws(AuthError) {
        reply = try await request(
          "POST", "/factors/\(factor)/verify",
          body: ["challenge_id": challenge, "code": .text(code)], bearer: session?.accessToken)
      } catch {
        return try await recoverVerification(after: error)
      }
      let raised = AuthSession(reply.object ?? [:])
      var stored = raised
      if settings.isHardened || stored.json["expires_at"] == nil {
        stored.json["expires_at"] = AuthSession.expiry(of: raised.json, nowMs: ports.clock.nowMs)
      }
      try await saveRaised(stored)
      try await notify(.mfaChallengeVerified, raised)
      return raised
    }
  }

  /// Removes a factor, and gives the server's reply.
  package func remove(factor: String) async throws(AuthError) -> JSONValue {
    let session = try await loadSession()
    return try await request("DELETE", "/factors/\(factor)", bearer: session?.accessToken)
  }

  /// How sure the server was of the user, and could be.
  package struct Assurance: Equatable, Sendable {
    /// `aal1` or `aal2`, as the access token says.
    package var current: String?
    /// `aal2` when the user has a factor to prove.
    package var next: String?
    /// How the user has signed in.
    package var methods: [JSONValue]

    init(claims: JSONValue, hasFactor: Bool) {
      current = claims["aal"]?.text
      next = hasFactor ? "aal2" : current
      methods = claims["amr"]?.list ?? []
    }
  }

  /// Reads the levels of the stored session.
  ///
  /// - Parameter token: Another access token, whose user the server is asked for.
  /// - Returns: The levels; none without a session.
  /// - Throws: ``AuthError``, also for a stored session that lacks its user.
  package func assurance(of token: String? = nil) async throws(AuthError) -> Assurance {
    if let token {
      let claims = try AccessToken(token).payload
      return Assurance(claims: claims, hasFactor: try await fetchUser(token).hasVerifiedFactor)
    }
    guard let session = try await getSession() else {
      return Assurance(claims: .null, hasFactor: false)
    }
    let claims = try AccessToken(session.accessToken).payload
    guard let user = session.user else {
      let kind = session.json["user"] == nil ? "undefined" : "null"
      throw .defect(
        name: "TypeError", message: "Cannot read properties of \(kind) (reading 'factors')")
    }
    return Assurance(claims: claims, hasFactor: user.hasVerifiedFactor)
  }
}
