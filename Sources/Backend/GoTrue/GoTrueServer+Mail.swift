import Crypto
import JSON
import Ports
import Wire

/// Codes on their way out: `POST /otp`, `/recover`, `/resend`, `GET /reauthenticate`.
extension GoTrueServer {
  /// `POST /otp`.
  func sendMagicLink(_ call: GoTrueCall) throws(GoTrueError) -> GoTrueAnswer {
    try requireCaptcha(call)
    guard settings.allowsEmail else {
      throw .error(422, .emailProviderDisabled, "Email logins are disabled")
    }
    guard let email = call.email else { throw .invalid("missing email or phone") }
    try requireAddress(email)
    try requireChallenge(call)
    var user = state.user(email: email)
    if user == nil {
      guard call.body["create_user"]?.bool ?? true, settings.allowsSignUp else {
        throw .error(422, .otpDisabled, "Signups not allowed for otp")
      }
      user = try addUser(
        email, password: nil, metadata: metadata(in: call), at: call.nowMs)
    }
    guard var user else { throw .unexpected }
    if user.confirmedMs == nil {
      guard !settings.confirmsEmail else {
        try mailConfirmation(user, call)
        return .json([:])
      }
      user = confirm(user, at: call.nowMs)
    }
    try mail(.recovery, "magiclink", to: user, flow: .magiclink, call)
    return .json([:])
  }

  /// `POST /recover`. An unknown address gets the same answer.
  func recover(_ call: GoTrueCall) throws(GoTrueError) -> GoTrueAnswer {
    try requireCaptcha(call)
    guard let email = call.email else { throw .invalid("Password recovery requires an email") }
    try requireAddress(email)
    try requireChallenge(call)
    if let user = state.user(email: email) {
      try mail(.recovery, "recovery", to: user, flow: .recovery, call)
    }
    return .json([:])
  }

  /// `POST /resend`. Unknown and confirmed accounts get the same answer.
  func resend(_ call: GoTrueCall) throws(GoTrueError) -> GoTrueAnswer {
    try requireCaptcha(call)
    guard let email = call.email else { throw .invalid("Type provided requires an email address") }
    switch call.text("type") ?? "" {
    case "signup":
      if let user = state.user(email: email), user.confirmedMs == nil {
        try mailConfirmation(user, call)
      }
    case "email_change":
      if let user = state.user(email: email), let newEmail = user.newEmail {
        try changeAddress(of: user, to: newEmail, call)
      }
    default:
      throw .invalid("Missing one of these types: signup, email_change, sms, phone_change")
    }
    return .json([:])
  }

  /// `GET /reauthenticate`.
  func reauthenticate(_ call: GoTrueCall) throws(GoTrueError) -> GoTrueAnswer {
    let user = try caller(call).user
    try mail(.reauthentication, "reauthentication", to: user, flow: nil, call)
    return .json([:])
  }

  func mailConfirmation(
    _ user: GoTrueState.User, _ call: GoTrueCall
  ) throws(GoTrueError) {
    try mail(.confirmation, "signup", to: user, flow: .signup, call)
  }

  /// Remembers the address that is to come, and mails to it, and to the old one if both count.
  func changeAddress(
    of user: GoTrueState.User, to email: String, _ call: GoTrueCall
  ) throws(GoTrueError) {
    try requireInterval(since: user.emailChangeSentMs, call)
    var user = user
    // The row may have changed since the caller was read.
    if let current = state.user(id: user.id) { user = current }
    user.newEmail = email
    user.emailChangeSentMs = nil
    state.update(user)
    if settings.confirmsBothAddresses {
      try mail(.emailChangeCurrent, "email_change", to: user, flow: .emailChange, call)
    }
    user.emailChangeSentMs = nil
    state.update(user)
    try mail(.emailChangeNew, "email_change", to: user, flow: .emailChange, call)
  }
}

extension GoTrueServer {
  /// Makes a code in the place of the one before, and mails it with its link.
  ///
  /// - Parameters:
  ///   - purpose: What the code is for.
  ///   - kind: The same in the words of `POST /verify`.
  ///   - user: Who gets it.
  ///   - start: What the link's code belongs to, if the request has a challenge.
  ///   - call: The request.
  /// - Throws: `over_email_send_rate_limit`.
  func mail(
    _ purpose: GoTrueState.OneTimeCode.Purpose, _ kind: String, to user: GoTrueState.User,
    flow start: GoTrueState.Flow.Start?, _ call: GoTrueCall
  ) throws(GoTrueError) {
    var user = user
    let sent = Self.sentMoment(of: purpose)
    if let sent { try requireInterval(since: user[keyPath: sent], call) }
    guard take(settings.mailLimit, "mail", at: call.nowMs) else {
      throw .error(429, .overEmailSendRateLimit, "email rate limit exceeded")
    }
    var code = GoTrueState.OneTimeCode()
    code.userID = user.id
    code.purpose = purpose
    code.email = purpose == .emailChangeNew ? user.newEmail ?? user.email : user.email
    code.sentMs = call.nowMs
    code.isPKCE = start != nil && call.text("code_challenge").map { !$0.isEmpty } ?? false
    let digits = Identifier.text(settings.codeLength, of: "0123456789", entropy)
    code.digest = try digest(of: digits, for: code.email)
    state.codes.removeAll { $0.userID == user.id && $0.purpose == purpose }
    state.codes.append(code)
    if let sent {
      user[keyPath: sent] = call.nowMs
      state.update(user)
    }
    if code.isPKCE, let start { addFlow(start, for: user, call) }
    var mail = GoTrueState.Mail()
    mail.to = code.email
    mail.kind = kind
    mail.code = digits
    mail.link = start == nil ? nil : link(code, kind, call)
    mail.sentMs = call.nowMs
    state.outbox.append(mail)
  }

  private static func sentMoment(
    of purpose: GoTrueState.OneTimeCode.Purpose
  ) -> WritableKeyPath<GoTrueState.User, Int64?>? {
    switch purpose {
    case .confirmation: \.confirmationSentMs
    case .recovery: \.recoverySentMs
    case .emailChangeCurrent, .emailChangeNew: \.emailChangeSentMs
    case .reauthentication: \.reauthenticationSentMs
    case .sensitive: nil
    }
  }

  /// One mail of a kind to an address in so many seconds.
  private func requireInterval(
    since sentMs: Int64?, _ call: GoTrueCall
  ) throws(GoTrueError) {
    guard let sentMs else { return }
    let leftMs = sentMs + settings.mailIntervalSeconds * 1000 - call.nowMs
    if leftMs > 0 { throw .tooSoon(seconds: leftMs / 1000) }
  }

  /// The mail for a reset has a fixed target, whatever the request asks for.
  private func link(
    _ code: GoTrueState.OneTimeCode, _ kind: String, _ call: GoTrueCall
  ) -> String {
    let target = kind == "recovery" ? settings.siteURL : redirect(call)
    let query = FormQuery([
      "token": (code.isPKCE ? Self.pkcePrefix : "") + code.digest, "type": kind,
      "redirect_to": target,
    ])
    return query.added(to: "\(externalURL(call))/auth/v1/verify")
  }

  static let pkcePrefix = "pkce_"

  func digest(of code: String, for email: String) throws(GoTrueError) -> String {
    let message = Array((email + code).utf8)
    return Hexadecimal.encode(try attempt { () throws(CryptoError) in try sha224(message) })
  }
}
