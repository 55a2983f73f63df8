/// Who is signed in, as the screens see it: derived from what the auth client tells.
///
/// States: ``AuthFrame``. It begins `loading`, and leaves that once the first `getSession()` has
/// settled, the recovery marker has been read, and the levels of the session found are known; it
/// never comes back. A session that lands afterwards is derived again; only the newest derivation
/// counts. Pure: whoever drives it runs the effects and shows ``frame`` after each input.
///
/// Not modelled: anything of the server. The levels are the client's opinion.
package struct StatusMachine: Equatable, Sendable {
  /// What the text of a marker is while a recovery code is being checked. The user's id is not known
  /// then; whoever owns the session that a launch finds beside it is recovering.
  package static let pendingMarker = "pending"

  package let profile: AppProfile
  package private(set) var frame = AuthFrame()
  /// Counts the inputs, so that an answer can say what it did not know of.
  package private(set) var inputCount = 0

  private var isPrimed = false
  private var isOverdue = false
  private var hasFailedPriming = false
  /// An event told of the session, and is at least as new as what `getSession()` will say.
  private var hasHeard = false
  private var marker = Marker.unread
  private var derivation = 0
  /// Whose data may be in the cache.
  private var cacheOwner: String?
  /// The person signed out, and the client did not do it: what it still tells is of no account.
  private var isSignedOutUnheard = false

  private enum Marker: Hashable {
    case unread
    case read(String?)
  }

  package init(_ profile: AppProfile) { self.profile = profile }

  /// What to do first.
  ///
  /// `hardened` reads the marker beside the session, so that a session that lands early has its flag.
  package var beginning: [StatusEffect] {
    switch profile {
    case .seed: [.prime]
    case .hardened: [.readMarker, .prime]
    }
  }

  /// - Returns: What to do about it.
  /// - Complexity: O(1).
  package mutating func take(_ input: StatusInput) -> [StatusEffect] {
    inputCount += 1
    switch input {
    case .event(let event, let session): return heard(event, session)
    case .primed(let result): return primed(result)
    case .primingOverdue: return overdue()
    case .markerRead(let value):
      // What was written or removed meanwhile is newer than what was read.
      if marker == .unread { marker = .read(value) }
      return initialise()
    case .derived(let number, let assurance):
      if number == derivation { settle(assurance) }
      return []
    case .rechecked(let since, let session): return rechecked(since: since, session)
    case .passwordChanged: return endRecovery()
    case .signOutUnheard:
      hasHeard = true
      isSignedOutUnheard = true
      return signedOut()
    }
  }

  // MARK: Events

  private mutating func heard(_ event: AuthEvent, _ session: AuthSession?) -> [StatusEffect] {
    hasHeard = true
    switch event {
    case .signedOut:
      isSignedOutUnheard = false
      return signedOut()
    case .passwordRecovery:
      isSignedOutUnheard = false
      return beginRecovery(of: session) + land(session)
    case .signedIn:
      isSignedOutUnheard = false
      // A restored session is told of by the same event, in time. `hardened` knows it by itself, too.
      let isReplay = profile == .hardened && session == frame.session
      return (isPrimed && !isReplay ? endRecovery() : []) + land(session)
    case .userUpdated:
      // Any change of the user raises it. `hardened` waits for the screen that set a password.
      let effects = profile == .seed ? endRecovery() : []
      return effects + land(session)
    case .initialSession, .tokenRefreshed, .mfaChallengeVerified:
      return land(session)
    }
  }

  private mutating func signedOut() -> [StatusEffect] {
    frame.isDeferred = false
    cacheOwner = nil
    return [.clearCache] + endRecovery() + land(nil)
  }

  private mutating func beginRecovery(of session: AuthSession?) -> [StatusEffect] {
    frame.isRecovering = true
    guard let user = session?.ownerID else { return [] }
    marker = .read(user)
    return [.writeMarker(user)]
  }

  private mutating func endRecovery() -> [StatusEffect] {
    frame.isRecovering = false
    marker = .read(nil)
    return [.removeMarker]
  }

  // MARK: Priming

  private mutating func primed(_ result: StatusInput.Priming) -> [StatusEffect] {
    // Nothing catches a rejection there, so nothing after the call runs.
    if profile == .seed, result == .rejected { return [] }
    isPrimed = true
    var effects: [StatusEffect] = []
    if case .session(let session) = result {
      frame.isDeferred = false
      if !hasHeard { effects = land(session) }
    } else {
      hasFailedPriming = true
    }
    switch profile {
    case .seed: return effects + [.readMarker]
    case .hardened:
      // After the deadline the app is initialised already, and this is news.
      return effects + (frame.isInitialised ? dropForeignMarker() : initialise())
    }
  }

  /// Flips `isInitialised` once everything is known, the recovery flag first.
  private mutating func initialise() -> [StatusEffect] {
    guard !frame.isInitialised, isPrimed || isOverdue, case .read = marker else { return [] }
    var effects = dropForeignMarker()
    frame.isInitialised = true
    frame.isDeferred = profile == .hardened && frame.session == nil && isUndecided
    effects += land(frame.session)
    return effects
  }

  private mutating func overdue() -> [StatusEffect] {
    guard frame.status == .loading else { return [] }
    isOverdue = true
    // A store that hangs counts as one that cannot be read.
    if marker == .unread { marker = .read(nil) }
    if frame.isInitialised {
      settle(.unknown)
      return []
    }
    return initialise()
  }

  /// A marker of somebody else, or of nobody, is removed; unless a session may still turn up.
  private mutating func dropForeignMarker() -> [StatusEffect] {
    guard case .read(.some) = marker, !isMarked(frame.session) else { return [] }
    if profile == .hardened, frame.session == nil, isUndecided { return [] }
    return endRecovery()
  }

  /// Whether a stored session may still turn up.
  private var isUndecided: Bool { hasFailedPriming || !isPrimed }

  private func isMarked(_ session: AuthSession?) -> Bool {
    guard let session, case .read(let text?) = marker else { return false }
    return text == session.ownerID || (profile == .hardened && text == Self.pendingMarker)
  }

  // MARK: Sessions

  /// A session, or its absence, becomes what the screens see.
  private mutating func land(_ session: AuthSession?) -> [StatusEffect] {
    if isSignedOutUnheard, session != nil { return [] }
    var effects: [StatusEffect] = []
    let old = frame.userID
    let new = session?.ownerID
    let before = profile == .seed ? old : cacheOwner
    if let before, let new, before != new { effects.append(.clearCache) }
    if let new { cacheOwner = new }
    frame.session = session
    if isMarked(session) { frame.isRecovering = true }
    derivation += 1
    guard frame.isInitialised else { return effects }
    guard session != nil else {
      frame.status = .unauthenticated
      return effects
    }
    frame.isDeferred = false
    if let old, old != new, frame.status != .loading { frame.status = .unauthenticated }
    effects.append(.derive(derivation))
    return effects
  }

  private mutating func settle(_ assurance: Assurance) {
    switch assurance {
    case .sufficient: frame.status = .authenticated
    case .stepUpNeeded: frame.status = .needsMFA
    case .unknown:
      // Fails open. `hardened` does not let an error lift a challenge that is known to be due, and
      // goes by what the session says of itself.
      let isDue = frame.status == .needsMFA || frame.session?.needsSecondFactor == true
      frame.status = profile == .hardened && isDue ? .needsMFA : .authenticated
    }
  }

  private mutating func rechecked(since: Int, _ session: AuthSession?) -> [StatusEffect] {
    guard since == inputCount - 1, frame.isInitialised, isPrimed else { return [] }
    if session == nil { return frame.session == nil ? [] : signedOut() }
    return session == frame.session ? [] : land(session)
  }
}
