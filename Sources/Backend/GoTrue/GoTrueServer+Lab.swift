import JSON
import Ports
import Wire

/// What those who test see and do: `/lab`, and the same in process. (Faults stand in front of it.)
extension GoTrueServer {
  func handleLab(_ call: GoTrueCall) throws(GoTrueError) -> GoTrueAnswer {
    switch call.route {
    case "GET /outbox":
      let mails = state.outbox.filter { $0.to == call.query["to"] ?? $0.to }
      return .json(.list(mails.map(\.stored)))
    case "POST /identity-token":
      let token: String
      do {
        token = try identityToken(
          call.text("provider") ?? "apple", email: call.text("email") ?? settings.providerEmail,
          audience: call.text("audience") ?? settings.clientIDs.first ?? "",
          nonce: call.text("nonce"))
      } catch {
        throw .unexpected
      }
      return .json(["id_token": .text(token)])
    default:
      throw .unknownRoute
    }
  }
}

extension GoTrueServer {
  /// An account as it would be after a sign-up and its confirmation; for scenarios that begin
  /// later.
  package func addAccount(_ email: String, password: String) throws {
    let user = try addUser(
      email.lowercased(), password: password, metadata: JSONObject(), at: nowMs)
    _ = confirm(user, at: nowMs)
  }

  /// Gives an account a factor that was verified long before.
  package func addFactor(to email: String) {
    guard let user = state.user(email: email.lowercased()) else { return }
    var factor = addFactor(named: "phone", of: user, at: nowMs)
    factor.isVerified = true
    state.update(factor)
  }

  /// Invites an address to a workspace; gives the invitation's id.
  package func invite(_ email: String, to workspace: String) -> String {
    var invitation = GoTrueState.Invitation()
    invitation.id = Identifier.uuid(entropy)
    invitation.email = email.lowercased()
    invitation.workspace = workspace
    invitation.token = Identifier.uuid(entropy)
    state.invitations.append(invitation)
    return invitation.id
  }

  /// Ends all sessions of a user, as their administrator would.
  package func revokeSessions(of email: String) {
    guard let user = state.user(email: email) else { return }
    state.endSessions { $0.userID == user.id }
  }

  /// Refreshes a session somewhere else, as a second copy of the app would.
  package func rotateElsewhere(_ session: String, times: Int = 1) {
    guard var row = state.session(id: session) else { return }
    for _ in 0..<times {
      if let active = activeToken(of: session) { _ = replace(active, at: nowMs) }
    }
    row.counter = row.counter.map { $0 + Int64(times) }
    row.refreshedMs = nowMs
    state.update(row)
  }
}

// MARK: - For those who judge

extension GoTrueServer {
  /// What a refresh token is worth to whoever holds it.
  package enum Standing: Equatable, Sendable {
    case newest
    /// Older, and a refresh with it gives the newest again.
    case forgiven
    /// A refresh with it ends the session, or the session has ended.
    case ended
  }

  /// How a session stands for somebody.
  ///
  /// - Parameters:
  ///   - session: The session's id.
  ///   - isHeld: Whether a token is the one that they hold.
  /// - Returns: What it is worth now.
  /// - Throws: ``GoTrueError`` when the crypto library fails, or what `isHeld` throws.
  package func standing(
    of session: String, holding isHeld: (String) throws -> Bool
  ) throws -> Standing {
    guard let row = state.session(id: session), let newest = try newestToken(of: session) else {
      return .ended
    }
    if try isHeld(newest) { return .newest }
    if let counter = row.counter {
      let isLast = counter > 0 ? try isHeld(countedToken(session, counter - 1)) : false
      let isRecent = nowMs - row.refreshedMs < settings.reuseSeconds * 1000
      return isLast && settings.forgivesLostReply || isRecent ? .forgiven : .ended
    }
    guard let held = try state.refreshTokens.first(where: { try isHeld($0.token) }) else {
      return .ended
    }
    let isRecent = held.revokedMs.map { nowMs <= $0 + settings.reuseSeconds * 1000 } ?? true
    let isLast = activeToken(of: session)?.parent == held.token
    return isLast && settings.forgivesLostReply || isRecent ? .forgiven : .ended
  }

  /// The refresh token that a session has now; `nil` when it has ended, or its tokens are revoked.
  ///
  /// - Throws: ``GoTrueError`` when the crypto library fails.
  package func newestToken(of session: String) throws -> String? {
    if let counter = state.session(id: session)?.counter {
      return try countedToken(session, counter)
    }
    return activeToken(of: session)?.token
  }
}
