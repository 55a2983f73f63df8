import JSON
import Ports

/// A refresh that failed, and until when it is not tried again.
struct FailedRefresh {
  let token: String
  let error: AuthError
  let untilMs: Int64
}

extension AuthClient {
  /// Refreshes the stored session, or one of which only the refresh token is known.
  package func refreshSession(with token: String?) async throws(AuthError) -> AuthSession {
    try await operation { () async throws(AuthError) in
      let stored: AuthSession?
      do throws(AuthError) {
        stored = try await loadSession()
      } catch {
        guard token != nil, !error.isRejection else { throw error }
        stored = nil
      }
      if let token { return try await refresh(token, isStored: false) }
      return try await refresh(stored?.refreshToken ?? "")
    }
  }

  /// Changes a refresh token for a new session. One at a time: who comes later gets the same result,
  /// whatever its token.
  ///
  /// - Parameters:
  ///   - token: The refresh token.
  ///   - isStored: Whether it is that of the stored session, and not one that the caller brought.
  /// - Returns: The new session, which is stored.
  /// - Throws: ``AuthError``. The stored session is removed when it has ended.
  func refresh(
    _ token: String, isStored: Bool = true
  ) async throws(AuthError) -> AuthSession {
    guard !token.isEmpty else { throw .sessionMissing }
    if let refreshing { return try await refreshing.value() }
    if let failedRefresh, failedRefresh.token == token,
      ports.clock.nowMs < failedRefresh.untilMs
    {
      throw failedRefresh.error
    }
    let promise = AuthPromise<AuthSession>()
    refreshing = promise
    defer { refreshing = nil }
    do throws(AuthError) {
      let session = try await renew(token, isStored: isStored)
      promise.settle(.success(session))
      return session
    } catch {
      // When the store fails here, the original never settles its promise: whoever waits for it hangs.
      defer { if settings.isHardened { promise.settle(.failure(error)) } }
      if error != .refreshDiscarded, !error.isRejection { try await giveUp(token, error) }
      promise.settle(.failure(error))
      throw error
    }
  }

  /// A refresh for somebody who wants to know how things are. The hardened client waits for it no
  /// longer than a moment (H-08).
  func refreshInTime(_ token: String) async throws(AuthError) -> AuthSession {
    guard settings.isHardened else { return try await refresh(token) }
    return try await within(Self.patience) { () async throws(AuthError) in
      try await self.refresh(token)
    }
  }

  private static let cooldownMs: Int64 = 60_000
  private static let shortCooldownMs: Int64 = 5_000

  private func giveUp(_ token: String, _ error: AuthError) async throws(AuthError) {
    guard settings.behaviour.remembersFailedRefresh else {
      if !error.isRetryable { try await removeSession() }
      return
    }
    let isEnd = settings.isHardened ? error.endsSession : !error.isRetryable
    if isEnd {
      let stored = try await read(keys.session)?.object.map(AuthSession.init)
      if stored?.isStillGood(nowMs: ports.clock.nowMs) != true { try await removeSession() }
    }
    failedRefresh = FailedRefresh(
      token: token, error: error,
      untilMs: ports.clock.nowMs
        + (settings.isHardened && error.isRetryable ? Self.shortCooldownMs : Self.cooldownMs))
  }

  private func renew(
    _ token: String, isStored: Bool
  ) async throws(AuthError) -> AuthSession {
    guard settings.behaviour.guardsCommits else {
      let session = try await fetchSession(token)
      try await save(session)
      try await notify(.tokenRefreshed, session)
      return session
    }
    // The hardened client knows what it replaces: between the decision to refresh and this read there
    // may have been a sign-out (H-11).
    let before: JSONValue? =
      settings.isHardened && isStored
      ? ["refresh_token": .text(token)] : try await read(keys.session)
    let session = try await fetchSession(token)
    try await commit { () async throws(AuthError) in try await replace(before, by: session) }
    try await notify(.tokenRefreshed, session)
    failedRefresh = nil
    return session
  }

  /// Saves a refreshed session, unless the stored one has changed since the refresh began.
  private func replace(
    _ before: JSONValue?, by session: AuthSession
  ) async throws(AuthError) {
    let after = try await read(keys.session)
    if let before {
      guard let after, after["refresh_token"] == before["refresh_token"] else {
        throw .refreshDiscarded
      }
    }
    let removals = self.removals
    try await put(session)
    guard self.removals == removals else {
      try await remove(keys.session)
      throw .refreshDiscarded
    }
  }

  /// Asks the server, again and again for half a minute while it cannot be reached.
  private func fetchSession(_ token: String) async throws(AuthError) -> AuthSession {
    let start = ports.clock.nowMs
    var pauseMs: Int64 = 200
    while true {
      do throws(AuthError) {
        let reply = try await requestToken(
          "/token?grant_type=refresh_token", body: ["refresh_token": .text(token)])
        guard let session = reply.session else {
          throw settings.isHardened ? .tokenResponse : .sessionMissing
        }
        return session
      } catch {
        guard error.isRetryable, ports.clock.nowMs + pauseMs - start < Self.retriesMs else {
          throw error
        }
        try await pause(pauseMs)
        pauseMs *= 2
      }
    }
  }

  private static let retriesMs: Int64 = 30_000

  /// Takes over a session of which the two tokens are known.
  package func setSession(
    accessToken: String, refreshToken: String
  ) async throws(AuthError) -> AuthSession {
    try await operation { () async throws(AuthError) in
      guard !accessToken.isEmpty, !refreshToken.isEmpty else { throw .sessionMissing }
      let now = Double(ports.clock.nowMs) / 1000
      let expiry = JavaScriptValue.number(try AccessToken(accessToken).payload["exp"])
      guard expiry > now else { return try await refresh(refreshToken, isStored: false) }
      let user = try await fetchUser(accessToken)
      let session = AuthSession([
        "access_token": .text(accessToken), "expires_at": .integer(Int64(expiry)),
        "expires_in": .double(expiry - now), "refresh_token": .text(refreshToken),
        "token_type": "bearer", "user": .object(user.json),
      ])
      try await save(session)
      try await notify(.signedIn, session)
      return session
    }
  }
}
