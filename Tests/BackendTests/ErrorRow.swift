import Backend
import Crypto
import JSON
import Ports
import Testing

/// One row of the table of errors: how to come by it.
struct ErrorRow: CustomTestStringConvertible, Sendable {
  let code: ErrorCode
  let status: Int
  let when: String
  let settings: @Sendable (inout GoTrueSettings) -> Void
  let provoke: @Sendable (GoTrueRig) throws -> GoTrueRig.Reply

  init(
    _ code: ErrorCode, _ status: Int, _ when: String,
    settings: @escaping @Sendable (inout GoTrueSettings) -> Void = { _ in },
    _ provoke: @escaping @Sendable (GoTrueRig) throws -> GoTrueRig.Reply
  ) {
    self.code = code
    self.status = status
    self.when = when
    self.settings = settings
    self.provoke = provoke
  }

  var testDescription: String { "\(code.rawValue) \(status): \(when)" }

  static let all = passwords + codes + tokens + sessions + updates + factors + flows + faults
}

extension ErrorRow {
  static let passwords: [ErrorRow] = [
    ErrorRow(.invalidCredentials, 400, "unknown address") { $0.signIn() },
    ErrorRow(.invalidCredentials, 400, "wrong password") {
      try $0.addAccount()
      return $0.signIn(password: "wrong")
    },
    ErrorRow(.invalidCredentials, 400, "no password in the request") {
      try $0.addAccount()
      return $0.post("/token?grant_type=password", ["email": .text(GoTrueRig.email)])
    },
    ErrorRow(.invalidCredentials, 400, "unknown grant") {
      $0.post("/token?grant_type=password2")
    },
    // R-SIGNIN-4: the password is looked at first.
    ErrorRow(.invalidCredentials, 400, "unconfirmed, wrong password") {
      $0.signUp()
      return $0.signIn(password: "wrong")
    },
    ErrorRow(.emailNotConfirmed, 400, "unconfirmed, right password") {
      $0.signUp()
      return $0.signIn()
    },
    ErrorRow(.userBanned, 400, "password") {
      try $0.addAccount()
      $0.ban()
      return $0.signIn()
    },
    ErrorRow(.captchaFailed, 400, "sign-in without", settings: { $0.captcha = "solved" }) {
      $0.signIn()
    },
    ErrorRow(.captchaFailed, 400, "a wrong one", settings: { $0.captcha = "solved" }) {
      $0.post("/signup", ["gotrue_meta_security": ["captcha_token": "guessed"]])
    },
    ErrorRow(.weakPassword, 422, "too short") { $0.signUp(password: "12345") },
    // H-21
    ErrorRow(.validationFailed, 400, "password over 72 bytes") {
      $0.signUp(password: String(repeating: "é", count: 37))
    },
    ErrorRow(.validationFailed, 400, "no address") { $0.post("/signup") },
    ErrorRow(.badJSON, 400, "a list") { $0.post("/signup", []) },
    ErrorRow(
      .userAlreadyExists, 422, "confirmed at once", settings: { $0.confirmsEmail = false }
    ) {
      try $0.addAccount()
      return $0.signUp()
    },
    ErrorRow(.signupDisabled, 422, "sign-up", settings: { $0.allowsSignUp = false }) {
      $0.signUp()
    },
    ErrorRow(.emailProviderDisabled, 422, "sign-in", settings: { $0.allowsEmail = false }) {
      $0.signIn()
    },
    ErrorRow(.emailProviderDisabled, 400, "sign-up", settings: { $0.allowsEmail = false }) {
      $0.signUp()
    },
  ]

  static let codes: [ErrorRow] = [
    ErrorRow(.otpExpired, 403, "wrong code") {
      $0.signUp()
      return $0.verify("signup", "000000x")
    },
    ErrorRow(.otpExpired, 403, "unknown address") { $0.verify("signup", "123456") },
    ErrorRow(.otpExpired, 403, "spent code") {
      $0.signUp()
      let code = try $0.mail().code
      try #require($0.verify("signup", code).status == 200)
      return $0.verify("signup", code)
    },
    ErrorRow(.otpExpired, 403, "late code", settings: { $0.codeSeconds = 60 }) {
      $0.signUp()
      $0.advance(seconds: 61)
      return $0.verify("signup", try $0.mail().code)
    },
    ErrorRow(.otpDisabled, 422, "code for nobody") {
      $0.post("/otp", ["email": "nobody@example.com", "create_user": false])
    },
    ErrorRow(
      .overEmailSendRateLimit, 429, "same address", settings: { $0.mailIntervalSeconds = 60 }
    ) {
      try $0.addAccount()
      $0.post("/recover", ["email": .text(GoTrueRig.email)])
      return $0.post("/recover", ["email": .text(GoTrueRig.email)])
    },
    ErrorRow(
      .overEmailSendRateLimit, 429, "all addresses",
      settings: { $0.mailLimit = RateLimit(count: 1, windowMs: 3_600_000, burst: 1) }
    ) {
      $0.signUp("one@example.com")
      return $0.signUp("two@example.com")
    },
    ErrorRow(
      .overRequestRateLimit, 429, "one address of the network",
      settings: {
        $0.limitsAddresses = true
        $0.verifyLimit = RateLimit(count: 30, windowMs: 300_000, burst: 1)
      }
    ) {
      $0.verify("signup", "123456")
      return $0.verify("signup", "123456")
    },
  ]

  static let tokens: [ErrorRow] = [
    ErrorRow(.refreshTokenNotFound, 400, "unknown") { $0.refresh("abcdefghijkl") },
    ErrorRow(.refreshTokenNotFound, 400, "session deleted") {
      try $0.addAccount()
      let token = $0.signIn().refresh
      $0.server.revokeSessions(of: GoTrueRig.email)
      return $0.refresh(token)
    },
    ErrorRow(.validationFailed, 400, "malformed") { $0.refresh("abc") },
    ErrorRow(.refreshTokenAlreadyUsed, 400, "two behind") {
      try $0.addAccount()
      let first = $0.signIn().refresh
      $0.refresh($0.refresh(first).refresh)
      $0.advance(seconds: 1)
      return $0.refresh(first)
    },
    ErrorRow(.sessionNotFound, 400, "a token without a session") {
      try $0.addAccount()
      let token = $0.signIn().refresh
      $0.server.state.sessions.removeAll()
      return $0.refresh(token)
    },
    ErrorRow(.userBanned, 400, "refresh") {
      try $0.addAccount()
      let token = $0.signIn().refresh
      $0.ban()
      return $0.refresh(token)
    },
  ]

  static let sessions: [ErrorRow] = [
    ErrorRow(.sessionExpired, 400, "timebox", settings: { $0.sessionTimeboxSeconds = 60 }) {
      try $0.addAccount()
      let token = $0.refresh($0.signIn().refresh).refresh
      $0.advance(seconds: 61)
      return $0.refresh(token)
    },
    ErrorRow(.sessionExpired, 400, "inactivity", settings: { $0.sessionInactivitySeconds = 60 }) {
      try $0.addAccount()
      let token = $0.signIn().refresh
      $0.advance(seconds: 61)
      return $0.refresh(token)
    },
    ErrorRow(.sessionExpired, 400, "low level", settings: { $0.lowAALSeconds = 60 }) {
      try $0.addAccount()
      _ = try $0.raise($0.signIn().access)
      let token = $0.signIn().refresh
      $0.advance(seconds: 61)
      return $0.refresh(token)
    },
    ErrorRow(.sessionExpired, 400, "newer sign-in", settings: { $0.allowsOneSession = true }) {
      try $0.addAccount()
      let token = $0.signIn().refresh
      $0.advance(seconds: 1)
      $0.signIn()
      return $0.refresh(token)
    },
    ErrorRow(.noAuthorization, 401, "no bearer") { $0.get("/user") },
    ErrorRow(.badJWT, 403, "garbage") { $0.get("/user", bearer: "a.b.c") },
    ErrorRow(.badJWT, 403, "expired") {
      try $0.addAccount()
      let access = $0.signIn().access
      $0.advance(seconds: 3601)
      return $0.get("/user", bearer: access)
    },
    ErrorRow(.userNotFound, 403, "deleted") {
      try $0.addAccount()
      let access = $0.signIn().access
      $0.server.state.users.removeAll()
      return $0.get("/user", bearer: access)
    },
    ErrorRow(.userBanned, 403, "bearer") {
      try $0.addAccount()
      let access = $0.signIn().access
      $0.ban()
      return $0.get("/user", bearer: access)
    },
    ErrorRow(.sessionNotFound, 403, "revoked") {
      try $0.addAccount()
      let access = $0.signIn().access
      $0.server.revokeSessions(of: GoTrueRig.email)
      return $0.get("/user", bearer: access)
    },
    ErrorRow(.validationFailed, 400, "unknown scope") {
      try $0.addAccount()
      return $0.post("/logout?scope=some", bearer: $0.signIn().access)
    },
  ]
}

extension GoTrueRig {
  func ban() {
    for index in server.state.users.indices { server.state.users[index].bannedUntilMs = .max }
  }

  func update(_ body: JSONValue, bearer: String) -> Reply {
    send("PUT", "/user", body, bearer: bearer)
  }
}
