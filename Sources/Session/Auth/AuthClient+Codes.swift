package import JSON

/// Signing up, and codes that come by mail.
extension AuthClient {
  package func signUp(
    email: String, password: String, data: JSONObject?
  ) async throws(AuthError) -> (user: AuthUser?, session: AuthSession?) {
    let flow = try await startFlowIfUsed()
    do throws(AuthError) {
      let body: JSONObject = [
        "data": .object(data ?? [:]), "email": .text(email), "password": .text(password),
      ]
      let reply = try await requestToken("/signup", body: Self.body(body, flow))
      if let session = reply.session {
        try await save(session)
        try await notify(.signedIn, session)
      }
      return (reply.user, reply.session)
    } catch {
      try await abandon(flow)
      throw error
    }
  }

  package func verifyOtp(
    type: String, email: String, token: String
  ) async throws(AuthError) -> AuthSession? {
    let reply = try await requestToken(
      "/verify",
      body: Self.body(["email": .text(email), "token": .text(token), "type": .text(type)], nil))
    guard let session = reply.session else { return nil }
    try await save(session)
    try await notify(type == "recovery" ? .passwordRecovery : .signedIn, session)
    return session
  }

  package func resend(type: String, email: String) async throws(AuthError) {
    let flow = settings.sdk.startsFlowOnResend ? try await startFlowIfUsed() : nil
    do throws(AuthError) {
      _ = try await request(
        "POST", "/resend", body: Self.body(["email": .text(email), "type": .text(type)], flow))
    } catch {
      if let flow { try await abandon(flow) }
      throw error
    }
  }

  package func resetPasswordForEmail(_ email: String) async throws(AuthError) {
    try await resetPasswordForEmail(email, redirectTo: "")
  }

  /// Asks for a code by mail that lets the user choose a new password.
  ///
  /// - Parameters:
  ///   - email: Where to.
  ///   - redirectTo: Where the link in the mail leads; empty for the server's default.
  /// - Throws: ``AuthError``. The flow that was started for the link is over then.
  package func resetPasswordForEmail(
    _ email: String, redirectTo: String
  ) async throws(AuthError) {
    let query = redirectTo.isEmpty ? "" : "?redirect_to=\(Self.escaped(redirectTo))"
    try await startFlow("/recover\(query)", ["email": .text(email)], isRecovery: true)
  }

  /// Asks for a code by mail that signs in.
  package func signInWithOtp(email: String) async throws(AuthError) {
    try await startFlow(
      "/otp", ["create_user": true, "data": [:], "email": .text(email)], isRecovery: false)
  }

  private func startFlow(
    _ target: String, _ body: JSONObject, isRecovery: Bool
  ) async throws(AuthError) {
    let flow = try await startFlowIfUsed(isRecovery: isRecovery)
    do throws(AuthError) {
      _ = try await request("POST", target, body: Self.body(body, flow))
    } catch {
      try await abandon(flow)
      throw error
    }
  }

  /// What forms send beside their own fields.
  private static func body(_ fields: JSONObject, _ flow: PKCEFlow?) -> JSONObject {
    var body = fields
    body["gotrue_meta_security"] = [:]
    if let flow {
      body["code_challenge"] = .text(flow.challenge)
      body["code_challenge_method"] = .text(flow.method)
    }
    return body
  }
}
