import Backend
import Crypto
import JSON
import Phone
import Ports
import Session
import Simulation

/// What the person does, step by step.
extension SessionWorld {
  private static let triesMax = 3
  private static let backup = "backup"

  func perform(_ step: SessionStep) throws(PhoneHostError) {
    switch step {
    case .launch: try launch()
    case .wait(let duration): try run(for: duration)
    case .background: try become(.background)
    case .foreground: try become(.active)
    case .signIn: try signIn()
    case .signOut:
      facts.begin([.signedIn, .signedOut])
      try act({ $0.session == nil }, reaching: [.signedOut]) { app in await app.provider.signOut() }
    case .askForReset:
      let isAsked = { [server] (_: AuthFrame) in
        server.state.outbox.contains { $0.kind == "recovery" }
      }
      try act(isAsked, reaching: nil) { app in
        app.navigator.go(to: .resetPassword, by: .person)
        await ResetRequestFlow(app.context).submit(Self.email)
      }
    case .enterResetCode: try enterResetCode()
    case .setPassword:
      guard app?.frame.isRecovering == true else { break }
      facts.begin([.recovering, .signedIn])
      try act({ !$0.isRecovering }, reaching: [.signedIn]) { app in
        await NewPasswordFlow(app.context).submit(Self.newPassword, repeated: Self.newPassword)
      }
    case .enrolFactor: try enrol()
    case .enterFactorCode: try enterFactorCode()
    case .backUp:
      try phone.happen(.snapshot([.key, .blob], name: Self.backup))
      tokenOfBackup = app?.frame.session?.refreshToken
    case .restore: try restore()
    }
  }

  private func signIn() throws(PhoneHostError) {
    let state: SignInState = hasFactor ? .challenged : .signedIn
    facts.begin([.signedOut, state])
    try act({ SignInState($0) == state }, reaching: [state]) { app in
      guard app.frame.session == nil else { return }
      await SignInFlow(app.context).submit(
        Credentials(email: Self.email, password: Self.firstPassword))
    }
  }

  private func enterResetCode() throws(PhoneHostError) {
    guard let code = server.state.outbox.last(where: { $0.kind == "recovery" })?.code else {
      return
    }
    facts.begin([.signedOut, .recovering])
    try act({ $0.isRecovering }, reaching: [.recovering]) { app in
      guard let flow = ResetCodeFlow(app.context, email: Self.email) else { return }
      app.screen = flow
      flow.code.type(code)
    }
  }

  private func enrol() throws(PhoneHostError) {
    try act({ $0.session != nil }, reaching: nil) { [unowned self] app in
      let flow = EnrolmentFlow(app.context, NoLinking(), issuer: "lab")
      app.screen = flow
      await flow.name("phone")
      guard case .verifying(let secret) = flow.step, let code = code(of: secret.text) else {
        return
      }
      flow.code.type(code)
    }
  }

  private func enterFactorCode() throws(PhoneHostError) {
    guard app?.frame.status == .needsMFA else { return }
    facts.begin([.challenged, .signedIn])
    try act({ SignInState($0) == .signedIn }, reaching: [.signedIn]) { [unowned self] app in
      guard app.frame.status == .needsMFA else { return }
      let flow = ChallengeFlow(app.context)
      app.screen = flow
      await flow.load()
      guard case .entry = flow.step, let secret = server.state.factors.first?.secret,
        let code = code(of: secret)
      else { return }
      flow.code.type(code)
    }
  }

  /// What the authenticator shows; `nil` for a secret that is none.
  private func code(of secret: String) -> String? {
    guard let bytes = Base32.decode(secret) else { return nil }
    do throws(CryptoError) {
      return try TimeBasedCode.code(secret: bytes, at: server.nowMs / 1000)
    } catch {
      preconditionFailure("\(error)")
    }
  }

  /// Has the person do something until the screen shows that it is done.
  private func act(
    _ isDone: @escaping (AuthFrame) -> Bool, reaching states: Set<SignInState>?,
    _ action: @escaping (SessionApp) async -> Void
  ) throws(PhoneHostError) {
    for _ in 0..<Self.triesMax {
      guard let app, !app.process.isGone else { return }
      app.process.spawn("person") { await action(app) }
      try run(for: Self.patience)
      guard !app.process.isGone else { return }
      if isDone(app.frame) {
        if let states { facts.reach(states, atMs: simulator.clock.nowMs) }
        // The person has looked at the screen for longer than write-back takes.
        writeBack()
        return
      }
    }
  }

  func become(_ state: AppState) throws(PhoneHostError) {
    guard let app, !app.process.isGone else { return }
    app.process.spawn("system") { app.become(state) }
    try run(for: .seconds(2))
  }

  /// With the password that the server has.
  func signInAgain() throws(PhoneHostError) {
    for password in [Self.firstPassword, Self.newPassword] where app?.frame.session == nil {
      try act({ $0.session != nil }, reaching: nil) { app in
        guard app.frame.session == nil else { return }
        await SignInFlow(app.context).submit(
          Credentials(email: Self.email, password: password))
      }
    }
  }

  private func restore() throws(PhoneHostError) {
    end()
    try phone.happen(
      .restore([.key, .blob], name: Self.backup, onto: .sameDevice, .verbatim))
    tokenCallsBeforeRestore = network.tokenCallsMs.count
    if refuses(tokenOfBackup, after: 0) { facts.lapse() }
  }
}

/// What the server would do.
extension SessionWorld {
  /// Whether the server would end the session for a token some time from now. Asks a copy of it.
  func refuses(_ token: String?, after seconds: Int64) -> Bool {
    guard let token else { return false }
    let clock = SkewedClock(simulator.clock)
    clock.aheadMs = seconds * 1000
    let copy = GoTrueServer(
      server.settings, state: server.state, clock: clock,
      entropy: SeededEntropy(seed: plan.seed, stream: "question"))
    let request = HTTPRequest(
      "POST", "/auth/v1/token?grant_type=refresh_token",
      body: JSONWriter.bytes(of: ["refresh_token": .text(token)]))
    return copy.answer(request, from: "192.0.2.8").response.status != 200
  }

  /// The app dies: what it has shown to hold may be too old for the server.
  func noteDeath() {
    if refuses(app?.frame.session?.refreshToken, after: server.settings.reuseSeconds + 1) {
      facts.lapse()
      facts.end?.isDisturbed = true
    }
  }
}

private final class NoLinking: Linking {
  func open(_ url: String) async throws(NativeError) {}
}
