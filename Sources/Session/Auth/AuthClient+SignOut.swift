/// The way out.
extension AuthClient {
  /// Which sessions of the user a sign-out ends: all, this one, or all but this one.
  package enum SignOutScope: String, Sendable {
    case global, local, others
  }

  /// Ends sessions here and on the server.
  ///
  /// - Parameter scope: Whose sessions end.
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
}
