import Backend
import Session

/// Judges an app with its client by what its server knows.
///
/// The contract. A person who is signed in and has not signed out may expect to stay so.
/// - A session that is shown is right when the server would go on with it, and until its token expires.
/// - None that is shown is right after a sign-out, before a sign-in that was seen to succeed, or when
///   it could not be kept: a half was taken away, the server ended it for reasons of its own, what is
///   stored is older than what the server forgives because a backup or a power cut made it so, or a
///   server that forgives nothing did not reach the app with its reply. Nothing may be left stored
///   then, and the listeners are told at most once: exactly once where the server has ended a session
///   that could be read, for a client finds no more than nothing where a half was taken away.
/// - An app that says that it cannot tell, and has changed nothing, is right. One that nobody looks at
///   may say anything, if it changes nothing.
/// - No app asks for tokens more often in a minute than the scenario allows.
struct ClientOracle {
  /// How the app stands, with what the lab sees beside it.
  struct Sight {
    var view: ClientView
    var before: HalvesView
    var after: HalvesView
    /// Whether the person looks at the app.
    var isSeen = true
    /// What the shown session is worth; `nil` when none is shown.
    var standing: GoTrueServer.Standing?
    /// Whether the app has asked for a token meanwhile, and got one that the server had given before.
    var isGivenAgain = false
    /// Whether the server would go on with any session of the person.
    var serverHasSession = true
    /// The most calls for tokens in a minute since the last look.
    var tokenCallsInAMinute = 0
  }

  private(set) var facts = SessionFacts()
  private var losses: Loss = []
  /// Whether the session could not be kept, for a reason that is not the app's.
  private var isLost = false
  private var mayBeBehind = false
  private var hasReportedLeft = false
  private var endedInARow = 0
  /// Whether an address from a page was taken.
  private var isSignedIn = false
  /// What was true when the last sign-in began.
  private var statesBefore: Set<SignInState> = []
  /// The most calls for tokens in a minute.
  let tokenCallsMax: Int
  private var told: Told?

  /// How often the listeners were told of a sign-out since somebody has signed in.
  private struct Told {
    var count = 0
    var countOfLaunch = 0
    /// Whether an app has died since that may have told of one.
    var isUncertain = false
  }

  /// - Parameters:
  ///   - tokenCallsMax: The most calls for tokens in a minute.
  ///   - tellsSignOuts: Whether the client has listeners that it tells of a sign-out.
  init(tokenCallsMax: Int = SessionEnding.tokenCallsMax, tellsSignOuts: Bool = true) {
    self.tokenCallsMax = tokenCallsMax
    told = tellsSignOuts ? Told() : nil
  }

  mutating func appStarts() { told?.countOfLaunch = 0 }

  /// An app has told how it stands, or is gone.
  mutating func note(_ view: ClientView?) {
    guard let view else {
      told?.isUncertain = true
      return
    }
    guard let known = told else { return }
    told?.count += view.signedOutCount - known.countOfLaunch
    told?.countOfLaunch = view.signedOutCount
  }

  mutating func note(_ loss: Loss, atMs now: Int64) {
    losses.formUnion(loss)
    if loss.contains(.recency) { facts.losePower(atMs: now) }
  }

  /// All that was stored so far is durable.
  mutating func noteSettled(atMs now: Int64) { facts.settle(atMs: now) }

  /// The server has ended the session, or will not go on with it.
  mutating func noteLost() { isLost = true }

  /// The app may not have got what a server that forgives nothing has given it.
  mutating func noteBehind() { mayBeBehind = true }

  // MARK: - What the person does

  mutating func signInBegins() {
    statesBefore = facts.states
    facts.begin([.signedOut, .signedIn])
  }

  /// A sign-in that has failed may have changed a half all the same: the next look says what that has
  /// done, to somebody who was signed in before, too.
  mutating func signInEnds(_ sight: Sight, atMs now: Int64) -> [Judgement] {
    guard sight.view.session != nil else {
      guard let failure = sight.view.failure else { return [] }
      guard sight.before == sight.after else {
        facts.reach(statesBefore.union([.signedIn]), atMs: now)
        return []
      }
      facts.reach([.signedOut], atMs: now)
      return [Judgement(.reject, "the sign-in failed, and nothing has changed: \(failure)")]
    }
    facts.reach([.signedIn], atMs: now)
    (losses, isLost, mayBeBehind, hasReportedLeft) = ([], false, false, false)
    told?.count = 0
    told?.isUncertain = false
    return []
  }

  /// The person has signed in on the web page, which says so.
  mutating func signInIsFinished(atMs now: Int64) {
    if facts.states.contains(.signedIn) { facts.reach([.signedIn], atMs: now) }
  }

  /// The app was opened by an address that leads back from a page.
  ///
  /// - Parameters:
  ///   - failure: Why the app did not take it; `nil` when it did.
  ///   - isForeign: Whether it belongs to another phone.
  ///   - sight: What is seen afterwards.
  ///   - now: The true time.
  /// - Returns: The verdict.
  mutating func callback(
    _ failure: String?, isForeign: Bool, _ sight: Sight, atMs now: Int64
  ) -> [Judgement] {
    let isRepeated = isSignedIn
    isSignedIn = isSignedIn || failure == nil
    if failure == nil, isForeign || isRepeated {
      return [Judgement(.garbageAccepted, "an address was taken that belongs to no sign-in")]
    }
    guard let failure, isForeign || isRepeated || !facts.states.contains(.signedIn) else {
      let shown = look(sight, atMs: now)
      guard failure == nil, shown.map(\.verdict) == [.keep] else { return shown }
      return [Judgement(.recover, "the sign-in was finished after the app had ended")]
    }
    return sight.before == sight.after
      ? [Judgement(.reject, "the address is refused (\(failure)), and nothing has changed")]
      : [Judgement(.neverConverged, "the address is refused, and what is stored has changed")]
  }

  mutating func signOutBegins() { facts.begin([.signedOut, .signedIn]) }

  mutating func signOutEnds(_ sight: Sight, atMs now: Int64) -> [Judgement] {
    guard sight.view.session == nil else {
      return sight.before == sight.after
        ? [Judgement(.reject, "the sign-out failed, and the person is still signed in")] : []
    }
    facts.reach([.signedOut], atMs: now)
    hasReportedLeft = !sight.after.isEmpty
    return sight.after.isEmpty
      ? [] : [Judgement(.secretLeft, "something is still stored after a sign-out")]
  }

  // MARK: - What the person sees

  /// An app that does not run, or did not answer.
  mutating func look(_ answer: AppAnswer) -> [Judgement] {
    switch answer {
    case .noAnswer: return [Judgement(.hang, "the app did not answer")]
    case .ended(let how):
      endedInARow += 1
      return endedInARow < 2
        ? [] : [Judgement(.crashLoop, "the app ended by itself on two launches: \(how)")]
    default: return []
    }
  }

  mutating func look(_ sight: Sight, atMs now: Int64) -> [Judgement] {
    endedInARow = 0
    let view = sight.view
    if let violation = view.violations.first { return [Judgement(.guardBroken, violation)] }
    if sight.tokenCallsInAMinute > tokenCallsMax {
      return [
        Judgement(.requestStorm, "\(sight.tokenCallsInAMinute) token calls in a minute")
      ]
    }
    if !sight.isSeen, view.session == nil, facts.states == [.signedIn] { return unseen(sight) }
    if view.status == .loading {
      return [Judgement(.hang, "two minutes after its start the app still shows nothing")]
    }
    return view.session.map { [shown($0, sight, atMs: now)] } ?? missing(sight, atMs: now)
  }

  /// In the background an app may take the session for missing, for it cannot know; but it may not
  /// act on that.
  private func unseen(_ sight: Sight) -> [Judgement] {
    if sight.before == sight.after {
      return sight.view.isDeferred
        ? [Judgement(.defer, "not readable now, which nobody sees; nothing was changed")] : []
    }
    if isLost || !losses.isEmpty { return [] }
    return [Judgement(.falseSignOut, "nobody looked, and what is stored has changed")]
  }

  private mutating func shown(
    _ session: ClientView.ShownSession, _ sight: Sight, atMs now: Int64
  ) -> Judgement {
    guard facts.states.contains(.signedIn), !losses.contains(.app) else {
      return Judgement(.resurrection, "a session is back, though the person has signed out")
    }
    let isBack = facts.states.contains(.signedOut)
    facts.reach([.signedIn], atMs: now)
    switch sight.standing {
    case .newest where isBack:
      return Judgement(.recover, "the session is there, after the app had shown none")
    case .newest where sight.isGivenAgain:
      return Judgement(.recover, "the server has given its newest session once more")
    case .newest:
      return Judgement(.keep, "the server's newest session")
    case .forgiven:
      return Judgement(.recover, "the session before the server's newest, which forgives one")
    case .ended, nil:
      return session.expiresMs > now
        ? Judgement(.keep, "the server has ended the session; its token is good until it expires")
        : Judgement(.neverConverged, "the app shows a session that the server has ended")
    }
  }

  private mutating func missing(_ sight: Sight, atMs now: Int64) -> [Judgement] {
    if sight.view.isDeferred, facts.states.contains(.signedIn) {
      return sight.before == sight.after
        ? [Judgement(.defer, "not readable now; nothing was changed")]
        : [Judgement(.falseSignOut, "not readable now, and what is stored has changed")]
    }
    guard facts.states.contains(.signedIn), isExcused(sight) else {
      return facts.states.contains(.signedOut) ? quiet(sight.after) : [falseSignOut(atMs: now)]
    }
    facts.reach([.signedOut], atMs: now)
    hasReportedLeft = !sight.after.isEmpty
    if let told, !told.isUncertain, told.count > 1 || told.count == 0 && isEndedByServer {
      return [
        Judgement(
          .neverConverged,
          "the listeners were told of \(told.count) sign-outs for one end of a session")
      ]
    }
    return sight.after.isEmpty
      ? [Judgement(.cleanOut, "the session could not be kept, and nothing is left of it")]
      : [Judgement(.secretLeft, "something is still stored, though the session is lost")]
  }

  /// Whether the server has ended a session that the client could read.
  private var isEndedByServer: Bool {
    losses.isDisjoint(with: [.key, .blob])
      && (isLost || mayBeBehind || losses.contains(.backup))
  }

  /// Whether no app could have kept the session.
  private func isExcused(_ sight: Sight) -> Bool {
    if isLost || !losses.isDisjoint(with: [.key, .blob]) { return true }
    let isOlder = losses.contains(.recency)
    return (isOlder || mayBeBehind) && !sight.serverHasSession
      || isOlder && facts.states.contains(.signedOut)
  }

  private mutating func quiet(_ halves: HalvesView) -> [Judgement] {
    if halves.isEmpty || hasReportedLeft { return [] }
    hasReportedLeft = true
    return [Judgement(.secretLeft, "something is still stored, though nobody is signed in")]
  }

  /// It may come back by itself, or stay away.
  private mutating func falseSignOut(atMs now: Int64) -> Judgement {
    facts.reach([.signedOut, .signedIn], atMs: now)
    losses.remove(.recency)
    hasReportedLeft = true
    return Judgement(
      .falseSignOut, "signed out, though the person was signed in and did not ask for it")
  }
}
