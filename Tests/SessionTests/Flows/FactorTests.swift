import Ports
import Session
import TestSupport
import Testing

@Suite struct `The challenge` {
  private func launch(
    _ profile: AppProfile = .seed, factors: Int = 1, next: [String] = []
  ) -> (App, ChallengeFlow) {
    let auth = FakeAuth()
    auth.stored = makeSession("ada")
    auth.levels = ("aal1", "aal2")
    auth.factors = (0..<factors).map { makeFactor("f\($0)") }
    let app = App(profile, auth: auth, at: .home).start()
    let flow = ChallengeFlow(app.context, next: next)
    app.loop.perform { await flow.load() }
    return (app, flow)
  }

  // R-MFA-1, R-MFA-2
  @Test func `chooses the only factor, and shows a picker otherwise`() throws {
    let only = try #require(Factor(makeFactor("f0")))
    #expect(launch().1.step == .entry(only))
    let (app, flow) = launch(factors: 2)
    guard case .picker(let factors) = flow.step else {
      Issue.record("no picker")
      return
    }
    #expect(factors.map(\.id) == ["f0", "f1"])
    flow.pick(factors[1])
    flow.code.type("123456")
    app.loop.run()
    #expect(app.auth.sent["challengeAndVerify"] == ["f1", "123456"])
  }

  // R-MFA-2
  @Test func `shows an empty picker without a factor, and a way out`() {
    let (app, flow) = launch(factors: 0)
    #expect(flow.step == .picker([]))
    app.loop.perform { await flow.signOut() }
    #expect(app.navigator.route == .signIn)
  }

  // R-MFA-1
  @Test func `offers verified TOTP factors only`() {
    let (app, flow) = launch(factors: 0)
    app.auth.factors = [
      makeFactor("a", status: "unverified"), makeFactor("b", type: "phone"), makeFactor("c"),
    ]
    app.loop.perform { await flow.load() }
    guard case .entry(let factor) = flow.step else {
      Issue.record("no entry")
      return
    }
    #expect(factor.id == "c")
  }

  // R-MFA-3, R-MFA-4, R-MFA-6
  @Test func `is submitted by the sixth digit, once, also with the button in the same frame`() {
    let (app, flow) = launch()
    flow.code.type("12345")
    flow.code.pressButton()
    app.loop.run()
    #expect(app.auth.calls("challengeAndVerify").isEmpty)
    flow.code.type("123456")
    flow.code.pressButton()
    flow.code.pressButton()
    app.loop.run()
    #expect(app.auth.calls("challengeAndVerify").count == 1)
  }

  // R-MFA-4
  @Test func `is submitted again after a wrong code`() {
    let (app, flow) = launch()
    app.auth.scripts["challengeAndVerify"] = [
      .fail(.refused("mfa_verification_failed", status: 422))
    ]
    flow.code.type("123456")
    app.loop.run()
    #expect(flow.attempt.alert?.text == "That code is wrong. Please try the next one.")
    #expect(app.provider.status == .needsMFA)
    flow.code.type("654321")
    app.loop.run()
    #expect(flow.attempt.alert == nil)
    #expect(app.provider.status == .authenticated)
  }

  // R-MFA-7, R-STATE-7, R-GUARD-3
  @Test(arguments: AppProfile.allCases)
  func `verifies, refreshes, and leaves the way home to the guard`(profile: AppProfile) {
    let (app, flow) = launch(profile)
    #expect(app.navigator.route == .mfaChallenge(next: nil))
    app.auth.journal = []
    flow.code.type("123456")
    app.loop.run()
    #expect(
      app.auth.calls("challengeAndVerify", "refreshSession", "! ")
        == [
          "challengeAndVerify", "! MFA_CHALLENGE_VERIFIED", "refreshSession", "! TOKEN_REFRESHED",
        ])
    #expect(app.auth.journal.last == "assuranceLevels")
    #expect(app.navigator.route == .home)
    #expect(app.navigator.log.allSatisfy { $0.author == .authGuard })
  }

  // R-MFA-9, R-RESET-8
  @Test(arguments: ["//evil.example", "/settings", ""])
  func `does not follow a foreign way back`(next: String) {
    let (app, flow) = launch(next: [next])
    flow.code.type("123456")
    app.loop.run()
    #expect(app.navigator.log.allSatisfy { $0.author == .authGuard })
    #expect(app.navigator.route == .home)
  }

  // R-MFA-5
  @Test func `has nothing to send again`() {
    let (app, flow) = launch()
    flow.code.type("123456")
    app.loop.run()
    #expect(app.auth.calls("resend", "resetPassword").isEmpty)
  }

  // R-MFA-8, H-16
  @Test func `signs out when the factors cannot be fetched in seed, and asks again in hardened`() {
    for profile in AppProfile.allCases {
      let (app, flow) = launch(profile)
      app.auth.scripts["listFactors"] = [.fail(.offline)]
      app.loop.perform { await flow.load() }
      #expect(flow.step == .unavailable)
      #expect(app.auth.calls("signOut").count == (profile == .seed ? 1 : 0))
      #expect((app.provider.session == nil) == (profile == .seed), "\(profile)")
      guard profile == .hardened else { continue }
      app.loop.perform { await flow.load() }
      #expect(flow.attempt.alert == nil && flow.step != .unavailable)
    }
  }

  // H-16
  @Test func `says why a code is refused after a change of network in hardened only`() {
    for profile in AppProfile.allCases {
      let (app, flow) = launch(profile)
      app.auth.scripts["challengeAndVerify"] = [
        .fail(.refused("mfa_ip_address_mismatch", status: 422))
      ]
      flow.code.type("123456")
      app.loop.run()
      #expect((flow.attempt.alert?.text == ErrorCatalogue.defaultText) == (profile == .seed))
    }
  }
}

@Suite struct `Enrolling a factor` {
  private let linking = FakeLinking()

  private func launch(_ profile: AppProfile = .seed) -> (App, EnrolmentFlow) {
    let auth = FakeAuth()
    auth.stored = makeSession("ada")
    let app = App(profile, auth: auth, at: .settings).start()
    let flow = EnrolmentFlow(app.context, linking, issuer: "Lab")
    app.loop.perform { await flow.name("phone") }
    return (app, flow)
  }

  // R-MFA-10
  @Test func `names the factor and the issuer, and verifies one code`() {
    let (app, flow) = launch()
    #expect(app.auth.sent["enroll"] == ["phone", "Lab"])
    flow.code.type("123456")
    app.loop.run()
    #expect(app.auth.sent["challengeAndVerify"] == ["factor-1", "123456"])
    #expect(flow.step == .done)
  }

  // R-MFA-11
  @Test(arguments: AppProfile.allCases)
  func `refreshes, and never shows the challenge`(profile: AppProfile) {
    let (app, flow) = launch(profile)
    flow.code.type("123456")
    app.loop.run()
    #expect(app.auth.calls("refreshSession").count == 1)
    #expect(app.statuses == [.loading, .authenticated])
    #expect(app.navigator.log.isEmpty)
  }

  // R-MFA-12
  @Test func `hands the address to the system, shows the secret, and has no picture`() {
    let (app, flow) = launch()
    guard case .verifying(let secret) = flow.step else {
      Issue.record("no secret")
      return
    }
    #expect(secret.text == "MADEUPSECRET")
    #expect(!"\(secret)".contains("MADEUPSECRET"))
    app.loop.perform { await flow.openAuthenticator() }
    #expect(linking.opened == [secret.uri])
    #expect(!Mirror(reflecting: secret).children.contains { "\($0.value)".contains("svg") })
    linking.failure = NativeError(message: "no app")
    app.loop.perform { await flow.openAuthenticator() }
    #expect(app.console.warnings == ["no app for the authenticator's address"])
  }

  // R-MFA-13, H-19
  @Test func `left half way keeps an unverified factor in seed, and none in hardened`() {
    for profile in AppProfile.allCases {
      let (app, flow) = launch(profile)
      app.loop.perform { await flow.leave() }
      #expect(app.auth.calls("unenroll").count == (profile == .seed ? 0 : 1), "\(profile)")
    }
  }

  // R-MFA-13, R-MFA-14
  @Test func `leaves a factor that the list shows and deletes`() {
    let (app, _) = launch()
    app.auth.factors = [makeFactor("old"), makeFactor("half", status: "unverified")]
    let list = FactorListFlow(app.context)
    app.loop.perform { await list.load() }
    #expect(list.factors.map(\.isVerified) == [true, false])
    app.loop.perform { await list.delete(list.factors[1]) }
    #expect(app.auth.sent["unenroll"] == ["half"])
    #expect(list.factors.map(\.id) == ["old"])
  }

  @Test func `shows why it failed`() {
    let auth = FakeAuth()
    auth.scripts["enroll"] = [.fail(.refused("mfa_factor_name_conflict", status: 422))]
    let app = App(auth: auth).start()
    let flow = EnrolmentFlow(app.context, linking, issuer: "Lab")
    app.loop.perform { await flow.name("phone") }
    #expect(flow.step == .naming)
    #expect(flow.attempt.alert?.key == "errors.mfa_factor_name_conflict")
  }
}

@Suite struct `A code of six digits` {
  // R-OTP-8, R-OTP-1
  @Test func `fills six boxes, and no code of eight fits`() {
    var entry = CodeEntry()
    let states = (1...8).map { entry.enter(String("12345678".prefix($0))) }
    #expect(states == [false, false, false, false, false, true, false, false])
    #expect(entry.digits == "123456")
    var five = CodeEntry()
    _ = five.enter("12345")
    #expect(!five.isComplete)
  }

  @Test func `takes the digits of what is pasted`() {
    var entry = CodeEntry()
    let isComplete = entry.enter(" 123-456 ")
    #expect(isComplete && entry.digits == "123456")
    _ = entry.enter("١٢٣٤٥٦")
    #expect(entry.digits.isEmpty)
  }
}
