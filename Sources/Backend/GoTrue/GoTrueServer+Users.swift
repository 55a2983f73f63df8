import Crypto
import JSON
import Ports
import Wire

/// Accounts as replies show them, and `GET` and `PUT /user`.
extension GoTrueServer {
  func json(of user: GoTrueState.User) -> JSONObject {
    let factors = state.factors(of: user.id)
    var members = JSONObject()
    members["id"] = .text(user.id)
    members["aud"] = "authenticated"
    members["role"] = "authenticated"
    members["email"] = .text(user.email)
    members["phone"] = ""
    members["email_confirmed_at"] = moment(user.confirmedMs)
    members["confirmed_at"] = moment(user.confirmedMs)
    members["confirmation_sent_at"] = moment(user.confirmationSentMs)
    members["recovery_sent_at"] = moment(user.recoverySentMs)
    members["email_change_sent_at"] = moment(user.emailChangeSentMs)
    members["new_email"] = user.newEmail.map(JSONValue.text)
    members["last_sign_in_at"] = moment(user.lastSignInMs)
    members["app_metadata"] = .object(applicationMetadata(of: user))
    members["user_metadata"] = .object(user.metadata)
    if !factors.isEmpty { members["factors"] = .list(factors.map { json(of: $0) }) }
    members["identities"] = .list(identities(of: user).map { json(of: $0, user) })
    members["created_at"] = moment(user.createdMs)
    members["updated_at"] = moment(user.updatedMs)
    members["is_anonymous"] = false
    return members
  }

  func applicationMetadata(of user: GoTrueState.User) -> JSONObject {
    let providers = identities(of: user).map { JSONValue.text($0.provider) }
    var metadata = JSONObject()
    metadata["provider"] = providers.first
    metadata["providers"] = .list(providers)
    return metadata
  }

  private func identities(of user: GoTrueState.User) -> [GoTrueState.Identity] {
    state.identities.filter { $0.userID == user.id }
  }

  private func json(of factor: GoTrueState.Factor) -> JSONValue {
    [
      "id": .text(factor.id), "friendly_name": .text(factor.name), "factor_type": "totp",
      "status": factor.isVerified ? "verified" : "unverified", "phone": nil,
      "created_at": moment(factor.createdMs) ?? nil,
      "updated_at": moment(factor.updatedMs) ?? nil,
      "last_challenged_at": moment(factor.lastChallengedMs) ?? nil,
    ]
  }

  private func json(of identity: GoTrueState.Identity, _ user: GoTrueState.User) -> JSONValue {
    let created = moment(identity.createdMs) ?? nil
    return [
      "identity_id": .text(identity.id), "id": .text(identity.subject),
      "user_id": .text(user.id), "identity_data": .object(identity.data),
      "provider": .text(identity.provider), "email": .text(identity.email),
      "created_at": created, "updated_at": created,
      "last_sign_in_at": moment(user.lastSignInMs) ?? created,
    ]
  }

  func moment(_ milliseconds: Int64?) -> JSONValue? {
    milliseconds.map { .text(Instant(ms: $0).isoText) }
  }

  func addIdentity(
    _ user: GoTrueState.User, provider: String, subject: String, at nowMs: Int64
  ) {
    var identity = GoTrueState.Identity()
    identity.id = Identifier.uuid(entropy)
    identity.userID = user.id
    identity.provider = provider
    identity.subject = subject
    identity.email = user.email
    identity.data = user.metadata
    identity.data["sub"] = .text(subject)
    identity.data["email"] = .text(user.email)
    identity.data["email_verified"] = .bool(user.confirmedMs != nil)
    identity.data["phone_verified"] = false
    identity.createdMs = nowMs
    state.identities.append(identity)
  }
}

extension GoTrueServer {
  func readUser(_ call: GoTrueCall) throws(GoTrueError) -> GoTrueAnswer {
    .json(.object(json(of: try caller(call).user)))
  }

  /// `PUT /user`. The order of the checks is the real one's.
  func updateUser(_ call: GoTrueCall) throws(GoTrueError) -> GoTrueAnswer {
    let caller = try caller(call)
    let password = call.text("password").flatMap { $0.isEmpty ? nil : $0 }
    let email = call.email.flatMap { $0 == caller.user.email ? nil : $0 }
    if let email { try requireAddress(email) }
    if let password { try requireStrong(password) }
    let isProtected = state.hasVerifiedFactor(caller.user.id) && !caller.session.isAAL2
    if isProtected && (password != nil || email != nil) {
      throw .error(
        401, .insufficientAAL,
        "AAL2 session is required to update email or password when MFA is enabled.")
    }
    if let email, state.user(email: email) != nil {
      throw .error(
        422, .emailExists, "A user with this email address has already been registered")
    }
    if let password { try requireChangeable(password, caller, call) }
    if let password { try set(password, caller) }
    if let email { try changeAddress(of: caller.user, to: email, call) }
    guard var user = state.user(id: caller.user.id) else { throw .unexpected }
    for member in call.body["data"]?.object?.members ?? [] {
      // As the real one merges: `null` removes.
      let value: JSONValue? = member.value == .null ? Optional.none : member.value
      user.metadata[member.key] = value
    }
    user.updatedMs = call.nowMs
    state.update(user)
    return .json(.object(json(of: user)))
  }

  private func requireChangeable(
    _ password: String, _ caller: Caller, _ call: GoTrueCall
  ) throws(GoTrueError) {
    let isOld = call.nowMs - caller.session.createdMs > 86_400_000
    if settings.requiresReauthentication && isOld {
      guard let nonce = call.text("nonce"), !nonce.isEmpty else {
        throw .error(
          400, .reauthenticationNeeded, "Password update requires reauthentication")
      }
      guard try spend([.reauthentication], nonce, of: caller.user, call) != nil else {
        throw .error(422, .reauthenticationNotValid, "Nonce has expired or is invalid")
      }
    }
    guard let old = caller.user.password else { return }
    // Whoever has come by a code cannot be asked for what they have forgotten.
    let isRecovery = caller.session.methods.contains { $0.name == .otp }
    if settings.requiresCurrentPassword && !isRecovery {
      guard let current = call.text("current_password"), !current.isEmpty else {
        throw .error(
          400, .currentPasswordRequired, "Current password required when setting new password.")
      }
      guard try attempt({ () throws(CryptoError) in try old.fits(current) }) else {
        throw .error(
          400, .currentPasswordInvalid, "Current password required when setting new password.")
      }
    }
    if try attempt({ () throws(CryptoError) in try old.fits(password) }) {
      throw .error(
        422, .samePassword, "New password should be different from the old password.")
    }
  }

  /// Spends all codes of the user, and ends their other sessions.
  private func set(_ password: String, _ caller: Caller) throws(GoTrueError) {
    guard var user = state.user(id: caller.user.id) else { throw .unexpected }
    user.password = try digest(password)
    user.confirmationSentMs = nil
    user.recoverySentMs = nil
    user.emailChangeSentMs = nil
    user.reauthenticationSentMs = nil
    state.codes.removeAll { $0.userID == user.id }
    state.endSessions { $0.userID == user.id && $0.id != caller.session.id }
    state.update(user)
  }

  func digest(_ password: String) throws(GoTrueError) -> PasswordDigest {
    let entropy = entropy
    return try attempt { () throws(CryptoError) in try PasswordDigest(password, entropy) }
  }
}
