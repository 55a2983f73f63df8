import JSON

/// Ways in, and the way out. They take no turn: only `signOut` waits for the initialisation.
extension AuthClient {
  package func signInWithPassword(
    email: String, password: String
  ) async throws(AuthError) -> AuthSession {
    try await signIn(
      "/token?grant_type=password",
      ["email": .text(email), "password": .text(password), "gotrue_meta_security": [:]])
  }

  package func signInWithIdToken(
    provider: String, token: String, nonce: String?
  ) async throws(AuthError) -> AuthSession {
    var body: JSONObject = [
      "id_token": .text(token), "gotrue_meta_security": [:], "provider": .text(provider),
    ]
    body["nonce"] = nonce.map(JSONValue.text)
    return try await signIn("/token?grant_type=id_token", body)
  }

  private func signIn(_ target: String, _ body: JSONObject) async throws(AuthError) -> AuthSession {
    let session = try await requestSession(target, body: body)
    try await save(session)
    try await notify(.signedIn, session)
    return session
  }

  package func signInWithOAuth(
    provider: String, redirectTo: String, scopes: String?
  ) async throws(AuthError) -> (url: String, flow: String?) {
    var query = ["provider=\(Self.escaped(provider))"]
    if !redirectTo.isEmpty { query.append("redirect_to=\(Self.escaped(redirectTo))") }
    if let scopes { query.append("scopes=\(Self.escaped(scopes))") }
    let flow = try await startFlowIfUsed()
    if let flow {
      query.append("code_challenge=\(flow.challenge)")
      query.append("code_challenge_method=\(flow.method)")
    }
    return ("\(settings.baseURL)/authorize?\(query.joined(separator: "&"))", flow?.id)
  }

  package func signOut() async throws(AuthError) { try await signOut(.global) }

  /// Which sessions of the user a sign-out ends.
  package enum SignOutScope: String, Sendable {
    case global, local, others
  }

  /// Ends the session here and on the server.
  ///
  /// - Parameter scope: Whose sessions end: all of the user, this one, or all but this one.
  /// - Throws: ``AuthError``; what it leaves behind depends on the version.
  package func signOut(_ scope: SignOutScope) async throws(AuthError) {
    try await operation { () async throws(AuthError) in
      let session: AuthSession?
      do throws(AuthError) {
        session = try await loadSession()
      } catch .sessionMissing {
        session = nil
      }
      var failure: AuthError?
      if let session {
        do throws(AuthError) {
          try await endSession(session, scope)
        } catch {
          guard settings.sdk.alwaysSignsOutLocally, !error.isRejection else { throw error }
          failure = error
        }
      }
      if scope != .others {
        try await removeSession()
        if !settings.sdk.hasFlowSlots { try await remove(keys.verifier) }
      }
      if let failure { throw failure }
    }
  }

  /// Tells the server. A session that it does not know has ended.
  private func endSession(
    _ session: AuthSession, _ scope: SignOutScope
  ) async throws(AuthError) {
    do throws(AuthError) {
      _ = try await request(
        "POST", "/logout?scope=\(scope.rawValue)", bearer: session.accessToken, wantsReply: false)
    } catch .api(_, 401, _), .api(_, 403, _), .api(_, 404, _), .sessionMissing {
      return
    }
  }

  /// `encodeURIComponent`.
  static func escaped(_ text: String) -> String {
    text.utf8.reduce(into: "") { result, byte in
      let scalar = Unicode.Scalar(byte)
      if scalar.isASCII, scalar.properties.isAlphabetic || "0123456789-_.!~*'()".contains(Character(scalar)) {
        result.unicodeScalars.append(scalar)
      } else {
        result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
  }
}
