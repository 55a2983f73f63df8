import JSON
import Session
import TestSupport
import Testing

private let ada = Credentials(email: "ada@example.com", password: "correct horse")

@Suite struct `Signing in` {
  // R-SIGNIN-1, R-OAUTH-14
  @Test func `shows form and divider together, or neither`() {
    let app = App().start()
    #expect(SignInFlow(app.context).showsForm && SignInFlow(app.context).showsDivider)
    let without = SignInFlow(app.context, showsForm: false)
    #expect(!without.showsForm && !without.showsDivider)
  }

  // R-SIGNIN-2
  @Test func `checks the fields before it asks the server`() {
    let app = App().start()
    let flow = SignInFlow(app.context)
    app.loop.perform { await flow.submit(Credentials(email: "ada", password: "short")) }
    #expect(flow.problems == [.invalidEmail, .tooShort])
    #expect(app.auth.calls("signIn").isEmpty)
    app.loop.perform { await flow.submit(ada) }
    #expect(flow.problems.isEmpty)
    #expect(app.auth.calls("signIn").count == 1)
  }

  // R-GUARD-3, R-STATE-6
  @Test(arguments: AppProfile.allCases)
  func `leaves the way home to the guard`(profile: AppProfile) {
    let app = App(profile).start()
    app.loop.perform { await SignInFlow(app.context).submit(ada) }
    #expect(app.navigator.log.map(\.author) == [.authGuard])
    #expect(app.navigator.route == .home)
  }

  // R-SIGNIN-3
  @Test func `swaps to the code step for an unconfirmed address, without an error`() {
    let app = App().start()
    app.auth.scripts["signInWithPassword"] = [.fail(.refused("email_not_confirmed"))]
    let flow = SignInFlow(app.context)
    app.loop.perform { await flow.submit(ada) }
    guard case .confirmEmail(let step) = flow.step else {
      Issue.record("no code step")
      return
    }
    #expect(step.credentials == ada)
    #expect(flow.attempt.alert == nil)
    #expect(app.navigator.log.isEmpty)
  }

  // R-SIGNIN-4, R-SIGNIN-5
  @Test func `shows any other refusal, and stays`() {
    let app = App().start()
    app.auth.scripts["signInWithPassword"] = [.fail(.refused("invalid_credentials"))]
    let flow = SignInFlow(app.context)
    app.loop.perform { await flow.submit(ada) }
    #expect(flow.attempt.alert?.key == "errors.invalid_credentials")
    #expect(flow.attempt.alert?.text == "The email or password is wrong.")
    if case .confirmEmail = flow.step { Issue.record("swapped") }
  }

  // R-ERR-9
  @Test func `keeps the alert while the call is repeated, and drops it with a success`() {
    let app = App().start()
    let gate = Gate()
    app.auth.scripts["signInWithPassword"] = [
      .fail(.refused("invalid_credentials")), .wait(gate),
    ]
    let flow = SignInFlow(app.context)
    app.loop.perform { await flow.submit(ada) }
    app.loop.perform { await flow.submit(ada) }
    #expect(flow.attempt.isPending && flow.attempt.alert != nil)
    gate.open()
    app.loop.run()
    #expect(!flow.attempt.isPending && flow.attempt.alert == nil)
  }
}

@Suite struct `Signing up` {
  private func submit(_ app: App) -> SignUpFlow {
    let flow = SignUpFlow(app.context)
    app.loop.perform { await flow.submit(ada, repeated: ada.password) }
    return flow
  }

  private func codeStep(_ app: App) throws -> ConfirmEmailStep {
    guard case .code(let step) = submit(app).step else { throw Missing() }
    return step
  }

  private struct Missing: Error {}

  // R-SIGNUP-1
  @Test func `swaps to the code step on the same route`() throws {
    let app = App(at: .signUp).start()
    _ = try codeStep(app)
    #expect(app.navigator.log.isEmpty)
  }

  // R-SIGNUP-2, R-SIGNUP-3
  @Test func `goes back from the code step to the filled form`() {
    let app = App(at: .signUp).start()
    let flow = submit(app)
    #expect(flow.back())
    guard case .form = flow.step else {
      Issue.record("not the form")
      return
    }
    #expect(flow.credentials == ada)
    #expect(app.navigator.route == .signUp)
    // From the form, back leaves the screen.
    #expect(!flow.back())
  }

  // R-SIGNUP-4, R-OTP-2, R-SIGNUP-8
  @Test func `confirms with the code's type, and keeps the password`() throws {
    let app = App(at: .signUp).start()
    let step = try codeStep(app)
    #expect(step.credentials.password == ada.password)
    step.code.type("123456")
    app.loop.run()
    #expect(app.auth.sent["verifyOtp"] == ["signup", "ada@example.com", "123456"])
    #expect(app.navigator.log.map(\.author) == [.authGuard])
    #expect(app.navigator.route == .home)
  }

  // R-SIGNUP-8
  @Test func `sends the code again by the client's resend`() throws {
    let app = App(at: .signUp).start()
    let step = try codeStep(app)
    app.loop.perform { await step.resend() }
    #expect(app.auth.sent["resend"] == ["signup", "ada@example.com"])
    #expect(app.auth.calls("resetPassword").isEmpty)
  }

  // R-SIGNUP-5
  @Test func `offers to sign in instead once a code has failed, and not before`() throws {
    let app = App(at: .signUp).start()
    let step = try codeStep(app)
    #expect(!step.offersSignIn)
    app.auth.scripts["verifyOtp"] = [.fail(.refused("otp_expired", status: 403))]
    step.code.type("123456")
    app.loop.run()
    #expect(step.offersSignIn)
    app.loop.perform { await step.signInInstead() }
    #expect(app.auth.sent["signInWithPassword"] == [ada.email, ada.password])
    #expect(app.navigator.route == .home)
  }

  // R-SIGNUP-5, H-14
  @Test func `offers it after a resend that failed, which a confirmed account's does not`() throws {
    let app = App(at: .signUp).start()
    let step = try codeStep(app)
    // The server answers 200 for an account that is confirmed already.
    app.loop.perform { await step.resend() }
    #expect(!step.offersSignIn)
    app.auth.scripts["resend"] = [.fail(.refused("over_email_send_rate_limit", status: 429))]
    app.loop.perform { await step.resend() }
    #expect(step.offersSignIn)
  }

  // H-15
  @Test func `with a second password is a dead end in seed, and gives a hint in hardened`() throws {
    for profile in AppProfile.allCases {
      let app = App(profile, at: .signUp).start()
      let step = try codeStep(app)
      app.auth.scripts = [
        "verifyOtp": [.fail(.refused("otp_expired"))],
        "signInWithPassword": [.fail(.refused("invalid_credentials"))],
      ]
      step.code.type("123456")
      app.loop.run()
      app.loop.perform { await step.signInInstead() }
      #expect(step.suggestsReset == (profile == .hardened), "\(profile)")
    }
  }

  // R-SIGNUP-6, R-STATE-6
  @Test func `skips the code step when a session comes at once`() {
    let app = App(at: .signUp).start()
    app.auth.signUpReply = (makeUser("ada"), makeSession("ada"))
    guard case .done = submit(app).step else {
      Issue.record("not done")
      return
    }
    #expect(app.navigator.log.map(\.author) == [.authGuard])
  }

  // R-SIGNUP-7, H-15
  @Test func `says that the address is registered when the user has no identities`() {
    let app = App(at: .signUp).start()
    app.auth.signUpReply = (AuthUser(object(["id": "made-up", "identities": []])), nil)
    let flow = submit(app)
    #expect(flow.attempt.alert?.key == "errors.User already registered")
    guard case .form = flow.step else {
      Issue.record("not the form")
      return
    }
    app.auth.signUpReply = nil
    app.auth.scripts["signUp"] = [.fail(.refused("user_already_exists", status: 422))]
    #expect(submit(app).attempt.alert?.text != flow.attempt.alert?.text)
    let hardened = App(.hardened).start()
    hardened.auth.scripts["signUp"] = [.fail(.refused("user_already_exists", status: 422))]
    #expect(submit(hardened).attempt.alert?.text == flow.attempt.alert?.text)
  }

  // R-OTP-10, R-OTP-12
  @Test func `sends address and password, and nothing else`() {
    let app = App(at: .signUp).start()
    _ = submit(app)
    #expect(app.auth.sent["signUp"] == [ada.email, ada.password])
  }

  // R-OTP-12
  @Test func `shows that the server wants a captcha, in every call`() throws {
    let error = AuthError.refused("captcha_failed")
    let app = App(at: .signUp).start()
    let step = try codeStep(app)
    app.auth.scripts = [
      "signUp": [.fail(error)], "signInWithPassword": [.fail(error)], "resend": [.fail(error)],
      "resetPasswordForEmail": [.fail(error)],
    ]
    let signIn = SignInFlow(app.context)
    let reset = ResetRequestFlow(app.context)
    app.loop.perform {
      await signIn.submit(ada)
      await step.resend()
      await reset.submit(ada.email)
    }
    let alerts = [
      submit(app).attempt.alert, signIn.attempt.alert, step.resending.alert, reset.attempt.alert,
    ]
    #expect(alerts.allSatisfy { $0?.key == "errors.captcha_failed" })
  }
}
