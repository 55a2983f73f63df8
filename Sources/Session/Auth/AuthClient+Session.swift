package import JSON
import Ports

/// The stored session.
extension AuthClient {
  /// Sessions with less left count as expired.
  static let marginMs = 90_000.0

  package func getSession() async throws(AuthError) -> AuthSession? {
    try await operation { () async throws(AuthError) in try await loadSession(isWaiting: false) }
  }

  /// The stored session, refreshed if it is about to end.
  ///
  /// - Parameter isWaiting: Whether the caller can do nothing without the session, and so waits for as
  ///   long as the refresh takes.
  /// - Returns: The session, or `nil` without one.
  /// - Throws: ``AuthError`` when it cannot be read, or has ended and cannot be refreshed.
  func loadSession(isWaiting: Bool = true) async throws(AuthError) -> AuthSession? {
    guard let stored = try await read(keys.session) else {
      try await noticeLoss()
      return nil
    }
    guard let session = AuthSession(stored: stored) else {
      try await removeSession()
      return nil
    }
    holdsSession = true
    guard let left = session.leftMs(nowMs: ports.clock.nowMs), left < Self.marginMs else {
      return session
    }
    do throws(AuthError) {
      if isWaiting { return try await refresh(session.refreshToken) }
      return try await refreshInTime(session.refreshToken)
    } catch {
      guard !error.isRejection, settings.behaviour.remembersFailedRefresh,
        session.isStillGood(nowMs: ports.clock.nowMs),
        try await read(keys.session)?["refresh_token"] == session.json["refresh_token"]
      else { throw error }
      return session
    }
  }

  /// Looks at the stored session for the first time.
  func recoverSession() async {
    do throws(AuthError) {
      guard var stored = try await read(keys.session) else { return }
      let hasUser = JavaScriptValue.isTruthy(stored["user"])
      if JavaScriptValue.isTruthy(stored), !hasUser { try await restoreUser(&stored) }
      guard let session = AuthSession(stored: stored) else { return try await removeSession() }
      try await greet(session)
    } catch {
      ports.console.error("\(error)")
    }
  }

  private func greet(_ session: AuthSession) async throws(AuthError) {
    let expiry = session.json["expires_at"]
    let left = JavaScriptValue.number(expiry) * 1000 - Double(ports.clock.nowMs)
    if left < Self.marginMs, expiry != .null {
      guard settings.refreshesAutomatically, !session.refreshToken.isEmpty else { return }
      do throws(AuthError) {
        _ = try await refreshInTime(session.refreshToken)
      } catch {
        guard !error.isRejection else { throw error }
        ports.console.error("\(error)")
        // Later versions leave it to the refresh.
        if !error.isRetryable, !settings.behaviour.remembersFailedRefresh {
          try await removeSession()
        }
      }
    } else if JavaScriptValue.isTruthy(session.json["user"]) {
      try await notify(.signedIn, session)
    } else {
      try await complete(session)
    }
  }

  /// Puts a user back that an older setting stored apart.
  private func restoreUser(_ stored: inout JSONValue) async throws(AuthError) {
    let apart = try await read(keys.user)?["user"]
    guard var json = stored.object else {
      guard case .text = stored else { return }
      throw .defect(name: "TypeError", message: "Cannot create property 'user' on a string")
    }
    guard let apart, JavaScriptValue.isTruthy(apart) else { return }
    json["user"] = apart
    stored = .object(json)
    try await remove(keys.user)
    try await write(keys.session, stored)
  }

  /// Asks the server for the user that a stored session lacks.
  private func complete(_ session: AuthSession) async throws(AuthError) {
    let user: AuthUser
    do throws(AuthError) {
      user = try await fetchUser(session.accessToken)
    } catch {
      guard !error.isRejection else { throw error }
      return
    }
    try await notify(.signedIn, try await save(user, in: session))
  }
}

/// The user, as the server knows it.
extension AuthClient {
  package func getUser() async throws(AuthError) -> AuthUser {
    try await operation { () async throws(AuthError) in
      guard let session = try await loadSession(), !session.accessToken.isEmpty else {
        throw .sessionMissing
      }
      return try await fetchUser(session.accessToken)
    }
  }

  /// Asks for the user of an access token. Removes the session when the server has none for it.
  func fetchUser(_ accessToken: String) async throws(AuthError) -> AuthUser {
    do throws(AuthError) {
      let reply = try await request("GET", "/user", bearer: accessToken)
      return AuthUser(userReply: reply)
    } catch .sessionMissing {
      try await removeSession()
      if !settings.behaviour.hasFlowSlots { try await remove(keys.verifier) }
      throw .sessionMissing
    }
  }

  /// Changes the user; the session gets the new one.
  package func updateUser(
    _ attributes: JSONObject, _ options: JSONValue?
  ) async throws(AuthError) -> AuthUser {
    try await operation { () async throws(AuthError) in
      var flow: PKCEFlow?
      do throws(AuthError) {
        guard let session = try await loadSession() else { throw .sessionMissing }
        var body = attributes
        if settings.flowType == .pkce, attributes["email"] ?? .null != .null {
          flow = try await startFlow()
        }
        body["code_challenge"] = flow.map { .text($0.challenge) } ?? .null
        body["code_challenge_method"] = flow.map { .text($0.method) } ?? .null
        let reply = try await request(
          "PUT", Self.target("/user", redirectTo: options?["emailRedirectTo"]), body: body,
          bearer: session.accessToken)
        let user = AuthUser(userReply: reply)
        try await notify(.userUpdated, try await save(user, in: session))
        return user
      } catch {
        try await abandon(flow)
        throw error
      }
    }
  }
}
