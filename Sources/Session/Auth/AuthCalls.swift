package import JSON

/// The calls of auth-js that the app uses: what flows and the status machine see of the client.
///
/// A call throws ``AuthError``, whether JavaScript gets it as the `error` of a result or as a rejected
/// promise; ``AuthError/isRejection`` tells which.
package protocol AuthCalls: AnyObject {
  /// Adds a subscriber. It gets ``AuthEvent/initialSession`` once the client has read its storage.
  ///
  /// - Returns: What ends the subscription.
  func onAuthStateChange(
    _ listener: @escaping (AuthEvent, AuthSession?) async throws -> Void
  ) -> () -> Void
  func getSession() async throws(AuthError) -> AuthSession?
  func refreshSession() async throws(AuthError) -> AuthSession?
  func signInWithPassword(email: String, password: String) async throws(AuthError) -> AuthSession
  /// The session is `nil` when the server wants the address confirmed first.
  func signUp(
    email: String, password: String, data: JSONObject?
  ) async throws(AuthError) -> (user: AuthUser?, session: AuthSession?)
  /// Checks a code that came by mail; `type` is `signup`, `recovery`, `email`, `email_change`, …
  func verifyOtp(
    type: String, email: String, token: String
  ) async throws(AuthError) -> AuthSession?
  func resend(type: String, email: String) async throws(AuthError)
  func resetPasswordForEmail(_ email: String) async throws(AuthError)
  func updateUser(_ attributes: JSONObject) async throws(AuthError) -> AuthUser
  /// Makes no request: builds the URL that a browser is to open.
  func signInWithOAuth(
    provider: String, redirectTo: String, scopes: String?
  ) async throws(AuthError) -> (url: String, flow: String?)
  /// `flow` is what ``signInWithOAuth(provider:redirectTo:scopes:)`` gave; `nil` takes the last flow
  /// that was started.
  func exchangeCodeForSession(
    _ code: String, flow: String?
  ) async throws(AuthError) -> AuthSession
  func signInWithIdToken(
    provider: String, token: String, nonce: String?
  ) async throws(AuthError) -> AuthSession
  func signOut() async throws(AuthError)
  func startAutoRefresh() async
  func stopAutoRefresh() async

  /// The server's reply: id, type, friendly name, and the secret with its `otpauth` URI.
  func enroll(friendlyName: String, issuer: String) async throws(AuthError) -> JSONObject
  func challengeAndVerify(factor: String, code: String) async throws(AuthError)
  func unenroll(factor: String) async throws(AuthError)
  /// All factors, unverified ones too.
  func listFactors() async throws(AuthError) -> [JSONObject]
  func assuranceLevels() async throws(AuthError) -> (current: String?, next: String?)
}
