import Crypto
import Device
import JSON
import Phone
import Ports
import Session
import Zoo

/// Plays the steps of one case and has the oracle judge what it sees.
final class CasePlayer {
  let host: any HostedPhone
  var launch: AppLaunch
  var app: (any HostedApp)?
  private var oracle: Oracle
  private let savesChangeKey: Bool
  /// The newest generation that the app was told to store; 0 before the first.
  private var generation = 0
  private var acknowledgementCount = 0
  private var stepRanges: [Range<Int>] = []
  private var stepLines: [Int] = []
  /// Where the step under way begins, in operations and in the file.
  var stepStart = 0
  var stepLine = 0
  /// The file of the steps, for messages.
  var file = ""
  /// Whether nothing has happened since a cold start that changed no byte.
  private var isAtRest = false
  /// The fault that the next command of the app is to meet.
  var awaited: FaultRequest?

  /// The last look at what is stored, as long as the next one may be compared with it.
  private var lastLook: InventoryLook?

  /// What readings of the session have shown, in order.
  private(set) var sightings: [Sighting] = []
  /// The last of them with what is stored after it, when it was a cold start that has changed nothing.
  private var lastLaunch: Sighting?
  /// What has been lost since the last reading.
  private var newLosses: Loss = []

  /// Finds tokens in the clear; several players may share what it remembers.
  var search = TokenSearch()

  /// Told before each command of the app, where a fault would be armed, after it, and after each
  /// step.
  var onPhase: ((_ step: Int, Phase) -> Void)?

  enum Phase { case commandBegins, commandEnds, stepEnds }

  var judgements: [Judgement] = []
  var faults = FaultTally()
  var images: [ImageDigest] = []
  var story: [StoryRow] = []
  /// How many operations there had been after each row of the story.
  var rowEnds: [Int] = []
  var toldJudgementCount = 0
  /// The names of a program's items that the story has told.
  var toldItems: [Half: [String]] = [:]
  var stored: [StoredImage] = []

  /// What an app with its client has beside the phone; `nil` for the reference app.
  var client: ClientSide?

  init(on host: any HostedPhone, launch: AppLaunch, client: ClientSide? = nil) {
    self.host = host
    self.launch = launch
    self.client = client
    let kind = KnownStores.named(launch.foreign?.expectAs ?? launch.store)
    let isUnknown = kind == nil && launch.foreign != nil
    savesChangeKey = kind?.savesChangeKey ?? !isUnknown
    oracle = Oracle(
      isTwoHalf: isUnknown || kind?.parts == [.key, .blob],
      savesChangeKey: isUnknown ? nil : savesChangeKey)
  }

  /// Goes on from what is known, on another phone on which no save has begun yet.
  convenience init(on host: any HostedPhone, launch: AppLaunch, from known: Knowledge) {
    self.init(on: host, launch: launch)
    oracle = known.oracle
    generation = known.generation
  }

  /// What a verdict follows from, beside the device.
  struct Knowledge: Hashable {
    var oracle: Oracle
    var generation: Int
  }

  /// What would be known now if a fault ended the app.
  var knowledge: Knowledge { knowledge(withNotes: host.acknowledged) }

  /// What would have been known when the app had taken these notes.
  func knowledge(withNotes notes: String) -> Knowledge {
    var known = Knowledge(oracle: oracle, generation: generation)
    _ = noteSaves(in: &known.oracle, from: notes)
    return known
  }

  /// Plays all steps, then looks twice more: without faults the app must have come to rest.
  func play(_ steps: [Scenario.Step]) throws(PhoneHostError) {
    try goThrough(steps)
    if client == nil { try checkRest() } else { try checkClientRest() }
    app?.end()
    try noteStored("at the end")
  }

  /// Plays steps; the app may still run after them.
  func goThrough(_ steps: [Scenario.Step]) throws(PhoneHostError) {
    for step in steps {
      let first = host.withDevice { $0.operationCount }
      (stepStart, stepLine) = (first, step.line)
      try play(step)
      onPhase?(stepRanges.count, .stepEnds)
      stepRanges.append(first..<host.withDevice { $0.operationCount })
      stepLines.append(step.line)
    }
  }

  /// The points that the app announced while a step ran, each with its occurrence.
  func points(inStep index: Int) -> [TriggerExpression] {
    guard stepRanges.indices.contains(index) else { return [] }
    var counts: [LogicalPoint: Int] = [:]
    return points(in: stepRanges[index]).map { point in
      counts[point, default: 0] += 1
      return .point(point, occurrence: counts[point, default: 1])
    }
  }

  /// The line of the first step, of those that have ended, that came to a point.
  func line(ofStepThatReached point: LogicalPoint) -> Int? {
    zip(stepRanges, stepLines).first { points(in: $0.0).contains(point) }?.1
  }

  func points(in operations: Range<Int>) -> [LogicalPoint] {
    host.withDevice { $0.log }
      .filter { $0.kind == .point && operations.contains($0.number.number - 1) }
      .compactMap(\.target).compactMap(LogicalPoint.init).filter { $0 != .itemCommitted }
  }

  /// The operations that a step made, without points: what `op:N` counts.
  func operations(inStep index: Int) -> [OperationKind] {
    guard stepRanges.indices.contains(index) else { return [] }
    let range = stepRanges[index]
    return host.withDevice { $0.log }
      .filter { $0.kind != .point && range.contains($0.number.number - 1) }.map(\.kind)
  }

  // MARK: - Steps

  private func play(_ step: Scenario.Step) throws(PhoneHostError) {
    isAtRest = false
    if step.fault != nil || !step.action.onlyReads { lastLook = nil }
    if let fault = step.fault, fault.trigger == nil {
      endApp()
      try happen(fault)
    } else {
      awaited = step.fault
    }
    let isDone = client == nil ? false : try playClient(step.action)
    if !isDone { try play(step.action) }
    if let fault = awaited {
      faults.armed += 1
      noteNeverFired(fault, ["likely why: the step has the app do nothing"])
      awaited = nil
    }
  }

  private func play(_ action: Scenario.Action) throws(PhoneHostError) {
    switch action {
    case .signIn:
      generation = 1
      try save(["sign-in"], "signs in")
    case .refresh(let next):
      generation = next ?? generation + 1
      try save(
        ["refresh", "--to", String(generation)], "refreshes to generation \(generation)")
    case .overlap(let overlap): try play(overlap)
    case .read: try read("reads the session", freshly: false)
    case .launch(let times, _):
      for _ in 0..<times { try read("cold start, getItem", freshly: true) }
    case .signOut: try signOut()
    case .clock(let step):
      if host.advanceClock(byMs: step) { oracle.noteSettled() }
    case .storeSecret(let name): try storeSecret(name)
    case .update(let settings):
      endApp()
      launch.settings = launch.settings.merging(settings)
      try host.update(settings.knobs)
      try tell("is updated: \(settings)", isFault: false)
    case .snapshot(let name, let half): try host.happen(.snapshot(half.halves, name: name))
    case .restore(let name, let half, let isNew): try restore(name, half, isNew)
    case .happen(let request): try happen(request)
    case .disturbance(let steps): for step in steps { try play(step) }
    case .become(let state):
      try tell(
        ["become", state.rawValue],
        state == .active ? "comes to the front" : "goes to the background")
    case .openURL(let url): try tell(["open", url], "is opened by an address")
    case .setClock:
      throw .refused("\(here): only an app with its client does that")
    }
  }

  private func restore(
    _ name: String, _ half: Scenario.HalfChoice, _ isNew: Bool
  ) throws(PhoneHostError) {
    endApp()
    try host.happen(
      .restore(
        half.halves, name: name, onto: isNew ? .newDevice : .sameDevice,
        half == .both ? .platform : .verbatim))
    noteLosses()
    try tell("a backup is restored: \(half.rawValue)", isFault: true)
  }

  private func happen(_ named: FaultRequest) throws(PhoneHostError) {
    let request = try aimed(named)
    faults.armed += 1
    if request.kind.isOnServer {
      _ = try injectIntoServer(request)
      client?.noteFired(request)
    } else {
      try host.happen(request)
    }
    faults.fired += 1
    if request.kind == .powerCut { try noteImage(after: request) }
    noteLosses()
    try tell("\(request.kind.rawValue): \(request.kind.summary)", isFault: true)
  }

  private func save(_ words: [String], _ text: String) throws(PhoneHostError) {
    let before = try host.halves(of: launch.item)
    let (reply, fault) = try perform(words, freshly: false)
    acknowledgementCount = noteSaves(in: &oracle)
    let after = try host.halves(of: launch.item)
    let answer = AppAnswer(reply)
    if answer == .done, before.key == after.key, enforcesSizeRule { oracle.noteRefusedBySize() }
    judgements += oracle.saveEnds(
      answer, before: before, after: after, isDisturbed: fault != nil)
    tell(text, reply, after, fault)
  }

  /// Judges the calls of an overlap together: what is stored afterwards is the work of all.
  private func play(_ overlap: Overlap) throws(PhoneHostError) {
    generation = overlap.generation
    let hadSession = oracle.expectsSession
    let before = try host.halves(of: launch.item)
    let (reply, fault) = try perform(overlap.words, freshly: false)
    acknowledgementCount = noteSaves(in: &oracle)
    let after = try host.halves(of: launch.item)
    var calls = [AppAnswer(reply)]
    if case .result(let result) = reply, case .overlapped(let outcomes) = result.outcome {
      calls = outcomes.map { AppAnswer(call: $0) }
      if hadSession { judgements += calls.flatMap { oracle.readMeanwhile($0) } }
    }
    if calls.contains(.done) { calls = [.done] }
    judgements += oracle.saveEnds(
      calls[0], before: before, after: after, isDisturbed: fault != nil)
    tell("\(overlap), \(order(of: overlap))", reply, after, fault)
  }

  /// Where a save puts something new into the key half, one that is as before was refused there.
  private var enforcesSizeRule: Bool {
    savesChangeKey
      && launch.settings[ScenarioSettings.sizeRule] == SizeRule.enforce.rawValue
  }

  /// A text of the app's own, beside the session; the words follow from its name.
  private func storeSecret(_ name: String) throws(PhoneHostError) {
    let (reply, fault) = try perform(["secret", name, "the \(name)"], freshly: false)
    let after = try host.halves(of: launch.item)
    if AppAnswer(reply) == .done { oracle.noteSecret(name) }
    tell("stores a secret of its own: \(name)", reply, after, fault)
  }

  private func read(_ text: String, freshly: Bool) throws(PhoneHostError) {
    if freshly, let problem = host.launchProblem {
      return try tell("\(text): not started, for \(problem)", isFault: false)
    }
    let before = halves()
    let image = host.withDevice { $0.liveDigest() }
    let (reply, fault) = try perform(["get"], freshly: freshly)
    if case .result = reply, freshly, fault == nil {
      isAtRest = host.withDevice { $0.liveDigest() } == image
    }
    if fault != nil { lastLook = nil }
    let stored = halves()
    var after = stored
    if let token = token(atMs: host.nowMs) {
      after.showsToken = host.withDevice { [search] device in
        device.noteShares()
        return search.finds(token, in: device.live)
      }
    }
    judgements += oracle.launch(
      AppAnswer(reply), before: before, after: after, isDisturbed: fault != nil)
    sightings.append(
      Sighting(
        reply: reply, losses: newLosses, isDisturbed: fault != nil, before: before, after: after))
    newLosses = []
    lastLaunch = isAtRest ? Sighting(reply: reply, before: stored, after: after) : nil
    tell(text, reply, after, fault)
  }

  /// What one more cold start would show, when the last step was one and has changed no byte: the app
  /// begins on the same bytes, and the service has seen them all. `nil` when it has to be played.
  var repeatedLaunch: Sighting? { isAtRest ? lastLaunch : nil }

  /// What is stored now, when nothing but launches has come between this look and the last one. A view
  /// of the halves counts the files that nothing leads to, and shows nothing of them.
  private func halves() -> HalvesView {
    let look = host.inventoryLook(after: lastLook, readsOrphans: false)
    lastLook = look
    return host.halves(of: launch.item, in: look.inventory)
  }

  /// Has the app hear of something that nobody judges.
  private func tell(_ words: [String], _ text: String) throws(PhoneHostError) {
    let (reply, fault) = try perform(words, freshly: false)
    tell(text, reply, try host.halves(of: launch.item), fault)
  }

  private func signOut() throws(PhoneHostError) {
    let (reply, fault) = try perform(["sign-out"], freshly: false)
    let after = try host.halves(of: launch.item)
    judgements += oracle.signOutEnds(AppAnswer(reply), after: after)
    tell("signs out", reply, after, fault)
  }

  /// Two more cold starts must answer alike, and like the last one; they do after one that has left
  /// the image as it was.
  private func checkRest() throws(PhoneHostError) {
    guard !isAtRest else { return }
    var answers: [AppAnswer] = []
    for _ in 0..<2 where host.launchProblem == nil {
      let before = halves()
      let answer = AppAnswer(try perform(["get"], freshly: true).reply)
      let after = halves()
      if before != after, answers.count == 1 { answers.append(.noAnswer) }
      answers.append(answer)
    }
    if answers.isEmpty || (answers.count == 2 && answers[0] == answers[1]) { return }
    try noteUnrest()
  }

  static let unrest = Judgement(
    .neverConverged, "two cold starts in a row, without a fault, still differ")

  func noteUnrest() throws(PhoneHostError) {
    judgements.append(Self.unrest)
    try tell("two more cold starts", isFault: false)
  }

  // MARK: - The app

  /// Tells the oracles what was taken away meanwhile.
  private func noteLosses() {
    let losses = host.takeLosses()
    newLosses.formUnion(losses)
    oracle.note(losses)
    client?.oracle.note(losses, atMs: host.nowMs)
  }

  func endApp() {
    app?.end()
    app = nil
  }

  private func perform(
    _ words: [String], freshly: Bool
  ) throws(PhoneHostError) -> (reply: AppReply, fault: FaultRequest?) {
    try perform(freshly: freshly) { [host] app in app.perform(words, atMs: host.nowMs) }
  }

  /// Has the app do something, with the step's fault armed meanwhile.
  func perform(
    freshly: Bool, _ work: (any HostedApp) -> AppReply
  ) throws(PhoneHostError) -> (reply: AppReply, fault: FaultRequest?) {
    isAtRest = false
    let fault = awaited
    awaited = nil
    if freshly || app?.isRunning != true { endApp() }
    let armed = try fault.map { fault throws(PhoneHostError) in try arm(fault) }
    onPhase?(stepRanges.count, .commandBegins)
    let app: any HostedApp
    if let running = self.app {
      app = running
    } else {
      if client == nil { launch.state = host.launchState }
      app = try host.start(launch, reaching: client?.server)
      client?.oracle.appStarts()
    }
    let reply = work(app)
    client?.oracle.note(reply.view)
    try checkEnd(of: app, armed)
    if case .result(let result) = reply {
      if case .adapter(let problem) = result.outcome {
        app.end()
        throw .adapter(problem)
      }
      judgements += Oracle.storm(serviceCallCount: result.serviceCallCount)
    }
    self.app = app.isRunning ? app : nil
    host.waitUntilServiceRests()
    onPhase?(stepRanges.count, .commandEnds)
    if let armed, let fault { try conclude(armed, fault) }
    noteLosses()
    if let failure = host.eventFailures.first {
      throw .refused("\(here): \(fault?.description ?? "an event"): \(failure)")
    }
    return (reply, fault)
  }

  /// The token that must not stand in the clear: that of the newest session.
  func token(atMs nowMs: Int64) -> [UInt8]? {
    search.token(of: launch, generation: generation, issuedAtMs: nowMs)
  }

  /// Tells an oracle of saves that have begun since the last look.
  ///
  /// - Returns: How many notes of the app are known now.
  private func noteSaves(in oracle: inout Oracle, from notes: String? = nil) -> Int {
    guard let entries = try? AcknowledgementLog.read(notes ?? host.acknowledged) else {
      return acknowledgementCount
    }
    for entry in entries.dropFirst(acknowledgementCount) {
      guard let session = entry.session, let generation = session.generation else { continue }
      oracle.saveBegins(
        user: session.user ?? "", generation: generation, fingerprint: session.textDigest)
    }
    return entries.count
  }
}

extension Scenario.Action {
  /// Whether it does nothing but start the app, or have it read.
  fileprivate var onlyReads: Bool {
    switch self {
    case .read, .launch: true
    case .signIn, .refresh, .overlap, .signOut, .clock, .storeSecret, .update, .snapshot, .restore,
      .happen, .disturbance, .become, .openURL, .setClock:
      false
    }
  }
}

extension Scenario.HalfChoice {
  var halves: Set<Half> {
    switch self {
    case .key: [.key]
    case .blob: [.blob]
    case .both: [.key, .blob]
    }
  }
}
