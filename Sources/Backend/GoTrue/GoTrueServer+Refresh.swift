import Crypto
import JSON
import Ports

/// `POST /token?grant_type=refresh_token`, by both algorithms.
extension GoTrueServer {
  /// What a refresh token names.
  private enum Shown {
    case opaque(GoTrueState.RefreshToken)
    case counted(Int64)
  }

  func refresh(_ call: GoTrueCall) throws(GoTrueError) -> GoTrueAnswer {
    let (shown, session, user) = try find(call.text("refresh_token") ?? "", call)
    try requireValid(session, user, call)
    var token: String
    switch shown {
    case .opaque(let old): token = try rotate(old, call)
    case .counted(let counter): token = try count(session, showing: counter, call)
    }
    // Counting has changed the row.
    guard var refreshed = state.session(id: session.id) else { throw .sessionGone }
    refreshed.refreshedMs = call.nowMs
    state.update(refreshed)
    return .json(.object(try tokenReply(user, refreshed, refreshToken: token, call)))
  }

  private func find(
    _ text: String, _ call: GoTrueCall
  ) throws(GoTrueError) -> (Shown, GoTrueState.Session, GoTrueState.User) {
    guard !text.isEmpty else {
      throw .oauth(error: "invalid_request", description: "refresh_token required")
    }
    let unknown = GoTrueError.error(
      400, .refreshTokenNotFound, "Invalid Refresh Token: Refresh Token Not Found")
    let shown: Shown
    let sessionID: String
    if text.utf8.count == Self.opaqueLength {
      guard let token = state.refreshTokens.first(where: { $0.token == text }) else {
        throw unknown
      }
      (shown, sessionID) = (.opaque(token), token.sessionID)
    } else {
      let (id, counter) = try readCountedToken(text)
      (shown, sessionID) = (.counted(counter), id)
    }
    guard let session = state.session(id: sessionID) else {
      guard case .opaque(let token) = shown else { throw unknown }
      state.refreshTokens.removeAll { $0.token == token.token }
      throw .error(400, .sessionNotFound, "Invalid Refresh Token: No Valid Session Found")
    }
    guard let user = state.user(id: session.userID) else { throw unknown }
    if isBanned(user, call) {
      throw .error(400, .userBanned, "Invalid Refresh Token: User Banned")
    }
    return (shown, session, user)
  }

  /// The limits of sessions, which only a refresh enforces.
  private func requireValid(
    _ session: GoTrueState.Session, _ user: GoTrueState.User, _ call: GoTrueCall
  ) throws(GoTrueError) {
    func expired(_ reason: String) -> GoTrueError {
      .error(400, .sessionExpired, "Invalid Refresh Token: Session Expired\(reason)")
    }
    func isOver(_ limit: Int64?, since startMs: Int64) -> Bool {
      limit.map { call.nowMs - startMs > $0 * 1000 } ?? false
    }
    if isOver(settings.sessionTimeboxSeconds, since: session.createdMs) { throw expired("") }
    if isOver(settings.sessionInactivitySeconds, since: session.refreshedMs) {
      throw expired(" (Inactivity)")
    }
    let isLow = !session.isAAL2 && state.hasVerifiedFactor(user.id)
    if isLow, isOver(settings.lowAALSeconds, since: session.createdMs) {
      throw expired(" (Low AAL: User Needs MFA Verification)")
    }
    let isOlder = state.sessions.contains {
      $0.userID == user.id && $0.id != session.id && $0.refreshedMs > session.refreshedMs
    }
    if settings.allowsOneSession && isOlder { throw expired(" (Revoked by Newer Login)") }
  }

  private static let alreadyUsed = GoTrueError.error(
    400, .refreshTokenAlreadyUsed, "Invalid Refresh Token: Already Used")
}

// MARK: - Version 1

extension GoTrueServer {
  private static let opaqueLength = 12

  func makeRefreshToken(_ session: String, parent: String?) -> String {
    var token = GoTrueState.RefreshToken()
    token.token = Identifier.text(
      Self.opaqueLength, of: "abcdefghijklmnopqrstuvwxyz0123456789", entropy)
    token.sessionID = session
    token.parent = parent
    state.refreshTokens.append(token)
    return token.token
  }

  /// The token that the client gets for one that it shows.
  ///
  /// - Throws: `refresh_token_already_used`; with rotation all tokens of the session are revoked
  ///   then, while the session stays.
  private func rotate(
    _ shown: GoTrueState.RefreshToken, _ call: GoTrueCall
  ) throws(GoTrueError) -> String {
    if let revokedMs = shown.revokedMs {
      // The client could not store the answer to its last refresh.
      if settings.forgivesLostReply, let active = activeToken(of: shown.sessionID),
        active.parent == shown.token
      {
        return active.token
      }
      guard call.nowMs <= revokedMs + settings.reuseSeconds * 1000 else {
        if settings.rotatesRefreshTokens { revokeTokens(of: shown.sessionID, call) }
        throw Self.alreadyUsed
      }
    }
    return replace(shown, at: call.nowMs)
  }

  /// Revokes a token, and makes its child.
  func replace(_ token: GoTrueState.RefreshToken, at nowMs: Int64) -> String {
    for index in state.refreshTokens.indices
    where state.refreshTokens[index].token == token.token && token.revokedMs == nil {
      state.refreshTokens[index].revokedMs = nowMs
    }
    return makeRefreshToken(token.sessionID, parent: token.token)
  }

  func activeToken(of session: String) -> GoTrueState.RefreshToken? {
    state.refreshTokens.last { $0.sessionID == session && $0.revokedMs == nil }
  }

  private func revokeTokens(of session: String, _ call: GoTrueCall) {
    for index in state.refreshTokens.indices
    where state.refreshTokens[index].sessionID == session
      && state.refreshTokens[index].revokedMs == nil
    {
      state.refreshTokens[index].revokedMs = call.nowMs
    }
  }
}

// MARK: - Version 2

extension GoTrueServer {
  /// The token for a counter that the client gets for one that it shows.
  ///
  /// - Throws: `refresh_token_already_used`; with rotation the session is gone then.
  private func count(
    _ session: GoTrueState.Session, showing shown: Int64, _ call: GoTrueCall
  ) throws(GoTrueError) -> String {
    let current = session.counter ?? 0
    guard shown <= current else {
      throw .invalid("Invalid Refresh Token: Not Issued By This Server")
    }
    if shown == current {
      var session = session
      session.counter = current + 1
      state.update(session)
      return try countedToken(session.id, current + 1)
    }
    let isRecent = abs(call.nowMs - session.refreshedMs) < settings.reuseSeconds * 1000
    let isLost = settings.forgivesLostReply && current - shown == 1
    if isLost || isRecent || settings.alwaysAllowsReuse {
      return try countedToken(session.id, current)
    }
    if settings.rotatesRefreshTokens { state.endSessions { $0.id == session.id } }
    throw Self.alreadyUsed
  }

  /// A version byte, the session's id and the counter, signed.
  func countedToken(_ session: String, _ counter: Int64) throws(GoTrueError) -> String {
    let count = UInt64(bitPattern: counter)
    let message =
      [0] + Array(session.utf8)
      + (0..<8).map { UInt8(truncatingIfNeeded: count >> (56 - 8 * UInt64($0))) }
    let key = signingKey
    let code = try attempt { () throws(CryptoError) in
      try HMACSHA256.code(for: message, key: key)
    }
    return Base64URL.encode(message + code.prefix(16))
  }

  /// - Throws: `validation_failed` for what no server of this kind has made.
  func readCountedToken(_ text: String) throws(GoTrueError) -> (String, Int64) {
    let malformed = GoTrueError.invalid("Refresh token is not valid")
    let bytes: [UInt8]
    do {
      bytes = try Base64URL.decode(text)
    } catch {
      throw malformed
    }
    guard bytes.count == 1 + 36 + 8 + 16 else { throw malformed }
    let session = String(decoding: bytes[1..<37], as: UTF8.self)
    let counter = bytes[37..<45].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard try countedToken(session, Int64(bitPattern: counter)) == text else { throw malformed }
    return (session, Int64(bitPattern: counter))
  }
}
