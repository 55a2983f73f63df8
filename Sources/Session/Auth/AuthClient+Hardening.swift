import JSON
import Ports

/// What the hardened profile does beside or instead of the original. Named by hazard.
extension AuthClient {
  /// How long a caller waits for a refresh that goes on without it (H-08).
  static let patience = Duration.seconds(3)
  /// How long a request may take before it counts as lost. Long, for the reply to a refresh that comes
  /// late is the only one with the new tokens.
  static let requestTime = Duration.seconds(60)
  /// How often a call of the store is made before its failure counts.
  private static let triesMax = 3
  private static let pauseMaxMs: Int64 = 30_000

  /// Waits for a result, but not longer than a time; the work goes on.
  func within<Value>(
    _ duration: Duration, _ work: @escaping () async throws(AuthError) -> Value
  ) async throws(AuthError) -> Value {
    let promise = AuthPromise<Value>()
    ports.spawner.spawn("work") {
      do throws(AuthError) {
        promise.settle(.success(try await work()))
      } catch {
        promise.settle(.failure(error))
      }
    }
    ports.spawner.spawn("deadline") {
      do throws(ProcessGone) { try await self.ports.sleeper.sleep(for: duration) } catch { return }
      promise.settle(.failure(.retryableFetch(message: "no result in time", status: 0)))
    }
    return try await promise.value()
  }

  func pause(_ milliseconds: Int64) async throws(AuthError) {
    do throws(ProcessGone) {
      try await ports.sleeper.sleep(for: .milliseconds(milliseconds))
    } catch {
      throw .gone
    }
  }

  /// Makes a call of the store again when it fails, for a moment.
  func persistently(_ call: () async throws(AuthError) -> Void) async throws(AuthError) {
    var pauseMs: Int64 = 100
    for _ in 1..<Self.triesMax {
      do throws(AuthError) { return try await call() } catch { try await pause(pauseMs) }
      pauseMs *= 2
    }
    try await call()
  }

  /// Runs storage calls that belong together, without those of another change between them (H-25).
  func commit<Value>(
    _ body: () async throws(AuthError) -> Value
  ) async throws(AuthError) -> Value {
    guard settings.isHardened else { return try await body() }
    await commits.enter()
    defer { commits.leave() }
    return try await body()
  }

  /// The session that a new subscriber is told of. It comes as soon as the store can be read (H-09),
  /// also when it has expired and cannot be refreshed now: that is no sign-out (H-08).
  func firstSession() async throws(AuthError) -> AuthSession? {
    var pauseMs: Int64 = 100
    while true {
      do throws(AuthError) {
        do throws(AuthError) {
          return try await loadSession(isWaiting: false)
        } catch {
          guard settings.isHardened, !error.isRejection else { throw error }
          return try await read(keys.session).flatMap(AuthSession.init(stored:))
        }
      } catch {
        guard settings.isHardened, error != .gone, case .storage = error else { throw error }
        try await pause(pauseMs)
        pauseMs = min(pauseMs * 2, Self.pauseMaxMs)
      }
    }
  }

  /// Says that the session is over when the store has lost it under a running app (H-05).
  func noticeLoss() async throws(AuthError) {
    guard settings.isHardened, holdsSession else { return }
    holdsSession = false
    try await notify(.signedOut, nil)
  }

  /// Removes the session and says so, even if the store does not let go of it: then what it holds is
  /// made worthless (H-11).
  func removeSessionForSure() async throws(AuthError) {
    do throws(AuthError) {
      try await commit { () async throws(AuthError) in
        do throws(AuthError) {
          try await persistently { () async throws(AuthError) in try await remove(keys.session) }
        } catch {
          try await write(keys.session, .null)
        }
        try await removeVerifiers()
        try await remove(keys.user)
      }
    } catch {
      try await notify(.signedOut, nil)
      throw error
    }
    try await notify(.signedOut, nil)
  }

  /// Saves a session with a new user in it. The hardened client changes the session that is stored now:
  /// a refresh may have changed its tokens (H-25), or a sign-out have ended it (H-11).
  func save(
    _ user: AuthUser, in session: AuthSession
  ) async throws(AuthError) -> AuthSession {
    try await commit { () async throws(AuthError) in
      var session = settings.isHardened ? try await storedSession() : session
      session.json["user"] = .object(user.json)
      try await put(session)
      return session
    }
  }

  /// Saves a session that took the place of the stored one, unless a sign-out has ended that (H-11).
  func saveRaised(_ session: AuthSession) async throws(AuthError) {
    try await commit { () async throws(AuthError) in
      if settings.isHardened { _ = try await storedSession() }
      try await put(session)
    }
  }

  private func storedSession() async throws(AuthError) -> AuthSession {
    guard let session = try await read(keys.session).flatMap(AuthSession.init(stored:)) else {
      throw .sessionMissing
    }
    return session
  }

  /// The flow that a code without an id belongs to: the only one that is under way (H-17).
  func onlyFlow() async throws(AuthError) -> String? {
    let flows = try await flows()
    guard flows.count == 1 else { throw .verifierMissing }
    return flows.first
  }

  /// Removes what a password reset left that was ended by a typed code (H-17).
  func removeRecoveryFlows() async throws(AuthError) {
    for id in try await flows() {
      let verifier = try await read(keys.verifier(ofFlow: id))?.text ?? ""
      if verifier.hasSuffix("/\(Self.recoveryMark)") { try await removeVerifier(ofFlow: id) }
    }
  }

  /// Finds out whether a verification whose reply was lost has raised the session (H-28): the refresh
  /// also gets the new tokens while the old ones can still be changed.
  func recoverVerification(after failure: AuthError) async throws(AuthError) -> AuthSession {
    guard settings.isHardened, failure.isRetryable,
      let stored = try await read(keys.session).flatMap(AuthSession.init(stored:))
    else { throw failure }
    let session = try await refresh(stored.refreshToken)
    guard try AccessToken(session.accessToken).payload["aal"] == "aal2" else { throw failure }
    try await notify(.mfaChallengeVerified, session)
    return session
  }
}

extension AuthError {
  /// Whether the server has said that the session is over. A limit, a defect of the server or of
  /// somebody between says nothing of it (H-24).
  var endsSession: Bool {
    switch self {
    case .api(_, _, let code): code.map(Self.endings.contains) ?? false
    case .sessionMissing: true
    case .weakPassword, .retryableFetch, .unknown, .tokenResponse, .credentials, .invalidToken,
      .verifierMissing, .refreshDiscarded, .storage, .listener, .defect:
      false
    }
  }

  private static let endings: Set = [
    "refresh_token_already_used", "refresh_token_not_found", "session_expired", "user_banned",
    "user_not_found",
  ]
}
