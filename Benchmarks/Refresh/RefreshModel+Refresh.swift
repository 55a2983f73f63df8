/// One refresh at a time, its retries and its end.
extension RefreshModel {
  struct Slot {
    enum Outcome {
      case granted(expiry: Int)
      case unreachable, limited, failed, unavailable, reused
    }

    var isBusy = false
    /// Whether a request is under way, and not a pause.
    var isAsking = false
    var dueMs = Int.max
    var outcome = Outcome.unreachable
    var startMs = 0
    var pauseMs = 0
  }

  struct Waiter {
    var operation: Operation
    /// When it waits no longer.
    var dueMs: Int
  }

  private static var retriesMs: Int { 30_000 }

  // MARK: - Begin

  mutating func refresh(_ operation: Operation) {
    if slot.isBusy {
      witness.joined()
      return wait(operation)
    }
    guard now >= cooldownEndMs else { return finish(operation, fallback) }
    slot.isBusy = true
    slot.startMs = now
    slot.pauseMs = 200
    wait(operation)
    ask()
  }

  private mutating func wait(_ operation: Operation) {
    var dueMs = Int.max
    if kind.client == .hardened {
      if case .tick = operation {} else { dueMs = now + Self.patienceMs }
    }
    waiters.append(Waiter(operation: operation, dueMs: dueMs))
  }

  mutating func passDeadlines() {
    while let index = waiters.firstIndex(where: { $0.dueMs <= now }) {
      let waiter = waiters.remove(at: index)
      finish(waiter.operation, fallback)
    }
  }

  /// What a caller gets whose refresh failed: newer versions fall back on a token that is still good.
  private var fallback: Result {
    mutating get {
      guard kind.client != .seed106, expiryMs > now else { return .failed }
      return isLocked ? .rejected : .session
    }
  }

  // MARK: - Requests

  private mutating func ask() {
    if isOffline {
      witness.offlineAttempt(atMs: now)
      return endAttempt(.unreachable)
    }
    let wayMs = trace.latencyMs(ofRequest: requestCount)
    slot.isAsking = true
    slot.dueMs = .max
    guard !dies(before: now + wayMs) else { return }
    let outcome = serve(atMs: now + wayMs)
    slot.dueMs = now + 2 * wayMs
    slot.outcome = isOffline(atMs: slot.dueMs) ? .unreachable : outcome
  }

  /// What the server makes of a request.
  private mutating func serve(atMs ms: Int) -> Slot.Outcome {
    witness.tokenCall(atMs: ms)
    let fate = trace.fate(ofRequest: requestCount)
    requestCount += 1
    switch fate {
    case .limited: return .limited
    case .failed: return .failed
    case .unavailable: return .unavailable
    case .answered, .replyLost: break
    }
    if let spentMs {
      guard kind.isForgiving || ms <= spentMs + 10_000 else {
        return fate == .replyLost ? .unreachable : .reused
      }
    } else {
      spentMs = ms
    }
    return fate == .replyLost
      ? .unreachable : .granted(expiry: ms / 1000 * 1000 + trace.tokenMs)
  }

  mutating func advanceSlot() {
    slot.dueMs = .max
    guard slot.isAsking else { return ask() }
    slot.isAsking = false
    endAttempt(slot.outcome)
  }

  private mutating func endAttempt(_ outcome: Slot.Outcome) {
    switch outcome {
    case .granted(let expiry): grant(expiry)
    case .unreachable, .unavailable: retry()
    case .failed: if kind.client == .seed106 { refuse(.failed) } else { retry() }
    case .limited: refuse(.limited)
    case .reused: refuse(.reused)
    }
  }

  private mutating func retry() {
    guard now + slot.pauseMs - slot.startMs < Self.retriesMs else {
      if kind.client != .seed106 {
        cooldownEndMs = now + (kind.client == .hardened ? 5_000 : 60_000)
      }
      return settle { $0.fallback }
    }
    slot.dueMs = now + slot.pauseMs
    slot.pauseMs *= 2
  }

  // MARK: - End

  private mutating func grant(_ expiry: Int) {
    // A store that does not answer keeps the old tokens.
    guard !isLocked else { return settle { _ in .rejected } }
    let own = (now + 500) / 1000 * 1000 + trace.tokenMs
    take(expiry: kind.client == .hardened ? own : expiry)
    settle { _ in .session }
  }

  private mutating func refuse(_ cause: SignOutCause) {
    if kind.client == .hardened, cause != .reused { return keep() }
    if isLocked {
      // The store throws while the client looks into it: nobody else hears of that.
      if kind.client != .hardened { waiters.removeSubrange(min(1, waiters.count)...) }
      return settle { _ in .rejected }
    }
    if kind.client != .seed106, expiryMs > now { return keep() }
    signOut(cause)
    settle { _ in .failed }
  }

  /// The session stays, and is not refreshed for a minute.
  private mutating func keep() {
    cooldownEndMs = now + 60_000
    settle { $0.fallback }
  }

  private mutating func settle(_ result: (inout Self) -> Result) {
    slot = Slot()
    let waiting = waiters
    waiters.removeAll(keepingCapacity: true)
    for waiter in waiting { finish(waiter.operation, result(&self)) }
  }
}
