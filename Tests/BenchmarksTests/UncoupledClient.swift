import JSON
import Session

/// A client whose ticker nobody starts or stops from outside: it runs as the client itself began it.
final class UncoupledClient: AuthCalls {
  private let client: AuthClient

  init(_ client: AuthClient) { self.client = client }

  func startAutoRefresh() async {}
  func stopAutoRefresh() async {}

  func onAuthStateChange(
    _ listener: @escaping (AuthEvent, AuthSession?) async throws -> Void
  ) -> () -> Void { client.onAuthStateChange(listener) }

  func getSession() async throws(AuthError) -> AuthSession? { try await client.getSession() }

  func assuranceLevels() async throws(AuthError) -> (current: String?, next: String?) {
    try await client.assuranceLevels()
  }

  // MARK: What a provider that only watches does not call

  func refreshSession() async throws(AuthError) -> AuthSession? { throw .sessionMissing }
  func signInWithPassword(
    email: String, password: String
  ) async throws(AuthError) -> AuthSession { throw .sessionMissing }
  func signUp(
    email: String, password: String, data: JSONObject?
  ) async throws(AuthError) -> (user: AuthUser?, session: AuthSession?) { throw .sessionMissing }
  func verifyOtp(
    type: String, email: String, token: String
  ) async throws(AuthError) -> AuthSession? { throw .sessionMissing }
  func resend(type: String, email: String) async throws(AuthError) { throw .sessionMissing }
  func resetPasswordForEmail(_ email: String) async throws(AuthError) { throw .sessionMissing }
  func updateUser(_ attributes: JSONObject) async throws(AuthError) -> AuthUser {
    throw .sessionMissing
  }
  func signInWithOAuth(
    provider: String, redirectTo: String, scopes: String?
  ) async throws(AuthError) -> (url: String, flow: String?) { throw .sessionMissing }
  func exchangeCodeForSession(
    _ code: String, flow: String?
  ) async throws(AuthError) -> AuthSession { throw .sessionMissing }
  func signInWithIdToken(
    provider: String, token: String, nonce: String?
  ) async throws(AuthError) -> AuthSession { throw .sessionMissing }
  func signOut() async throws(AuthError) { throw .sessionMissing }
  func enroll(friendlyName: String, issuer: String) async throws(AuthError) -> JSONObject {
    throw .sessionMissing
  }
  func challengeAndVerify(factor: String, code: String) async throws(AuthError) {
    throw .sessionMissing
  }
  func unenroll(factor: String) async throws(AuthError) { throw .sessionMissing }
  func listFactors() async throws(AuthError) -> [JSONObject] { throw .sessionMissing }
}
