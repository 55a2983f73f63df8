import Crypto
import JSON
import Wire

/// Signing up, signing in with a password, and the rules for both.
extension GoTrueServer {
  private static let passwordBytesMax = 72

  /// `POST /token`.
  func token(_ call: GoTrueCall) throws(GoTrueError) -> GoTrueAnswer {
    switch call.query["grant_type"] ?? "" {
    case "password": try signInWithPassword(call)
    case "refresh_token": try refresh(call)
    case "pkce": try exchange(call)
    case "id_token": try signInWithIdentityToken(call)
    default: throw .error(400, .invalidCredentials, "unsupported_grant_type")
    }
  }

  private func signInWithPassword(_ call: GoTrueCall) throws(GoTrueError) -> GoTrueAnswer {
    try requireCaptcha(call)
    guard settings.allowsEmail else {
      throw .error(422, .emailProviderDisabled, "Email logins are disabled")
    }
    guard let email = call.email else { throw .invalid("missing email or phone") }
    let password = call.text("password") ?? ""
    guard let user = state.user(email: email), let right = user.password else {
      throw .invalidCredentials
    }
    if isBanned(user, call) { throw .error(400, .userBanned, "User is banned") }
    guard try attempt({ () throws(CryptoError) in try right.fits(password) }) else {
      throw .invalidCredentials
    }
    guard user.confirmedMs != nil else {
      throw .error(400, .emailNotConfirmed, "Email not confirmed")
    }
    var reply = try signIn(user, by: .password, call)
    if let weakness = weakness(of: password) {
      reply["weak_password"] = [
        "message": .text(weakness.message),
        "reasons": .list(weakness.reasons.map(JSONValue.text)),
      ]
    }
    return .json(.object(reply))
  }

  /// `POST /signup`.
  func signUp(_ call: GoTrueCall) throws(GoTrueError) -> GoTrueAnswer {
    try requireCaptcha(call)
    guard settings.allowsSignUp else {
      throw .error(422, .signupDisabled, "Signups not allowed for this instance")
    }
    guard settings.allowsEmail else {
      throw .error(400, .emailProviderDisabled, "Email signups are disabled")
    }
    guard let email = call.email else { throw .invalid("missing email or phone") }
    guard let password = call.text("password"), !password.isEmpty else {
      throw .invalid("Signup requires a valid password")
    }
    try requireStrong(password)
    try requireAddress(email)
    try requireChallenge(call)
    let known = state.user(email: email)
    if let known, known.confirmedMs != nil {
      guard settings.confirmsEmail else {
        throw .error(422, .userAlreadyExists, "User already registered")
      }
      return .json(.object(madeUpUser(email, call)))
    }
    // An unconfirmed account keeps its password: nobody knows yet whose it is.
    let user: GoTrueState.User
    if let known {
      user = known
    } else {
      user = try addUser(
        email, password: password, metadata: metadata(in: call), at: call.nowMs)
    }
    return .json(.object(try confirmOrMail(user, call)))
  }

  private func confirmOrMail(
    _ user: GoTrueState.User, _ call: GoTrueCall
  ) throws(GoTrueError) -> JSONObject {
    guard settings.confirmsEmail else {
      return try signIn(confirm(user, at: call.nowMs), by: .password, call)
    }
    try mailConfirmation(user, call)
    return json(of: state.user(id: user.id) ?? user)
  }

  func metadata(in call: GoTrueCall) -> JSONObject { call.body["data"]?.object ?? JSONObject() }

  /// Makes an account that is not confirmed; without a password it is entered by codes or
  /// providers only.
  func addUser(
    _ email: String, password: String?, metadata: JSONObject, at nowMs: Int64
  ) throws(GoTrueError) -> GoTrueState.User {
    var user = GoTrueState.User()
    user.id = Identifier.uuid(entropy)
    user.email = email
    if let password { user.password = try digest(password) }
    user.metadata = metadata
    user.createdMs = nowMs
    user.updatedMs = nowMs
    state.users.append(user)
    addIdentity(user, provider: "email", subject: user.id, at: nowMs)
    return user
  }

  /// Confirms the address, and spends the code for it.
  func confirm(_ user: GoTrueState.User, at nowMs: Int64) -> GoTrueState.User {
    var user = user
    user.confirmedMs = user.confirmedMs ?? nowMs
    user.updatedMs = nowMs
    state.update(user)
    state.codes.removeAll { $0.userID == user.id && $0.purpose == .confirmation }
    for index in state.identities.indices where state.identities[index].userID == user.id {
      state.identities[index].data["email_verified"] = true
    }
    return user
  }

  /// Hides that an address is taken. The empty list of identities gives it away.
  private func madeUpUser(_ email: String, _ call: GoTrueCall) -> JSONObject {
    var user = GoTrueState.User()
    user.id = Identifier.uuid(entropy)
    user.email = email
    user.metadata = metadata(in: call)
    user.createdMs = call.nowMs
    user.updatedMs = call.nowMs
    user.confirmationSentMs = call.nowMs
    var reply = json(of: user)
    reply["role"] = ""
    reply["app_metadata"] = ["provider": "email", "providers": ["email"]]
    return reply
  }
}

// MARK: - Rules

extension GoTrueServer {
  func requireCaptcha(_ call: GoTrueCall) throws(GoTrueError) {
    guard let solved = settings.captcha else { return }
    let token = call.body["gotrue_meta_security"]?["captcha_token"]?.text
    guard token == solved else {
      let reason = token == nil ? "no captcha_token found in request" : "invalid-input-response"
      throw .error(
        400, .captchaFailed, "captcha protection: request disallowed (\(reason))")
    }
  }

  /// The form that the real server asks for: that of `<input type=email>`, with labels of up to 63.
  ///
  /// - Throws: `validation_failed`.
  func requireAddress(_ email: String) throws(GoTrueError) {
    guard email.utf8.count <= 255 else { throw .invalid("An email address is too long") }
    let parts = email.utf8.split(
      separator: UInt8(ascii: "@"), maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty,
      parts[0].allSatisfy({ Self.isAlphanumeric($0) || ".!#$%&'*+/=?^_`{|}~-".utf8.contains($0) }),
      parts[1].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        .allSatisfy(Self.isLabel)
    else { throw .invalid("Unable to validate email address: invalid format") }
  }

  /// Of a host: letters, digits and hyphens, none of these at its ends.
  private static func isLabel(_ label: Substring.UTF8View) -> Bool {
    let hyphen = UInt8(ascii: "-")
    return (1...63).contains(label.count) && label.first != hyphen && label.last != hyphen
      && label.allSatisfy { isAlphanumeric($0) || $0 == hyphen }
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }

  func requireStrong(_ password: String) throws(GoTrueError) {
    guard password.utf8.count <= Self.passwordBytesMax else {
      throw .invalid("Password cannot be longer than \(Self.passwordBytesMax) characters")
    }
    if let weakness = weakness(of: password) {
      throw .weakPassword(message: weakness.message, reasons: weakness.reasons)
    }
  }

  private func weakness(of password: String) -> (message: String, reasons: [String])? {
    var messages: [String] = []
    var reasons: [String] = []
    if password.utf8.count < settings.passwordLengthMin {
      reasons.append("length")
      messages.append("Password should be at least \(settings.passwordLengthMin) characters.")
    }
    let classes = settings.passwordCharacters.classes
    if !classes.allSatisfy({ characters in password.contains { characters.contains($0) } }) {
      reasons.append("characters")
      messages.append(
        "Password should contain at least one character of each: "
          + classes.joined(separator: ", ") + ".")
    }
    if settings.leakedPasswords.contains(password) {
      reasons.append("pwned")
      messages.append(
        "Password is known to be weak and easy to guess, please choose a different one.")
    }
    return reasons.isEmpty ? nil : (messages.joined(separator: " "), reasons)
  }
}
