import Backend
import Crypto
import Device
import Linux
import Phone
import Ports
import Session
import Simulation

/// A phone, an app on it, its server and its owner, in virtual time.
///
/// The contract. Everything that happens follows from the plan, the story and the faults. The person
/// does one thing after the other, waits for the answer, and tries again what the screen says has
/// failed. When the app or the phone dies, the person starts the app again and touches nothing more.
/// Half a minute without a call to the device makes everything durable, as write-back does.
///
/// Not modelled: two phones of one person, a person who types while the app still works.
final class SessionWorld {
  static let email = "ada@example.com"
  private static let firstPassword = "correct horse battery"
  private static let newPassword = "staple of the battery"
  private static let writeBackMs: Int64 = 30_000
  /// How long the person looks at a screen that does not change before the next thing.
  private static let patience = Duration.seconds(70)
  private static let triesMax = 3

  let plan: SessionPlan
  let phone: SimulatedPhone
  let simulator: Simulator
  let server: GoTrueServer
  let network: SessionNetwork
  let deviceClock: SkewedClock
  private(set) var app: SessionApp?
  private(set) var facts = SessionFacts()
  private var violations: [StatusInvariants.Violation] = []

  /// How many steps the app has made so far.
  private var stepCount = 0
  /// The steps before which something outside the app's memory has changed.
  private var places: [Int] = []
  /// How many of them, and how many requests, belong to the story.
  private var storyPlaceCount = 0
  private(set) var storyRequestCount = 0
  /// What the person knew at its end.
  private(set) var storyStates: Set<SignInState> = []
  private let fault: SessionFault?
  private(set) var firedAt: String?
  /// The step of the app at which it is killed once more.
  var secondKill: Int?
  private var trouble: PhoneHostError?
  /// Whether the app came to a point where nothing could go on any more.
  private var hasHung = false
  private var lastVersion: Version?
  private var lastCallMs: Int64

  /// What a kill leaves.
  private struct Version: Equatable {
    var operationCount: Int
    var requestCount: Int
    var frame: AuthFrame?
  }

  init(_ plan: SessionPlan, fault: SessionFault?) throws(PhoneHostError) {
    self.plan = plan
    self.fault = fault
    var setup = PhoneSetup(plan.phone, plan.settings, seed: plan.seed)
    setup.clockStartMs -= setup.clockStartMs % 1000
    phone = try SimulatedPhone(setup)
    simulator = Simulator(
      Choices(GivenOrder([])), startMs: setup.clockStartMs,
      interleaving: SimulatedPhone.interleaving)
    deviceClock = SkewedClock(simulator.clock)
    lastCallMs = setup.clockStartMs
    var settings = GoTrueSettings.hosted
    settings.accessTokenSeconds = SessionStory.tokenSeconds
    server = GoTrueServer(
      settings, clock: simulator.clock,
      entropy: SeededEntropy(seed: plan.seed, stream: "server"))
    network = SessionNetwork(server, simulator.clock)
    do {
      // Made long before the story, on another device.
      try server.addAccount(Self.email, password: Self.firstPassword)
    } catch {
      throw .refused("\(error)")
    }
    network.fault = { [unowned self] number in
      guard let fault = self.fault, fault.kind.hitsRequest, fault.place == number else {
        return nil
      }
      self.firedAt = "request \(number)"
      return fault.kind
    }
    simulator.onStep = { [unowned self] in step($0) }
  }

  // MARK: - The story

  /// The places of the story itself.
  var storyPlaces: [Int] { Array(places.prefix(storyPlaceCount)) }

  /// Those of the first two minutes after the story, in which a dead app is started again.
  var recoveryPlaces: [Int] { Array(places[storyPlaceCount..<max(storyPlaceCount, recoveryEnd)]) }
  private var recoveryEnd = 0

  /// Plays a story and what follows it.
  ///
  /// - Returns: What it came to.
  /// - Throws: ``PhoneHostError`` when the lab could not play it.
  func play(_ story: SessionStory) throws(PhoneHostError) -> SessionEnding {
    for step in story.steps {
      try perform(step)
      if let app, app.process.isGone { break }
      try unlock()
    }
    storyPlaceCount = places.count
    storyRequestCount = network.requestCount
    storyStates = facts.states
    try unlock()
    return try settle()
  }

  /// The person takes the phone out of the pocket.
  private func unlock() throws(PhoneHostError) {
    guard phone.state.withLock({ $0.phone.lockState }) != .unlocked else { return }
    try phone.happen(.unlock)
  }

  private func perform(_ step: SessionStep) throws(PhoneHostError) {
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
    }
  }

  private func signIn() throws(PhoneHostError) {
    facts.begin([.signedOut, .signedIn])
    let password = Self.firstPassword
    try act({ $0.session != nil }, reaching: [.signedIn]) { app in
      await SignInFlow(app.context).submit(Credentials(email: Self.email, password: password))
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
    try act({ $0.session != nil }, reaching: nil) { [server] app in
      let flow = EnrolmentFlow(app.context, NoLinking(), issuer: "lab")
      app.screen = flow
      await flow.name("phone")
      guard case .verifying(let secret) = flow.step,
        let bytes = Base32.decode(secret.text),
        let code = try? TimeBasedCode.code(secret: bytes, at: server.nowMs / 1000)
      else { return }
      flow.code.type(code)
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
        return
      }
    }
  }

  private func become(_ state: AppState) throws(PhoneHostError) {
    guard let app, !app.process.isGone else { return }
    app.process.spawn("system") { app.become(state) }
    try run(for: .seconds(2))
  }

  func launch() throws(PhoneHostError) {
    app = try SessionApp(plan, in: self)
    try run(for: .seconds(2))
  }

  // MARK: - What follows

  /// The person starts a dead app again; then the phone lies in the pocket until the token has
  /// expired, and then there is one more cold start.
  private func settle() throws(PhoneHostError) -> SessionEnding {
    var ending = SessionEnding()
    for _ in 0..<2 where app?.process.isGone != false {
      try launch()
    }
    try run(for: .seconds(120))
    ending.first = app?.frame ?? AuthFrame()
    recoveryEnd = places.count
    try become(.background)
    try run(for: SessionStory.life * 2)
    try become(.active)
    try run(for: Self.patience)
    try coldStart()
    ending.last = app?.frame ?? AuthFrame()
    ending.halves = try phone.halves(of: SessionApp.item, token: nil)
    if ending.last.session == nil {
      try signInAgain()
      ending.signsInAgain = app?.frame.session != nil
      try coldStart()
      ending.signsInAgain = ending.signsInAgain && app?.frame.session != nil
    } else {
      ending.isLive = try refreshes()
    }
    ending.tokenCallsMs = network.tokenCallsMs
    ending.violations = violations
    ending.hasHung = hasHung
    app?.process.kill()
    try phone.endApps()
    _ = simulator.run(until: simulator.clock.elapsed)
    return ending
  }

  /// With the password that the server has.
  private func signInAgain() throws(PhoneHostError) {
    for password in [Self.firstPassword, Self.newPassword] where app?.frame.session == nil {
      try act({ $0.session != nil }, reaching: nil) { app in
        guard app.frame.session == nil else { return }
        await SignInFlow(app.context).submit(
          Credentials(email: Self.email, password: password))
      }
    }
  }

  private func coldStart() throws(PhoneHostError) {
    app?.process.kill()
    note(app)
    try phone.endApps()
    try launch()
    try run(for: .seconds(120))
  }

  /// Whether the server takes what the app holds.
  private func refreshes() throws(PhoneHostError) -> Bool {
    var isLive = false
    guard let app, !app.process.isGone else { return false }
    app.process.spawn("check") { [client = app.client] in
      do throws(AuthError) {
        isLive = try await client.refreshSession() != nil
      } catch {
        isLive = false
      }
    }
    try run(for: .seconds(60))
    return isLive
  }

  private func note(_ app: SessionApp?) {
    violations += app?.violations ?? []
  }

  // MARK: - Time and faults

  private func run(for duration: Duration) throws(PhoneHostError) {
    let deadline = simulator.clock.elapsed + duration
    switch simulator.run(until: deadline) {
    case .timeUp: break
    // An app that has ended leaves nothing that would move the clock.
    case .finished, .undead: simulator.pass(to: deadline)
    case .hang, .livelock, .diverged:
      hasHung = true
      simulator.pass(to: deadline)
    }
    writeBack()
    if let app, app.process.isGone { note(app) }
    if let trouble { throw trouble }
  }

  /// Half a minute after the last call the kernel has written everything back.
  private func writeBack() {
    let now = simulator.clock.nowMs
    _ = phone.advanceClock(byMs: min(now - phone.nowMs, Self.writeBackMs - 1))
    guard now - lastCallMs >= Self.writeBackMs else { return }
    phone.withDevice { $0.settle() }
    facts.settle(atMs: now)
  }

  private func step(_ checkpoint: Checkpoint) {
    guard let app, checkpoint.process == "app" else { return }
    stepCount += 1
    writeBack()
    let version = Version(
      operationCount: phone.withDevice { $0.operationCount }, requestCount: network.requestCount,
      frame: app.frame)
    if version != lastVersion {
      if version.operationCount != lastVersion?.operationCount {
        lastCallMs = simulator.clock.nowMs
      }
      lastVersion = version
      places.append(stepCount)
    }
    if let fault, !fault.kind.hitsRequest, fault.place == stepCount, firedAt == nil {
      firedAt = "\(checkpoint.call) \(checkpoint.subject)"
      strike(fault)
    } else if secondKill == stepCount {
      end()
    }
  }

  private func strike(_ fault: SessionFault) {
    do throws(PhoneHostError) {
      switch fault.kind {
      case .kill: end()
      case .powerCut:
        facts.losePower(atMs: simulator.clock.nowMs)
        try phone.cutPower(fault.survivors)
        try phone.happen(.unlock)
      case .lock: try phone.happen(.lock)
      case .clock: deviceClock.aheadMs += 3_600_000
      case .loseRequest, .loseReply, .limit, .failure: preconditionFailure("hits a request")
      }
    } catch {
      trouble = error
    }
  }

  private func end() {
    app?.process.kill()
    do throws(PhoneHostError) {
      try phone.endApps()
    } catch {
      trouble = error
    }
  }
}

private final class NoLinking: Linking {
  func open(_ url: String) async throws(NativeError) {}
}
