import Session
import TestSupport
import Testing

@Suite struct `Resetting a password` {
  private let mail = "ada@example.com"

  private func codeScreen(_ app: App) throws -> ResetCodeFlow {
    try #require(ResetCodeFlow(app.context, email: mail))
  }

  // R-RESET-1, R-OTP-11, R-OTP-12
  @Test func `asks for the address, and pushes the code screen with it`() {
    let app = App(at: .resetPassword).start()
    app.loop.perform { await ResetRequestFlow(app.context).submit(mail) }
    #expect(app.auth.sent["resetPasswordForEmail"] == [mail])
    #expect(app.navigator.route == .verifyResetCode(email: mail))
    #expect(app.navigator.log.map(\.author) == [.flow(.codeRequested)])
  }

  // R-RESET-1
  @Test func `stays when the request is refused`() {
    let app = App(at: .resetPassword).start()
    app.auth.scripts["resetPasswordForEmail"] = [.fail(.offline)]
    let flow = ResetRequestFlow(app.context)
    app.loop.perform { await flow.submit(mail) }
    #expect(app.navigator.log.isEmpty && flow.attempt.alert != nil)
  }

  // R-RESET-2, R-OTP-3, R-GUARD-3, R-GUARD-4, R-STATE-6, R-OTP-5
  @Test(arguments: AppProfile.allCases)
  func `leaves the way from the code to the guard`(profile: AppProfile) throws {
    let app = App(profile, at: .verifyResetCode(email: mail)).start()
    let flow = try codeScreen(app)
    flow.code.type("123456")
    app.loop.run()
    #expect(app.auth.sent["verifyOtp"] == ["recovery", mail, "123456"])
    #expect(app.navigator.log.map(\.author) == [.authGuard])
    #expect(app.navigator.route == .updatePassword)
    #expect(app.storage.items == [RecoveryMarker.name: "id-ada"])
  }

  // H-13
  @Test(arguments: AppProfile.allCases)
  func `leaves no marker when the code is refused`(profile: AppProfile) throws {
    let app = App(profile).start()
    app.auth.scripts["verifyOtp"] = [.fail(.refused("otp_expired", status: 403))]
    let flow = try codeScreen(app)
    flow.code.type("123456")
    app.loop.run()
    #expect(flow.verification.alert?.text == "That code is wrong or no longer valid.")
    #expect(app.storage.items.isEmpty)
    #expect(!app.provider.isRecovering)
  }

  // R-RESET-3, R-RESET-4
  @Test func `sends again by a new reset, after sixty seconds and not before`() throws {
    let app = App(at: .verifyResetCode(email: mail)).start()
    let flow = try codeScreen(app)
    app.loop.advance(by: .seconds(59))
    #expect(flow.cooldownSeconds == 1)
    app.loop.perform { await flow.resend() }
    #expect(app.auth.calls("resetPassword", "resend").isEmpty)
    app.loop.advance(by: .seconds(1))
    #expect(flow.cooldownSeconds == 0)
    app.loop.perform { await flow.resend() }
    app.loop.perform { await flow.resend() }
    #expect(app.auth.calls("resetPassword", "resend") == ["resetPasswordForEmail"])
    #expect(flow.cooldownSeconds == 60)
  }

  // R-RESET-4
  @Test func `sends once when the button is pressed twice`() throws {
    let app = App().start()
    let flow = try codeScreen(app)
    app.loop.advance(by: .seconds(60))
    app.loop.spawn("first") { await flow.resend() }
    app.loop.spawn("second") { await flow.resend() }
    app.loop.run()
    #expect(app.auth.calls("resetPassword").count == 1)
  }

  // H-18
  @Test func `forgets the cooldown with the screen in seed, and not in hardened`() throws {
    for profile in AppProfile.allCases {
      let app = App(profile).start()
      _ = try codeScreen(app)
      app.loop.advance(by: .seconds(40))
      #expect(try codeScreen(app).cooldownSeconds == (profile == .seed ? 60 : 20))
    }
  }

  // R-RESET-4, H-18
  @Test func `mails twice when the address is given again in seed, and once in hardened`() {
    for profile in AppProfile.allCases {
      let app = App(profile, at: .resetPassword).start()
      let flow = ResetRequestFlow(app.context)
      app.loop.perform { await flow.submit(mail) }
      app.loop.advance(by: .seconds(30))
      app.navigator.go(to: .resetPassword, by: .person)
      app.loop.perform { await flow.submit(mail) }
      #expect(app.auth.calls("resetPassword").count == (profile == .seed ? 2 : 1), "\(profile)")
      #expect(app.navigator.route == .verifyResetCode(email: mail))
    }
  }

  // H-18
  @Test func `obeys the server's own limit in hardened, and not in seed`() throws {
    for profile in AppProfile.allCases {
      let app = App(profile).start()
      let flow = try codeScreen(app)
      app.loop.advance(by: .seconds(60))
      let message = "For security purposes, you can only request this after 1743 seconds."
      app.auth.scripts["resetPasswordForEmail"] = [
        .fail(.api(message: message, status: 429, code: "over_email_send_rate_limit"))
      ]
      app.loop.perform { await flow.resend() }
      #expect(flow.cooldownSeconds == (profile == .seed ? 0 : 1743), "\(profile)")
      #expect(flow.resending.alert?.key == "errors.over_email_send_rate_limit")
    }
  }

  // R-RESET-5
  @Test(arguments: [nil, ""])
  func `leads back to the first screen without an address`(email: String?) {
    let app = App(at: .verifyResetCode(email: email)).start()
    #expect(ResetCodeFlow(app.context, email: email) == nil)
    #expect(app.navigator.route == .resetPassword)
    #expect(app.navigator.log.map(\.author) == [.flow(.addressMissing)])
  }

  private func recovering(_ profile: AppProfile) -> App {
    let app = App(profile, at: .verifyResetCode(email: mail)).start()
    app.auth.stored = makeSession("ada")
    app.tell(.passwordRecovery, app.auth.stored)
    return app
  }

  // R-RESET-6, R-GUARD-3, R-GUARD-4, R-REC-4
  @Test(arguments: AppProfile.allCases)
  func `goes home by the guard once the password is set, under a toast`(profile: AppProfile) {
    let app = recovering(profile)
    let flow = NewPasswordFlow(app.context)
    app.loop.perform { await flow.submit("correct horse", repeated: "correct horse") }
    #expect(app.auth.sent["updateUser"] == [#"{"password":"correct horse"}"#])
    #expect(app.navigator.route == .home)
    #expect(app.navigator.log.allSatisfy { $0.author == .authGuard })
    #expect(app.navigator.toasts == ["auth.passwordUpdated"])
    #expect(!app.provider.isRecovering && app.storage.items.isEmpty)
  }

  // R-RESET-7, R-MFA-9, R-RESET-8
  @Test(arguments: AppProfile.allCases)
  func `fetches the second factor when the server wants it, and returns`(profile: AppProfile) {
    let app = recovering(profile)
    app.auth.factors = [makeFactor("f1")]
    app.auth.scripts["updateUser"] = [.fail(.refused("insufficient_aal", status: 401))]
    let flow = NewPasswordFlow(app.context)
    app.loop.perform { await flow.submit("correct horse", repeated: "correct horse") }
    #expect(flow.attempt.alert == nil && !flow.attempt.isPending)
    #expect(app.navigator.route == .mfaChallenge(next: .updatePassword))
    app.navigator.settle(app.provider.frame)
    #expect(app.navigator.route == .mfaChallenge(next: .updatePassword))
    let challenge = ChallengeFlow(app.context, next: ["/update-password"])
    app.loop.perform { await challenge.load() }
    challenge.code.type("123456")
    app.loop.run()
    #expect(app.navigator.route == .updatePassword)
    #expect(app.provider.isRecovering)
    app.loop.perform { await flow.submit("correct horse", repeated: "correct horse") }
    #expect(app.navigator.route == .home)
    #expect(
      app.navigator.log.map(\.author)
        == [.authGuard, .flow(.stepUpNeeded), .flow(.stepUpDone), .authGuard])
  }

  // R-RESET-9, R-PW-4
  @Test func `honours the password flags`() {
    let app = recovering(.seed)
    let flow = NewPasswordFlow(app.context, PasswordRequirements(digits: true))
    app.loop.perform { await flow.submit("correct horse", repeated: "correct horse") }
    #expect(flow.problems == [.digitMissing])
    #expect(app.auth.calls("updateUser").isEmpty)
  }

  // H-21
  @Test func `sends a password that the server cannot take in seed, and not in hardened`() {
    let long = String(repeating: "ä", count: 40)
    for profile in AppProfile.allCases {
      let app = recovering(profile)
      let flow = NewPasswordFlow(app.context)
      app.auth.scripts["updateUser"] = [.fail(.refused("validation_failed"))]
      app.loop.perform { await flow.submit(long, repeated: long) }
      #expect(flow.problems == (profile == .seed ? [] : [.tooLong]), "\(profile)")
      #expect((flow.attempt.alert == nil) == (profile == .hardened))
    }
  }
}
