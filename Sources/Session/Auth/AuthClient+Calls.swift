package import JSON

/// The calls as the app makes them.
extension AuthClient: AuthCalls {
  package func signInWithPassword(
    email: String, password: String
  ) async throws(AuthError) -> AuthSession {
    try await signInWithPassword(["email": .text(email), "password": .text(password)])
  }

  package func signInWithIdToken(
    provider: String, token: String, nonce: String?
  ) async throws(AuthError) -> AuthSession {
    var credentials: JSONObject = ["provider": .text(provider), "token": .text(token)]
    credentials["nonce"] = nonce.map(JSONValue.text)
    return try await signInWithIdToken(credentials)
  }

  package func signUp(
    email: String, password: String, data: JSONObject?
  ) async throws(AuthError) -> (user: AuthUser?, session: AuthSession?) {
    var credentials: JSONObject = ["email": .text(email), "password": .text(password)]
    credentials["options"] = data.map { ["data": .object($0)] }
    return try await signUp(credentials)
  }

  package func verifyOtp(
    type: String, email: String, token: String
  ) async throws(AuthError) -> AuthSession? {
    try await verifyOtp(["email": .text(email), "token": .text(token), "type": .text(type)]).session
  }

  package func resend(type: String, email: String) async throws(AuthError) {
    try await resend(["email": .text(email), "type": .text(type)])
  }

  package func resetPasswordForEmail(_ email: String) async throws(AuthError) {
    try await resetPasswordForEmail(email, nil)
  }

  package func updateUser(_ attributes: JSONObject) async throws(AuthError) -> AuthUser {
    try await updateUser(attributes, nil)
  }

  package func exchangeCodeForSession(
    _ code: String, flow: String?
  ) async throws(AuthError) -> AuthSession {
    try await exchange(code: code, flow: flow).session
  }

  package func refreshSession() async throws(AuthError) -> AuthSession? {
    try await refreshSession(with: nil)
  }

  /// Ends all sessions of the user; the hardened client ends this one only (H-11).
  package func signOut() async throws(AuthError) {
    try await signOut(settings.isHardened ? .local : .global)
  }

  package func enroll(friendlyName: String, issuer: String) async throws(AuthError) -> JSONObject {
    try await enroll([
      "factorType": "totp", "friendlyName": .text(friendlyName), "issuer": .text(issuer),
    ])
  }

  package func challengeAndVerify(factor: String, code: String) async throws(AuthError) {
    do throws(AuthError) {
      try await challengeAndVerifyOnce(factor: factor, code: code)
    } catch .api(_, _, "mfa_ip_address_mismatch") where settings.isHardened {
      // The device has another address than at the challenge (H-16).
      try await challengeAndVerifyOnce(factor: factor, code: code)
    }
  }

  private func challengeAndVerifyOnce(factor: String, code: String) async throws(AuthError) {
    let challenge = try await challenge(factor: factor)
    _ = try await verify(factor: factor, challenge: challenge["id"] ?? .null, code: code)
  }

  package func unenroll(factor: String) async throws(AuthError) {
    _ = try await remove(factor: factor)
  }

  package func listFactors() async throws(AuthError) -> [JSONObject] {
    try await getUser().factors
  }

  package func assuranceLevels() async throws(AuthError) -> (current: String?, next: String?) {
    let levels = try await assurance()
    return (levels.current, levels.next)
  }
}
