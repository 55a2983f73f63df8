import Backend
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
/// failed. When the app or the phone dies, the person starts the app again and touches nothing more;
/// a backup that the story has is restored all the same. Half a minute without a call to the device makes everything durable, as write-back does.
///
/// Not modelled: two phones of one person, a person who types while the app still works.
final class SessionWorld {
  static let email = "ada@example.com"
  static let firstPassword = "correct horse battery"
  static let newPassword = "staple of the battery"
  private static let writeBackMs: Int64 = 30_000
  /// How long the person looks at a screen that does not change before the next thing.
  static let patience = Duration.seconds(70)

  let plan: SessionPlan
  let phone: SimulatedPhone
  let simulator: Simulator
  let server: GoTrueServer
  let network: SessionNetwork
  let deviceClock: SkewedClock
  private(set) var app: SessionApp?
  var facts = SessionFacts()
  private var violations: [StatusInvariants.Violation] = []

  /// How many steps the app has made so far.
  private var stepCount = 0
  /// The steps before which something outside the app's memory has changed.
  private var places: [Int] = []
  /// How many of them, and how many requests, belong to the story.
  private var storyPlaceCount = 0
  private(set) var storyRequestCount = 0
  /// What the app showed at its end.
  private(set) var storyEnd = SignInState.signedOut
  /// The refresh token of the session that the app showed at the time of the backup.
  var tokenOfBackup: String?
  var tokenCallsBeforeRestore = 0
  /// Whether the account has a second factor from the start.
  private(set) var hasFactor = false
  private let fault: SessionFault?
  private(set) var firedAt: String?
  /// The step of the app at which it is killed once more.
  private let secondKill: Int?
  private var isKilledAgain = false
  /// What happened so far; nothing in a world that is not told of.
  private(set) var account: [StoryLine] = []
  /// Where the halves are looked at: to ask this world's own phone would change what it draws.
  private let mirror: SimulatedPhone?
  private var trouble: PhoneHostError?
  /// Whether the app came to a point where nothing could go on any more.
  private var hasHung = false
  private var lastVersion: Version?
  private var lastCallMs: Int64
  private let startMs: Int64

  /// What a kill leaves.
  private struct Version: Equatable {
    var operationCount: Int
    var requestCount: Int
    var frame: AuthFrame?
  }

  /// - Parameters:
  ///   - plan: Which phone, store and client.
  ///   - fault: What falls on it; `nil` for a control.
  ///   - secondKill: The step of the app at which it is killed once more.
  ///   - isTold: Whether ``account`` is kept.
  /// - Throws: ``PhoneHostError`` when the settings make no phone.
  init(
    _ plan: SessionPlan, fault: SessionFault? = nil, secondKill: Int? = nil, isTold: Bool = false
  ) throws(PhoneHostError) {
    self.plan = plan
    self.fault = fault
    self.secondKill = secondKill
    var setup = PhoneSetup(plan.phone, plan.settings, seed: plan.seed)
    setup.clockStartMs -= setup.clockStartMs % 1000
    phone = try SimulatedPhone(setup)
    mirror = isTold ? try SimulatedPhone(setup) : nil
    simulator = Simulator(
      Choices(GivenOrder([])), startMs: setup.clockStartMs,
      interleaving: SimulatedPhone.interleaving)
    deviceClock = SkewedClock(simulator.clock)
    lastCallMs = setup.clockStartMs
    startMs = setup.clockStartMs
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
    network.fault = { [unowned self] number, request in
      guard let fault = self.fault, fault.kind.hitsRequest, fault.place == number else {
        return nil
      }
      self.note("\(request.method) \(request.path)")
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
  /// - Returns: What it came to; `nil` when a fault fell nowhere.
  /// - Throws: ``PhoneHostError`` when the lab could not play it.
  func run(_ story: SessionStory) throws(PhoneHostError) -> SessionExplorer.Case? {
    let ending = try play(story)
    guard fault == nil || firedAt != nil, secondKill == nil || isKilledAgain else { return nil }
    return SessionExplorer.Case(
      story: story, fault: fault, secondKill: secondKill, call: firedAt ?? "",
      judgement: ending.judgement(facts))
  }

  private func play(_ story: SessionStory) throws(PhoneHostError) -> SessionEnding {
    hasFactor = story.hasFactor
    if hasFactor {
      server.addFactor(to: Self.email)
      server.settings.refreshTokens = .v2
    }
    for (index, step) in story.steps.enumerated() {
      try perform(step)
      tell("\(step)")
      if let app, app.process.isGone, step != .restore {
        guard story.steps[index...].contains(.restore) else { break }
        try launch()
        tell("start it again")
      }
      try unlock()
    }
    storyPlaceCount = places.count
    storyRequestCount = network.requestCount
    storyEnd = SignInState(app?.frame ?? AuthFrame())
    try unlock()
    return try settle()
  }

  /// The person takes the phone out of the pocket.
  private func unlock() throws(PhoneHostError) {
    guard phone.state.withLock({ $0.phone.lockState }) != .unlocked else { return }
    try phone.happen(.unlock)
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
      tell("start it again")
    }
    try run(for: .seconds(120))
    tell("two minutes later")
    ending.first = app?.frame ?? AuthFrame()
    recoveryEnd = places.count
    try become(.background)
    try run(for: SessionStory.life * 2)
    try become(.active)
    try run(for: Self.patience)
    tell("back after twenty minutes in the background")
    try coldStart()
    tell("a cold start later")
    ending.last = app?.frame ?? AuthFrame()
    ending.halves = try phone.halves(of: SessionApp.item)
    facts.end?.refreshCount = network.tokenCallsMs.count - tokenCallsBeforeRestore
    if ending.last.session == nil {
      try signInAgain()
      ending.signsInAgain = app?.frame.session != nil
      try coldStart()
      ending.signsInAgain = ending.signsInAgain && app?.frame.session != nil
      tell("sign-in again, and a cold start")
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

  func run(for duration: Duration) throws(PhoneHostError) {
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
  func writeBack() {
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
      note("\(checkpoint.call) \(checkpoint.subject)")
      strike(fault)
    } else if secondKill == stepCount {
      isKilledAgain = true
      facts.end?.isDisturbed = true
      tell("kill again", isFault: true)
      noteDeath()
      end()
    }
  }

  private func note(_ place: String) {
    firedAt = place
    facts.end?.isDisturbed = true
    tell(fault.map { "\($0): \(place)" } ?? place, isFault: true)
  }

  private func tell(_ text: String, isFault: Bool = false) {
    guard let mirror else { return }
    var shows: String?
    if let app, !app.process.isGone { shows = SignInState.words(for: app.frame) }
    do throws(PhoneHostError) {
      try mirror.goOn(from: phone.standing, with: phone.withDevice { $0 })
      let (key, blob) = phone.told(try mirror.halves(of: SessionApp.item))
      account.append(
        StoryLine(
          milliseconds: simulator.clock.nowMs - startMs, text: text, shows: shows, key: key,
          blob: blob, isFault: isFault))
    } catch {
      trouble = error
    }
  }

  private func strike(_ fault: SessionFault) {
    do throws(PhoneHostError) {
      switch fault.kind {
      case .kill:
        noteDeath()
        end()
      case .powerCut:
        noteDeath()
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

  func end() {
    app?.process.kill()
    do throws(PhoneHostError) {
      try phone.endApps()
    } catch {
      trouble = error
    }
  }
}
