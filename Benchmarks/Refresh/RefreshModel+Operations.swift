/// What the client is asked to do, and its ticker.
extension RefreshModel {
  static var marginMs: Int { 90_000 }
  static var tickMarginMs: Int { 120_000 }
  static var tickEachMs: Int { 30_000 }
  static var patienceMs: Int { 3_000 }

  /// Who wants the stored session.
  enum Operation {
    case initialise
    /// The turn of a new subscriber, and the session that it is told of.
    case firstEvent, firstSession
    /// The provider's first look at it, and the hardened one's at each return.
    case prime, lookAgain
    case tick
    case call(startMs: Int, shown: Int?)
  }

  enum Result {
    case session, failed
    /// The store threw.
    case rejected
  }

  // MARK: - Launch

  mutating func launch() {
    isRunning = true
    firstSessionPauseMs = 100
    // Comes before what the provider begins with.
    call()
    if kind.client == .seed106 { _ = lock.enter(.initialise) }
    if expiryMs - now >= Self.marginMs {
      hasHeard = true
      shownMs = expiryMs
      begun()
      finish(.initialise, .session)
    } else {
      refresh(.initialise)
      begun()
    }
  }

  /// What the provider does at the start of the app.
  private mutating func begun() {
    early.append(.firstEvent)
    if kind.isCoupled { startTicker() }
    early.append(.prime)
  }

  mutating func initialised() {
    isInitialised = true
    let waiting = early
    early.removeAll(keepingCapacity: true)
    for operation in waiting { enter(operation) }
  }

  // MARK: - Ticker

  mutating func startTicker() {
    tickMs = now + Self.tickEachMs
    firstTickMs = now
  }

  mutating func firstTick() {
    firstTickMs = .max
    if isInitialised { enter(.tick) } else { early.append(.tick) }
  }

  mutating func tick() {
    tickMs = now + Self.tickEachMs
    enterTurn(.tick)
  }

  // MARK: - Operations

  /// Begins an operation: after the initialisation, and in its turn.
  mutating func enter(_ operation: Operation) {
    guard isInitialised else { return early.append(operation) }
    enterTurn(operation)
  }

  private mutating func enterTurn(_ operation: Operation) {
    guard kind.client == .seed106 else { return perform(operation) }
    if slot.isBusy { witness.joined() }
    if lock.enter(operation) { perform(operation) }
  }

  mutating func perform(_ operation: Operation) {
    switch operation {
    case .tick:
      if kind.client != .seed106, slot.isBusy { return }
      load(operation, marginMs: Self.tickMarginMs)
    case .firstEvent:
      // Its turn is over at once; the session is told of outside it.
      load(.firstSession, marginMs: Self.marginMs)
      finish(operation, .session)
    case .initialise, .firstSession, .prime, .lookAgain, .call:
      load(operation, marginMs: Self.marginMs)
    }
  }

  private mutating func load(_ operation: Operation, marginMs: Int) {
    guard signOutCause == nil else { return finish(operation, .failed) }
    guard !isLocked else { return finish(operation, .rejected) }
    // What has exactly so much left: a tick refreshes it, a call does not.
    let left = expiryMs - now
    guard left < marginMs else { return finish(operation, .session) }
    refresh(operation)
  }

  mutating func pollFirstSession() {
    firstSessionMs = .max
    load(.firstSession, marginMs: Self.marginMs)
  }

  /// An operation has come to its end: its turn, and then its caller.
  mutating func finish(_ operation: Operation, _ result: Result) {
    if case .initialise = operation { startTicker() }
    if case .firstSession = operation { return deliver(operation, result) }
    guard kind.client == .seed106 else { return deliver(operation, result) }
    let (returning, next) = lock.leave(operation, isRejected: result == .rejected, result)
    for (operation, result) in returning { deliver(operation, result) }
    if let next { perform(next) }
  }

  private mutating func deliver(_ operation: Operation, _ result: Result) {
    switch operation {
    case .initialise: initialised()
    case .firstEvent, .tick, .lookAgain: break
    case .firstSession: tellFirstSession(result)
    case .prime: if result == .session, !hasHeard { shownMs = expiryMs }
    case .call(let startMs, let shown):
      witness.call(
        startMs: startMs, endMs: now, expiry: result == .session ? expiryMs : nil, shown: shown)
    }
  }

  private mutating func tellFirstSession(_ result: Result) {
    var result = result
    // The hardened client looks once more, for the session that it could not refresh.
    if kind.client == .hardened, result == .failed, isLocked { result = .rejected }
    switch result {
    case .session: shownMs = expiryMs
    case .failed: shownMs = kind.client == .hardened ? expiryMs : nil
    case .rejected:
      guard kind.client == .hardened else { return }
      firstSessionMs = now + firstSessionPauseMs
      firstSessionPauseMs = min(firstSessionPauseMs * 2, 30_000)
      return
    }
    hasHeard = true
  }
}

extension RefreshModel {
  /// The queue of older versions: who comes first returns last, when nobody waits any more.
  struct Lock {
    private(set) var isHeld = false
    private var waiting: [Operation] = []
    private var next = 0
    private var isFirstDone = false
    private var first: (Operation, Result)?

    mutating func reset() {
      isHeld = false
      isFirstDone = false
      first = nil
      waiting.removeAll(keepingCapacity: true)
      next = 0
    }

    /// - Returns: Whether it may begin at once.
    mutating func enter(_ operation: Operation) -> Bool {
      guard isHeld else {
        isHeld = true
        return true
      }
      waiting.append(operation)
      return false
    }

    /// - Returns: Who returns to its caller now, and who begins.
    mutating func leave(
      _ operation: Operation, isRejected: Bool, _ result: Result
    ) -> (returning: [(Operation, Result)], next: Operation?) {
      var returning: [(Operation, Result)] = []
      if !isFirstDone, !isRejected {
        first = (operation, result)
      } else {
        returning.append((operation, result))
      }
      isFirstDone = true
      if next < waiting.count {
        next += 1
        return (returning, waiting[next - 1])
      }
      if let first { returning.append(first) }
      reset()
      return (returning, nil)
    }
  }
}
