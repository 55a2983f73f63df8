/// The refresh behaviour of one auth client in the app of one phone, from event to event.
///
/// The contract. For each ``DeviceTrace`` it makes the token requests that `AuthClient` under
/// `AuthProvider` makes against `GoTrueServer`, in the same milliseconds, answers the app's calls in
/// the same ones with the same tokens, and signs out in the same one; tests play both and compare. What
/// those parts do at once, it does at once: only requests, pauses and the ticker take time. Where
/// nothing can happen (a good token, an app that is suspended) it jumps.
///
/// After a sign-out nobody signs in again: the phone's story ends there.
///
/// Not modelled: other calls of the client, a second factor, a device whose clock is wrong, a store
/// that loses what it acknowledged.
///
/// - Complexity: O(1) for each visit and each thing that happens while there is no good token.
struct RefreshModel<Witness: RefreshWitness> {
  let kind: RefreshKind
  let trace: DeviceTrace
  var witness: Witness

  var now = 0
  /// When the story of this phone ended.
  private(set) var endMs: Int
  private(set) var signOutCause: SignOutCause?

  // What is stored, and what the screens have.
  var expiryMs: Int
  var shownMs: Int?
  /// When the stored refresh token was shown to the server.
  var spentMs: Int?
  var requestCount = 0

  // The process.
  var isRunning = false
  var isInitialised = false
  var hasHeard = false
  /// Who waits for the end of the initialisation, in their order.
  var early: [Operation] = []
  var tickMs = Int.max
  var firstTickMs = Int.max
  var firstSessionMs = Int.max
  var firstSessionPauseMs = 0

  // The refresh under way.
  var slot = Slot()
  var waiters: [Waiter] = []
  var cooldownEndMs = 0

  // The lock of older versions.
  var lock = Lock()

  // The trace.
  private var visit = -1
  private var isInFront = false
  private var nextCallMs = Int.max
  private var suspension = DeviceTrace.Span(startMs: 0, endMs: 0)
  private(set) var killMs = Int.max
  private var freshSinceMs: Int?
  private var unlockedHint = 0
  private var offlineHint = 0

  init(_ kind: RefreshKind, _ trace: DeviceTrace, _ witness: Witness) {
    self.kind = kind
    self.trace = trace
    self.witness = witness
    endMs = trace.endMs
    expiryMs = trace.tokenMs
  }

  var isLocked: Bool {
    mutating get { !DeviceTrace.contains(trace.unlocked, now, from: &unlockedHint) }
  }

  var isOffline: Bool {
    mutating get { DeviceTrace.contains(trace.offline, now, from: &offlineHint) }
  }

  /// Later than now: the hint stays behind.
  func isOffline(atMs ms: Int) -> Bool {
    var hint = offlineHint
    return DeviceTrace.contains(trace.offline, ms, from: &hint)
  }

  // MARK: - Events

  mutating func run() {
    while signOutCause == nil {
      jump()
      let event = nextEvent
      guard event.ms < trace.endMs else { break }
      now = event.ms
      switch event.what {
      case .visit: begin()
      case .leaving: leave()
      case .kill: kill()
      case .call: call()
      case .tick: tick()
      case .firstTick: firstTick()
      case .firstSession: pollFirstSession()
      case .slot: advanceSlot()
      case .deadline: passDeadlines()
      }
    }
  }

  private enum Event {
    case visit, leaving, kill, call, tick, firstTick, firstSession, slot, deadline
  }

  private var nextEvent: (ms: Int, what: Event) {
    var next: (ms: Int, what: Event) = (Int.max, .visit)
    func consider(_ ms: Int, _ what: Event) { if ms < next.ms { next = (ms, what) } }
    if isInFront {
      consider(trace.visits[visit].span.endMs, .leaving)
      consider(nextCallMs, .call)
    } else {
      consider(visit + 1 < trace.visits.count ? trace.visits[visit + 1].span.startMs : .max, .visit)
      consider(killMs, .kill)
    }
    guard isRunning else { return next }
    let due = earliest
    if due.ms < suspension.startMs || due.ms >= suspension.endMs { consider(due.ms, due.what) }
    return next
  }

  /// What the process has to do next; nothing counts in a suspension.
  private var earliest: (ms: Int, what: Event) {
    var next: (ms: Int, what: Event) = (firstTickMs, .firstTick)
    if slot.dueMs < next.ms { next = (slot.dueMs, .slot) }
    if tickMs < next.ms { next = (tickMs, .tick) }
    if firstSessionMs < next.ms { next = (firstSessionMs, .firstSession) }
    if kind.client == .hardened, let due = waiters.first(where: { $0.dueMs < .max })?.dueMs,
      due < next.ms
    {
      next = (due, .deadline)
    }
    return next
  }

  /// Passes over calls and ticks that do nothing: all while the token is good and nobody waits.
  private mutating func jump() {
    guard isRunning, isInitialised, !slot.isBusy, !lock.isHeld else { return }
    let quietMs = expiryMs - Self.tickMarginMs
    passTicks(to: quietMs)
    passLockedTicks()
    // The first call of a visit comes before the first tick.
    guard isInFront, nextCallMs > trace.visits[visit].span.startMs, firstSessionMs == .max
    else { return }
    let end = min(trace.visits[visit].span.endMs - 1, quietMs)
    guard nextCallMs <= end else { return }
    let count = (end - nextCallMs) / DeviceTrace.callEachMs + 1
    witness.calls(count, fromMs: nextCallMs, expiry: expiryMs, shown: shownMs)
    nextCallMs += count * DeviceTrace.callEachMs
  }

  /// Ticks up to a moment do nothing; but the first one that is due in a time in which the app is
  /// suspended changes the pace.
  private mutating func passTicks(to ms: Int) {
    guard tickMs <= ms, tickMs < suspension.startMs else { return }
    let last = min(ms, suspension.startMs - 1)
    tickMs += ((last - tickMs) / Self.tickEachMs + 1) * Self.tickEachMs
  }

  /// Nor do those that find the store locked.
  private mutating func passLockedTicks() {
    guard tickMs < .max else { return }
    var hint = unlockedHint
    guard !DeviceTrace.contains(trace.unlocked, tickMs, from: &hint) else { return }
    passTicks(to: hint < trace.unlocked.count ? trace.unlocked[hint].startMs - 1 : trace.endMs)
  }

  // MARK: - The app

  /// The app comes to the front.
  private mutating func begin() {
    let slept = suspension
    visit += 1
    isInFront = true
    nextCallMs = now
    suspension = trace.suspension(after: visit)
    killMs = .max
    if expiryMs - now >= Self.marginMs {
      witness.fresh(afterMs: 0)
    } else {
      freshSinceMs = now
    }
    guard isRunning else { return launch() }
    resume(after: slept)
    if kind.isCoupled { startTicker() }
    if kind.client == .hardened { enter(.lookAgain) }
  }

  /// What was due while the app was suspended is due now: replies first.
  private mutating func resume(after slept: DeviceTrace.Span) {
    func postponed(_ ms: Int, by delay: Int) -> Int {
      ms >= slept.startMs && ms < slept.endMs ? slept.endMs + delay : ms
    }
    slot.dueMs = postponed(slot.dueMs, by: slot.isAsking ? 1 : 2)
    tickMs = postponed(tickMs, by: 2)
    firstSessionMs = postponed(firstSessionMs, by: 2)
    for index in waiters.indices { waiters[index].dueMs = postponed(waiters[index].dueMs, by: 2) }
  }

  private mutating func leave() {
    isInFront = false
    nextCallMs = .max
    killMs = trace.visits[visit].killMs
    if freshSinceMs != nil { witness.neverFresh() }
    freshSinceMs = nil
    if kind.isCoupled { tickMs = .max }
  }

  private mutating func kill() {
    isRunning = false
    killMs = .max
    isInitialised = false
    hasHeard = false
    shownMs = nil
    early.removeAll(keepingCapacity: true)
    waiters.removeAll(keepingCapacity: true)
    (tickMs, firstTickMs, firstSessionMs) = (.max, .max, .max)
    slot = Slot()
    cooldownEndMs = 0
    lock.reset()
  }

  mutating func call() {
    nextCallMs =
      nextCallMs == trace.visits[visit].span.startMs
      ? nextCallMs + DeviceTrace.firstCallMs : nextCallMs + DeviceTrace.callEachMs
    enter(.call(startMs: now, shown: shownMs))
  }

  /// Whether the process is killed before this moment.
  func dies(before ms: Int) -> Bool {
    guard visit >= 0 else { return false }
    return trace.visits[visit].killMs <= ms
  }

  // MARK: - The session

  mutating func take(expiry: Int) {
    expiryMs = expiry
    shownMs = expiry
    hasHeard = true
    spentMs = nil
    cooldownEndMs = 0
    if let since = freshSinceMs { witness.fresh(afterMs: now - since) }
    freshSinceMs = nil
  }

  mutating func signOut(_ cause: SignOutCause) {
    signOutCause = cause
    endMs = now
    if freshSinceMs != nil { witness.neverFresh() }
    witness.signedOut(atMs: now, cause)
  }
}
