import Device
import Phone
import Ports
import Session

/// What an app with its client has beside the phone.
struct ClientSide {
  let server: ScenarioServer
  var oracle: ClientOracle
  /// Whether the server takes no token but the newest.
  let isStrict: Bool
  /// How many calls for tokens were counted when the app was looked at last.
  var judgedCallCount = 0
  /// How many operations the device had made before the last wait.
  var operationCount = 0

  /// - Throws: ``PhoneHostError`` when the crypto library fails.
  init?(_ settings: ScenarioSettings, seed: UInt64, atMs nowMs: Int64) throws(PhoneHostError) {
    guard settings.clientProfile != nil else { return nil }
    server = try ScenarioServer(settings, seed: seed, atMs: nowMs)
    isStrict = settings[ScenarioSettings.rotation] == "strict"
    oracle = ClientOracle(
      tokenCallsMax: Int(settings[ScenarioSettings.tokenCallsMax]) ?? SessionEnding.tokenCallsMax,
      tellsSignOuts: settings.backendKind == .gotrue)
  }

  /// A fault has fired: the session may be beyond what the server forgives.
  mutating func noteFired(_ fault: FaultRequest) {
    if fault.endsSession { oracle.noteLost() }
    if isStrict { oracle.noteBehind() }
  }
}

extension FaultRequest {
  /// Whether the server does not go on with the session after it, whatever the app does.
  fileprivate var endsSession: Bool {
    switch kind {
    case .revokeSession, .deleteUser, .banUser: true
    case .rotateElsewhere: values.rotations > 1
    default: false
    }
  }
}

/// How an app with its client does what the steps say.
extension CasePlayer {
  /// How long the person looks at an app that has been started, before it is judged.
  private static let lookMs: Int64 = 120_000
  private static let sliceMs: Int64 = 30_000

  /// - Returns: Whether it is one of the steps in which the client differs from the reference app.
  func playClient(_ action: Scenario.Action) throws(PhoneHostError) -> Bool {
    switch action {
    case .signIn: try signInAtServer()
    case .refresh: try act(.refresh, "has the server give a new session")
    case .read(let times, let everyMs):
      for number in 0..<times {
        if number > 0 { try pass(everyMs) }
        try act(.read, times == 1 ? "reads the session" : "reads the session, \(number + 1)")
      }
      try look("is looked at", for: 0, before: sight)
    case .signOut: try signOutAtServer()
    case .launch(let times, let way):
      for _ in 0..<times { try start(way) }
    case .become(let state):
      launch.state = state
      guard state == .active else {
        try act(.become(state), "goes to the background")
        break
      }
      let before = try sight
      try act(.become(state), "comes to the front")
      try look("is looked at", for: Self.lookMs, before: before)
    case .setClock(let ms):
      launch.clockAheadMs = ms
      if app != nil { try act(.setClock(aheadMs: ms), "has its clock set") }
      try tell("the clock is set \(Quantity.text(ofMs: ms)) from the true time", isFault: true)
    case .clock(let step): try pass(step)
    case .overlap, .storeSecret, .openURL:
      throw .refused("\(here): an app with its client does not do that")
    case .update, .snapshot, .restore, .happen, .disturbance: return false
    }
    return true
  }

  /// Two more cold starts must show the same.
  func checkClientRest() throws(PhoneHostError) {
    var shown: [ClientView] = []
    for _ in 0..<2 where host.launchProblem == nil {
      launch.state = host.launchState
      let (reply, _) = try perform(freshly: true) { app in spend(Self.lookMs, in: app) }
      guard var view = reply.view else { continue }
      (view.nowMs, view.signedOutCount) = (0, 0)
      view.session?.tokenDigest = ""
      view.session?.expiresMs = 0
      shown.append(view)
    }
    if shown.isEmpty || (shown.count == 2 && shown[0] == shown[1]) { return }
    try noteUnrest()
  }

  // MARK: - What the person does

  private func signInAtServer() throws(PhoneHostError) {
    let before = try sight
    client?.oracle.signInBegins()
    guard let view = try act(.signIn(ScenarioServer.owner), "signs in") else { return }
    let seen = try self.seen(view, since: before)
    judgements += client?.oracle.signInEnds(seen, atMs: host.nowMs) ?? []
  }

  private func signOutAtServer() throws(PhoneHostError) {
    let before = try sight
    client?.oracle.signOutBegins()
    guard let view = try act(.signOut, "signs out") else { return }
    let seen = try self.seen(view, since: before)
    judgements += client?.oracle.signOutEnds(seen, atMs: host.nowMs) ?? []
  }

  private func start(_ way: Scenario.LaunchWay) throws(PhoneHostError) {
    if let problem = host.launchProblem {
      return try tell("cold start: not started, for \(problem)", isFault: false)
    }
    endApp()
    launch.state = way == .background ? .background : host.launchState
    switch way {
    case .icon: try look("cold start", for: Self.lookMs, before: sight)
    case .background: try look("starts in the background", for: Self.lookMs, before: sight)
    case .callback:
      let url = client?.server.finishPage()
      client?.oracle.signInIsFinished(atMs: host.nowMs)
      try open(url, isForeign: false)
    case .foreignCallback: try open(client?.server.foreignCallback(), isForeign: true)
    }
  }

  /// The system starts the app with an address.
  private func open(_ url: String?, isForeign: Bool) throws(PhoneHostError) {
    guard let url else {
      throw .refused("\(here): no page is open that leads back to the app")
    }
    let before = try sight
    var failure: String?
    let (reply, fault) = try perform(freshly: true) { app in
      let reply = follow(app.perform(ClientCommand.open(url: url).words, atMs: host.nowMs))
      failure = reply.view?.failure
      guard case .result = reply else { return reply }
      return spend(Self.lookMs, in: app)
    }
    if let view = reply.view {
      let seen = try self.seen(view, since: before)
      judgements +=
        client?.oracle.callback(failure, isForeign: isForeign, seen, atMs: host.nowMs) ?? []
    } else {
      judgements += client?.oracle.look(AppAnswer(reply)) ?? []
    }
    let text =
      isForeign ? "is opened by another phone's address" : "is opened by the page's address"
    tell(text, reply, try host.halves(of: launch.item), fault)
  }

  /// Has the app do something that nobody judges.
  @discardableResult
  private func act(_ command: ClientCommand, _ text: String) throws(PhoneHostError) -> ClientView? {
    let (reply, fault) = try perform(freshly: false) { app in
      follow(app.perform(command.words, atMs: host.nowMs))
    }
    let halves = try host.halves(of: launch.item)
    tell(text, reply, halves, fault)
    return reply.view
  }

  // MARK: - What the person sees

  /// What is there before the app does something.
  private struct Before {
    let halves: HalvesView
    let newest: Set<String>
    let tokenCallCount: Int
  }

  private var sight: Before {
    get throws(PhoneHostError) {
      Before(
        halves: try host.halves(of: launch.item),
        newest: try client?.server.newestDigests() ?? [],
        tokenCallCount: client?.server.tokenCallCount ?? 0)
    }
  }

  private func look(_ text: String, for ms: Int64, before: Before) throws(PhoneHostError) {
    let (reply, fault) = try perform(freshly: false) { app in spend(ms, in: app) }
    if let view = reply.view {
      let seen = try self.seen(view, since: before)
      judgements += client?.oracle.look(seen, atMs: host.nowMs) ?? []
    } else {
      judgements += client?.oracle.look(AppAnswer(reply)) ?? []
    }
    tell(text, reply, try host.halves(of: launch.item), fault)
  }

  private func seen(
    _ view: ClientView, since before: Before
  ) throws(PhoneHostError) -> ClientOracle.Sight {
    let standing = try view.session.flatMap { session throws(PhoneHostError) in
      try client?.server.standing(of: session)
    }
    let storm = client?.server.tokenCallsInAMinute(from: client?.judgedCallCount ?? 0) ?? 0
    let callCount = client?.server.tokenCallCount ?? 0
    client?.judgedCallCount = callCount
    let after = try host.halves(of: launch.item)
    return ClientOracle.Sight(
      view: view, before: before.halves, after: after,
      isSeen: launch.state == .active, standing: standing,
      isGivenAgain: callCount > before.tokenCallCount && after != before.halves
        && view.session.map { before.newest.contains($0.tokenDigest) } ?? false,
      serverHasSession: try client?.server.newestDigests().isEmpty == false,
      tokenCallsInAMinute: storm)
  }

  // MARK: - Time

  /// Time passes; an app that runs does what it does by itself.
  private func pass(_ ms: Int64) throws(PhoneHostError) {
    guard app?.isRunning == true else {
      if host.advanceClock(byMs: ms) { client?.oracle.noteSettled(atMs: host.nowMs) }
      client?.server.pass(toMs: host.nowMs)
      return
    }
    let (reply, fault) = try perform(freshly: false) { app in spend(ms, in: app) }
    if fault != nil || reply.view == nil {
      tell("time passes", reply, try host.halves(of: launch.item), fault)
    }
  }

  /// Lets time pass in an app, in pieces: what was stored before half a minute without a call is
  /// durable.
  private func spend(_ ms: Int64, in app: any HostedApp) -> AppReply {
    let look = ClientCommand.look.words
    var reply = follow(app.perform(look, atMs: host.nowMs))
    var left = ms
    while left > 0, case .result = reply {
      let slice = min(left, Self.sliceMs)
      left -= slice
      wait(slice)
      // The requests of the app tell the server the time of each; it must not be ahead of them.
      reply = follow(app.perform(look, atMs: host.nowMs))
      client?.server.pass(toMs: host.nowMs)
    }
    return reply
  }

  private func wait(_ ms: Int64) {
    let count = host.withDevice { $0.operationCount }
    let isQuiet = count == client?.operationCount
    client?.operationCount = count
    if isQuiet, ms >= Self.sliceMs {
      if host.advanceClock(byMs: ms) { client?.oracle.noteSettled(atMs: host.nowMs) }
    } else {
      for part in [ms / 2, ms - ms / 2] { _ = host.advanceClock(byMs: part) }
    }
  }

  /// The phone's time goes on with the app's.
  private func follow(_ reply: AppReply) -> AppReply {
    if let view = reply.view, view.nowMs > host.nowMs {
      _ = host.advanceClock(byMs: min(view.nowMs - host.nowMs, Self.sliceMs - 1))
      if view.nowMs > host.nowMs { _ = follow(reply) }
    }
    return reply
  }
}

extension AppReply {
  /// How the app stands; `nil` for one that did not answer, or has no client.
  var view: ClientView? {
    if case .result(let result) = self, case .view(let view) = result.outcome { view } else { nil }
  }
}
