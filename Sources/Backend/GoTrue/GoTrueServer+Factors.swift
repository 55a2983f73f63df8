import Crypto
import JSON
import Ports
import Wire

/// Time-based codes as a second factor: `/factors`.
extension GoTrueServer {
  /// `POST /factors`.
  func enrol(_ call: GoTrueCall) throws(GoTrueError) -> GoTrueAnswer {
    let caller = try caller(call)
    guard call.text("factor_type") == "totp" else {
      throw .invalid("factor_type needs to be totp, phone, or webauthn")
    }
    purgeFactors(call)
    let name = call.text("friendly_name") ?? ""
    let factors = state.factors(of: caller.user.id)
    if factors.contains(where: { $0.name == name }) {
      throw .error(
        422, .mfaFactorNameConflict,
        "A factor with the friendly name \"\(name)\" for this user already exists")
    }
    guard factors.count < settings.factorsMax else {
      throw .error(
        422, .tooManyFactors, "Maximum number of verified factors reached, unenroll to continue")
    }
    if factors.contains(where: \.isVerified) && !caller.session.isAAL2 {
      throw .error(403, .insufficientAAL, "AAL2 required to enroll a new factor")
    }
    let factor = addFactor(named: name, of: caller.user, at: call.nowMs)
    let site = settings.siteURL.split(separator: "/").dropFirst().first.map(String.init)
    let issuer = call.text("issuer").flatMap { $0.isEmpty ? nil : $0 } ?? site ?? ""
    let uri = Self.uri(of: factor, issuer: issuer, account: caller.user.email)
    return .json([
      "id": .text(factor.id), "type": "totp", "friendly_name": .text(name),
      "totp": [
        "qr_code": .text(Self.image(of: uri)), "secret": .text(factor.secret), "uri": .text(uri),
      ],
    ])
  }

  func addFactor(
    named name: String, of user: GoTrueState.User, at nowMs: Int64
  ) -> GoTrueState.Factor {
    var factor = GoTrueState.Factor()
    factor.id = Identifier.uuid(entropy)
    factor.userID = user.id
    factor.name = name
    factor.secret = Base32.encode(entropy.bytes(20))
    factor.createdMs = nowMs
    factor.updatedMs = nowMs
    state.factors.append(factor)
    return factor
  }

  /// Old unverified factors go, but only those that were never challenged.
  private func purgeFactors(_ call: GoTrueCall) {
    let challenged = Set(state.challenges.map(\.factorID))
    let limitMs = call.nowMs - settings.factorSeconds * 1000
    state.removeFactors {
      !$0.isVerified && $0.createdMs < limitMs && !challenged.contains($0.id)
    }
  }

  private static func uri(
    of factor: GoTrueState.Factor, issuer: String, account: String
  ) -> String {
    let label = "\(FormText.encodeComponent(issuer)):\(FormText.encodeComponent(account))"
    let query = [
      "algorithm=SHA1", "digits=6", "issuer=\(FormText.encodeComponent(issuer))", "period=30",
      "secret=\(factor.secret)",
    ]
    return "otpauth://totp/\(label)?\(query.joined(separator: "&"))"
  }

  /// No real image: nobody here scans it, and the app shows none.
  private static func image(of uri: String) -> String {
    let text = uri.split(separator: "&", omittingEmptySubsequences: false)
      .joined(separator: "&amp;")
    return #"<svg xmlns="http://www.w3.org/2000/svg"><desc>\#(text)</desc></svg>"#
  }

  /// `POST /factors/{id}/challenge`.
  func challenge(_ call: GoTrueCall) throws(GoTrueError) -> GoTrueAnswer {
    var factor = try factor(call, of: try caller(call).user)
    var challenge = GoTrueState.Challenge()
    challenge.id = Identifier.uuid(entropy)
    challenge.factorID = factor.id
    challenge.address = call.address
    challenge.createdMs = call.nowMs
    state.challenges.append(challenge)
    factor.lastChallengedMs = call.nowMs
    state.update(factor)
    return .json([
      "id": .text(challenge.id), "type": "totp",
      "expires_at": .integer(call.nowSeconds + settings.challengeSeconds),
    ])
  }

  /// `DELETE /factors/{id}`.
  func unenrol(_ call: GoTrueCall) throws(GoTrueError) -> GoTrueAnswer {
    let caller = try caller(call)
    let factor = try factor(call, of: caller.user)
    if factor.isVerified && !caller.session.isAAL2 {
      throw .error(422, .insufficientAAL, "AAL2 required to unenroll verified factor")
    }
    state.removeFactors { $0.id == factor.id }
    return .json(["id": .text(factor.id)])
  }

  private func factor(
    _ call: GoTrueCall, of user: GoTrueState.User
  ) throws(GoTrueError) -> GoTrueState.Factor {
    guard Identifier.isUUID(call.id) else {
      throw .error(404, .validationFailed, "factor_id must be an UUID")
    }
    guard let factor = state.factors(of: user.id).first(where: { $0.id == call.id }) else {
      throw .error(404, .mfaFactorNotFound, "Factor not found")
    }
    return factor
  }
}

extension GoTrueServer {
  /// `POST /factors/{id}/verify`: raises the session, and ends all that stay below.
  func verifyFactor(_ call: GoTrueCall) throws(GoTrueError) -> GoTrueAnswer {
    let caller = try caller(call)
    var factor = try factor(call, of: caller.user)
    var challenge = try openChallenge(of: factor, call)
    let code = call.text("code") ?? ""
    if settings.factorHook == .rejects {
      state.endSessions { $0.userID == caller.user.id }
      throw .error(
        403, .mfaVerificationRejected,
        "Further MFA verification attempts will be rejected.")
    }
    let secret = Base32.decode(factor.secret) ?? []
    let isRight = try attempt { () throws(CryptoError) in
      try TimeBasedCode.isCode(code, secret: secret, at: call.nowSeconds)
    }
    guard isRight else {
      throw .error(422, .mfaVerificationFailed, "Invalid TOTP code entered")
    }
    challenge.isUsed = true
    state.update(challenge)
    factor.isVerified = true
    factor.updatedMs = call.nowMs
    state.update(factor)
    let session = raise(caller.session, with: factor, call)
    state.endSessions { $0.userID == caller.user.id && !$0.isAAL2 }
    state.removeFactors { $0.userID == caller.user.id && !$0.isVerified }
    let token = try nextToken(of: session, call)
    return .json(.object(try tokenReply(caller.user, session, refreshToken: token, call)))
  }

  /// A challenge is for one use, from the address that asked for it, and for a while.
  private func openChallenge(
    of factor: GoTrueState.Factor, _ call: GoTrueCall
  ) throws(GoTrueError) -> GoTrueState.Challenge {
    let id = call.text("challenge_id") ?? ""
    let found = state.challenges.first { $0.id == id && $0.factorID == factor.id }
    guard let challenge = found else {
      throw .error(
        422, .mfaFactorNotFound, "MFA factor with the provided challenge ID not found")
    }
    guard !challenge.isUsed, challenge.address == call.address else {
      throw .error(
        422, .mfaAddressMismatch, "Challenge and verify IP addresses mismatch.")
    }
    guard call.nowMs <= challenge.createdMs + settings.challengeSeconds * 1000 else {
      state.challenges.removeAll { $0.id == id }
      throw .error(
        422, .mfaChallengeExpired,
        "MFA challenge \(id) has expired, verify against another challenge or create a new one.")
    }
    return challenge
  }

  private func raise(
    _ session: GoTrueState.Session, with factor: GoTrueState.Factor, _ call: GoTrueCall
  ) -> GoTrueState.Session {
    var session = session
    session.methods.removeAll { $0.name == .totp }
    session.methods.insert(.init(.totp, at: call.nowMs), at: 0)
    session.factorID = factor.id
    session.refreshedMs = call.nowMs
    // Two steps, so that a token from before cannot pass for one whose answer was lost.
    session.counter = session.counter.map { $0 + 2 }
    state.update(session)
    return session
  }

  private func nextToken(
    of session: GoTrueState.Session, _ call: GoTrueCall
  ) throws(GoTrueError) -> String {
    if let counter = session.counter { return try countedToken(session.id, counter) }
    guard let active = activeToken(of: session.id) else {
      return makeRefreshToken(session.id, parent: nil)
    }
    return replace(active, at: call.nowMs)
  }
}
