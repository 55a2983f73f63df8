import Ports

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
      let session = try await sessionToEnd()
      var failure: AuthError?
      if let session {
        do throws(AuthError) {
          try await endSession(session, scope)
        } catch {
          guard settings.behaviour.alwaysSignsOutLocally, !error.isRejection else { throw error }
          failure = error
        }
      }
      if scope != .others {
        try await removeSession()
        if !settings.behaviour.hasFlowSlots { try await remove(keys.verifier) }
      }
      if let failure { throw failure }
    }
  }

  /// The session whose end the server is to be told of. The hardened client refreshes none to end it,
  /// so that it also ends without a network (H-11).
  private func sessionToEnd() async throws(AuthError) -> AuthSession? {
    if settings.isHardened {
      let stored = try await read(keys.session).flatMap(AuthSession.init(stored:))
      return stored?.isStillGood(nowMs: ports.clock.nowMs) == true ? stored : nil
    }
    do throws(AuthError) {
      return try await loadSession()
    } catch .sessionMissing {
      return nil
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
