import Backend
import JSON
import Ports
import Testing

@Suite struct `Signing up` {
  // R-OTP-2, R-OTP-10
  @Test func `mails a code that confirms and signs in`() throws {
    let rig = GoTrueRig()
    let user = rig.signUp()
    #expect(user["access_token"] == nil && user["email"] == .text(GoTrueRig.email))
    #expect(user["identities"]?.list?.count == 1)
    #expect(user["email_confirmed_at"] == nil && user["confirmation_sent_at"] != nil)
    let mail = try rig.mail()
    #expect(mail.kind == "signup" && mail.code.count == 6)
    let session = rig.verify("signup", mail.code)
    #expect(session.status == 200 && session["user"]?["id"] == user["id"])
    #expect(session["user"]?["email_confirmed_at"] != nil)
    #expect(rig.signIn().status == 200)
  }

  @Test func `gives a session at once with confirmations off`() {
    let rig = GoTrueRig { $0.confirmsEmail = false }
    let session = rig.signUp()
    #expect(session["access_token"] != nil && session["user"]?["email_confirmed_at"] != nil)
    #expect(rig.server.state.outbox.isEmpty)
  }

  // H-15
  @Test func `of a confirmed address answers with a made-up user`() throws {
    let rig = GoTrueRig()
    try rig.addAccount()
    let one = rig.signUp()
    let other = rig.signUp()
    #expect(one.status == 200 && one["identities"] == [])
    #expect(one["role"] == "" && one["id"] != other["id"])
    #expect(rig.server.state.user(id: one["id"]?.text ?? "") == nil)
    #expect(rig.server.state.outbox.isEmpty)
  }

  // H-15
  @Test func `of an unconfirmed address mails again and keeps the first password`() throws {
    let rig = GoTrueRig()
    rig.signUp()
    let first = try rig.mail().code
    #expect(rig.signUp(password: "another one")["identities"]?.list?.count == 1)
    #expect(rig.server.state.outbox.count == 2)
    #expect(rig.verify("signup", first).code == "otp_expired")
    #expect(rig.verify("signup", try rig.mail().code).status == 200)
    #expect(rig.signIn(password: "another one").code == "invalid_credentials")
    #expect(rig.signIn().status == 200)
  }

  @Test func `without its mail makes no account`() {
    let rig = GoTrueRig { $0.mailLimit = RateLimit(count: 0, windowMs: 1000, burst: 0) }
    #expect(rig.signUp().code == "over_email_send_rate_limit")
    #expect(rig.server.state.users.isEmpty && rig.server.state.identities.isEmpty)
  }

  // R-OTP-12
  @Test func `and all that a captcha guards fails without one, and nothing else`() throws {
    let rig = GoTrueRig { $0.captcha = "solved" }
    try rig.addAccount()
    let mail = JSONValue.text(GoTrueRig.email)
    #expect(rig.signUp().code == "captcha_failed")
    #expect(rig.signIn().code == "captcha_failed")
    for path in ["/recover", "/resend", "/otp"] {
      #expect(rig.post(path, ["email": mail]).code == "captcha_failed", "\(path)")
    }
    #expect(rig.refresh("abcdefghijkl").code == "refresh_token_not_found")
    #expect(rig.verify("signup", "123456").code == "otp_expired")
    #expect(rig.exchange("none").code == "flow_state_not_found")
    let solved: JSONValue = [
      "email": mail, "password": .text(GoTrueRig.password),
      "gotrue_meta_security": ["captcha_token": "solved"],
    ]
    #expect(rig.post("/token?grant_type=password", solved).status == 200)
  }

  // R-PW-6: nobody checks what the app does not. The ladder cannot mirror three flags.
  @Test func `takes the passwords of the server's own ladder`() {
    let passwords = ["aaaaaa", "aaaaa1", "aaaaA1", "aaaA1!", "aaaaa"]
    let accepted: [PasswordCharacters: [Bool]] = [
      .any: [true, true, true, true, false],
      .lettersAndDigits: [false, true, true, true, false],
      .bothCasesAndDigits: [false, false, true, true, false],
      .bothCasesDigitsAndSymbols: [false, false, false, true, false],
    ]
    for (ladder, expected) in accepted {
      let rig = GoTrueRig { $0.passwordCharacters = ladder }
      let results = passwords.map { rig.signUp("\($0)@example.com", password: $0).status == 200 }
      #expect(results == expected, "\(ladder)")
    }
  }

  @Test func `with a password that has become weak still signs in, and says so`() throws {
    let rig = GoTrueRig { $0.passwordLengthMin = 20 }
    try rig.addAccount()
    let session = rig.signIn()
    #expect(session.status == 200 && session["weak_password"]?["reasons"] == ["length"])
  }

  @Test func `keeps no password anywhere`() throws {
    let rig = GoTrueRig()
    rig.signUp(password: "a very special password")
    let text = JSONWriter.text(of: rig.server.state.stored)
    #expect(!text.contains("special"))
  }

  @Test func `remembers what the app tells about the person`() throws {
    let rig = GoTrueRig { $0.confirmsEmail = false }
    let session = rig.post(
      "/signup",
      ["email": "a@b.example", "password": "123456", "data": ["name": "Ada"]])
    #expect(session["user"]?["user_metadata"]?["name"] == "Ada")
    let claims = try GoTrueRig.claims(session.access)
    #expect(claims["user_metadata"]?["name"] == "Ada")
  }
}
