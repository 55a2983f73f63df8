import Backend
import JSON
import Ports
import Testing

@Suite struct `One-time codes` {
  private static let mail: JSONValue = ["email": .text(GoTrueRig.email)]

  // R-OTP-1, R-OTP-13: one token backs both.
  @Test func `and their links spend each other`() throws {
    let rig = GoTrueRig()
    rig.signUp()
    let mail = try rig.mail()
    let opened = try rig.follow(mail.link)
    #expect(opened.status == 303)
    #expect(opened.location.hasPrefix("http://localhost:3000#access_token="))
    #expect(rig.verify("signup", mail.code).code == "otp_expired")
    try rig.addAccount("b@example.com")
    rig.post("/recover", ["email": "b@example.com"])
    let other = try rig.mail(to: "b@example.com")
    #expect(rig.verify("recovery", other.code, email: "b@example.com").status == 200)
    #expect(try rig.follow(other.link).location.contains("error_code=otp_expired"))
  }

  // The browser's session is not the app's; the app may sign in.
  @Test func `that a link has spent leave signing in`() throws {
    let rig = GoTrueRig()
    rig.signUp()
    #expect(rig.signIn().code == "email_not_confirmed")
    _ = try rig.follow(try rig.mail().link)
    #expect(rig.signIn().status == 200)
  }

  // R-OTP-3
  @Test func `for a recovery are good for a magic link, and the other way round`() throws {
    let rig = GoTrueRig()
    try rig.addAccount()
    rig.post("/recover", Self.mail)
    #expect(rig.verify("signup", try rig.mail().code).code == "otp_expired")
    #expect(rig.verify("magiclink", try rig.mail().code).status == 200)
    rig.post("/otp", Self.mail)
    #expect(rig.verify("recovery", try rig.mail().code).status == 200)
    rig.post("/otp", Self.mail)
    #expect(rig.verify("email", try rig.mail().code).status == 200)
  }

  @Test func `for a confirmation are good for nothing else`() throws {
    let rig = GoTrueRig()
    rig.signUp()
    for kind in ["recovery", "magiclink", "email_change"] {
      #expect(rig.verify(kind, try rig.mail().code).code == "otp_expired", "\(kind)")
    }
    #expect(rig.verify("email", try rig.mail().code).status == 200)
  }

  // R-OTP-9: only the clock and the limiter bound guessing.
  @Test func `are not burned by wrong guesses`() throws {
    let rig = GoTrueRig()
    rig.signUp()
    for guess in 0..<100 { #expect(rig.verify("signup", "x\(guess)").status == 403) }
    #expect(rig.verify("signup", try rig.mail().code).status == 200)
  }

  // R-OTP-9
  @Test func `are guessed at most so often from one address`() throws {
    let rig = GoTrueRig { $0.limitsAddresses = true }
    let results = (0..<40).map { rig.verify("signup", "\($0)").status }
    #expect(results == Array(repeating: 403, count: 30) + Array(repeating: 429, count: 10))
    rig.advance(seconds: 10)
    #expect(rig.verify("signup", "1").status == 403)
    #expect(rig.verify("signup", "1").status == 429)
    rig.address = "10.0.0.2"
    #expect(rig.verify("signup", "1").status == 403)
  }

  // R-OTP-9: in the hour of a code 390 of a million guesses, unless they come from many places.
  @Test func `bound a guesser by their lifetime and the limiter`() {
    let limit = GoTrueSettings.hosted.verifyLimit
    let lifetimeMs = GoTrueSettings.hosted.codeSeconds * 1000
    var bucket = RateBucket("guesser", limit, at: 0)
    let guesses = stride(from: 0, through: lifetimeMs, by: 500).count {
      bucket.take(limit, at: $0)
    }
    #expect(guesses == limit.burst + lifetimeMs * limit.count / limit.windowMs && guesses == 390)
  }

  @Test func `are replaced by the next`() throws {
    let rig = GoTrueRig()
    try rig.addAccount()
    rig.post("/recover", Self.mail)
    let old = try rig.mail().code
    rig.post("/recover", Self.mail)
    #expect(rig.verify("recovery", old).code == "otp_expired")
    #expect(rig.verify("recovery", try rig.mail().code).status == 200)
  }

  @Test func `are good up to their last second`() throws {
    for (seconds, status) in [(3600, 200), (3601, 403)] as [(Int64, Int)] {
      let rig = GoTrueRig { $0.codeSeconds = 3600 }
      rig.signUp()
      rig.advance(seconds: seconds)
      #expect(rig.verify("signup", try rig.mail().code).status == status, "\(seconds)")
    }
  }

  @Test(arguments: [(6, 6), (8, 8), (10, 10), (5, 6), (11, 6)])
  func `have the configured length, if that is a legal one`(digits: Int, length: Int) throws {
    let rig = GoTrueRig { $0.codeDigits = digits }
    rig.signUp()
    let code = try rig.mail().code
    #expect(code.count == length && code.allSatisfy(\.isWholeNumber))
  }

  // R-RESET-4, H-18
  @Test func `are mailed once in the interval, each kind for itself`() throws {
    let rig = GoTrueRig { $0.mailIntervalSeconds = 60 }
    try rig.addAccount()
    #expect(rig.post("/recover", Self.mail).status == 200)
    rig.advance(seconds: 59)
    let refused = rig.post("/recover", Self.mail)
    #expect(refused.code == "over_email_send_rate_limit")
    #expect(
      refused["message"]
        == "For security purposes, you can only request this after 1 seconds.")
    #expect(rig.post("/otp", Self.mail).status == 429, "magic links share the place")
    rig.advance(seconds: 1)
    #expect(rig.post("/recover", Self.mail).status == 200)
    #expect(rig.get("/reauthenticate", bearer: rig.signIn().access).status == 200)
  }

  // Whether an address is known cannot be told.
  @Test func `for a reset are promised to everybody`() throws {
    let rig = GoTrueRig()
    try rig.addAccount()
    let known = rig.post("/recover", Self.mail)
    let unknown = rig.post("/recover", ["email": "nobody@example.com"])
    #expect(known.json == [:] && unknown.json == [:] && unknown.status == 200)
    #expect(rig.server.state.outbox.count == 1)
  }

  // H-14
  @Test func `are sent again only to those who still need one`() throws {
    let rig = GoTrueRig()
    rig.signUp()
    let again: JSONValue = ["type": "signup", "email": .text(GoTrueRig.email)]
    #expect(rig.post("/resend", again).json == [:])
    #expect(rig.server.state.outbox.count == 2)
    rig.verify("signup", try rig.mail().code)
    #expect(rig.post("/resend", again).status == 200)
    #expect(rig.post("/resend", ["type": "signup", "email": "x@example.com"]).status == 200)
    #expect(rig.server.state.outbox.count == 2)
    let recovery: JSONValue = ["type": "recovery", "email": .text(GoTrueRig.email)]
    #expect(rig.post("/resend", recovery).code == "validation_failed")
  }

  // R-OTP-11
  @Test func `for a reset have a link whose target no request can choose`() throws {
    let rig = GoTrueRig { $0.allowedRedirects = ["mkkit://*"] }
    try rig.addAccount()
    rig.post("/recover?redirect_to=mkkit%3A%2F%2Fx", Self.mail)
    #expect(try rig.mail().link?.hasSuffix("redirect_to=http%3A%2F%2Flocalhost%3A3000") == true)
    rig.post("/otp?redirect_to=mkkit%3A%2F%2Fx", Self.mail)
    #expect(try rig.mail().link?.hasSuffix("redirect_to=mkkit%3A%2F%2Fx") == true)
  }

  @Test func `of a request with a challenge may be typed all the same`() throws {
    let rig = GoTrueRig()
    try rig.addAccount()
    rig.post(
      "/recover",
      [
        "email": .text(GoTrueRig.email), "code_challenge_method": "plain",
        "code_challenge": .text(GoTrueRig.verifier),
      ])
    #expect(try rig.mail().link?.contains("token=pkce_") == true)
    #expect(rig.verify("recovery", try rig.mail().code).status == 200)
  }

  @Test func `make an account of a new address`() throws {
    let rig = GoTrueRig()
    #expect(rig.post("/otp", Self.mail).json == [:])
    #expect(try rig.mail().kind == "signup")
    #expect(rig.verify("email", try rig.mail().code).status == 200)
    #expect(rig.signIn().code == "invalid_credentials", "it has no password")
  }

  @Test func `lie in the outbox, for one address or for all`() throws {
    let rig = GoTrueRig()
    rig.signUp("a@example.com")
    rig.signUp("b@example.com")
    let outbox = rig.get("lab/outbox").json.list ?? []
    #expect(outbox.compactMap { $0["to"]?.text } == ["a@example.com", "b@example.com"])
    let own = rig.get("lab/outbox?to=b%40example.com").json.list ?? []
    #expect(own.compactMap { $0["code"]?.text } == [try rig.mail(to: "b@example.com").code])
  }
}
