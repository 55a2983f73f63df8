import Backend
import Testing

@testable import Chaos
@testable import Session

/// Each word of the oracle of apps with their client, from a sight that is wrong in one way.
@Suite struct `The oracle of an app with its client` {
  private static let stored = HalvesView(key: "k1", blob: "b1")
  private static let other = HalvesView(key: "k1", blob: "b2")
  private static let nothing = HalvesView(key: nil, blob: nil)
  private static let shown = ClientView.ShownSession(
    user: "u", id: "s", tokenDigest: "t", expiresMs: 10_000)

  private static func view(_ session: ClientView.ShownSession?) -> ClientView {
    var view = ClientView(session == nil ? .unauthenticated : .authenticated, nowMs: 0)
    view.session = session
    return view
  }

  /// What is seen of an app that is signed in, and right.
  private static var right: ClientOracle.Sight {
    ClientOracle.Sight(
      view: view(shown), before: stored, after: stored, standing: .newest)
  }

  /// What is seen of an app that shows nobody, with nothing stored.
  private static var empty: ClientOracle.Sight {
    var view = view(nil)
    view.signedOutCount = 1
    return ClientOracle.Sight(view: view, before: stored, after: nothing)
  }

  private static var signedIn: ClientOracle {
    var oracle = ClientOracle()
    oracle.signInBegins()
    #expect(oracle.signInEnds(right, atMs: 0).isEmpty)
    oracle.noteSettled(atMs: 1)
    return oracle
  }

  private static func verdicts(
    _ sight: ClientOracle.Sight, _ happens: (inout ClientOracle) -> Void = { _ in }
  ) -> [Verdict] {
    var oracle = signedIn
    oracle.note(sight.view)
    happens(&oracle)
    return oracle.look(sight, atMs: 2).map(\.verdict)
  }

  private static func changed(
    _ sight: ClientOracle.Sight, _ change: (inout ClientOracle.Sight) -> Void
  ) -> ClientOracle.Sight {
    var sight = sight
    change(&sight)
    return sight
  }

  @Test func `keeps what the server takes, and recovers what it forgives or gives again`() {
    #expect(Self.verdicts(Self.right) == [.keep])
    #expect(Self.verdicts(Self.changed(Self.right) { $0.standing = .forgiven }) == [.recover])
    #expect(Self.verdicts(Self.changed(Self.right) { $0.isGivenAgain = true }) == [.recover])
  }

  @Test func `lets an ended session be shown until its token expires, and no longer`() {
    let ended = Self.changed(Self.right) { $0.standing = .ended }
    #expect(Self.verdicts(ended) == [.keep])
    let expired = Self.changed(ended) { $0.view.session?.expiresMs = 1 }
    #expect(Self.verdicts(expired) == [.neverConverged])
  }

  @Test func `takes a missing session for a false sign-out, unless something excuses it`() {
    #expect(Self.verdicts(Self.empty) == [.falseSignOut])
    #expect(Self.verdicts(Self.empty) { $0.note(.key, atMs: 1) } == [.cleanOut])
    #expect(Self.verdicts(Self.empty) { $0.noteLost() } == [.cleanOut])
    // An older session is no excuse while the server would go on with it.
    #expect(Self.verdicts(Self.empty) { $0.note(.recency, atMs: 1) } == [.falseSignOut])
    let refused = Self.changed(Self.empty) { $0.serverHasSession = false }
    #expect(Self.verdicts(refused) { $0.note(.recency, atMs: 1) } == [.cleanOut])
    #expect(Self.verdicts(refused) { $0.noteBehind() } == [.cleanOut])
    #expect(Self.verdicts(refused) == [.falseSignOut])
  }

  @Test func `wants a clean-out to be whole, and told of once`() {
    let left = Self.changed(Self.empty) { $0.after = Self.stored }
    #expect(Self.verdicts(left) { $0.noteLost() } == [.secretLeft])
    let twice = Self.changed(Self.empty) { $0.view.signedOutCount = 2 }
    #expect(Self.verdicts(twice) { $0.noteLost() } == [.neverConverged])
    let never = Self.changed(Self.empty) { $0.view.signedOutCount = 0 }
    for isEnded in [true, false] {
      let expected = isEnded ? [Verdict.neverConverged] : [.cleanOut]
      #expect(
        Self.verdicts(never) { isEnded ? $0.noteLost() : $0.note(.key, atMs: 1) } == expected)
      // An app that has died may have told of it.
      let died = Self.verdicts(never) {
        $0.noteLost()
        $0.note(nil)
      }
      #expect(died == [.cleanOut])
    }
  }

  @Test func `counts in all launches how often a sign-out was told of`() {
    let expected: [Int: Verdict] = [0: .neverConverged, 1: .cleanOut, 2: .neverConverged]
    for (count, verdict) in expected {
      var oracle = Self.signedIn
      oracle.noteLost()
      for _ in 0..<count {
        oracle.appStarts()
        oracle.note(Self.empty.view)
        oracle.note(Self.empty.view)
      }
      oracle.appStarts()
      oracle.note(Self.view(nil))
      #expect(oracle.look(Self.empty, atMs: 2).map(\.verdict) == [verdict], "\(count)")
    }
  }

  @Test func `takes a failed sign-in for rejected only where nothing has changed`() {
    var failed = Self.empty
    failed.view.failure = "no space"
    (failed.before, failed.after) = (Self.nothing, Self.nothing)
    var oracle = ClientOracle()
    oracle.signInBegins()
    #expect(oracle.signInEnds(failed, atMs: 0).map(\.verdict) == [.reject])
    failed.after = HalvesView(key: "k1", blob: nil)
    oracle = ClientOracle()
    oracle.signInBegins()
    #expect(oracle.signInEnds(failed, atMs: 0).isEmpty)
    #expect(oracle.look(failed, atMs: 1).map(\.verdict) == [.secretLeft])
    // Who was signed in before has lost that.
    failed.before = Self.stored
    oracle = Self.signedIn
    oracle.signInBegins()
    #expect(oracle.signInEnds(failed, atMs: 2).isEmpty)
    #expect(oracle.look(failed, atMs: 3).map(\.verdict) == [.falseSignOut])
  }

  @Test func `lets an app say that it cannot tell, if it changes nothing`() {
    let deferred = Self.changed(Self.empty) {
      $0.view.isDeferred = true
      $0.after = Self.stored
    }
    #expect(Self.verdicts(deferred) == [.defer])
    #expect(Self.verdicts(Self.changed(deferred) { $0.after = Self.other }) == [.falseSignOut])
    let silent = Self.changed(deferred) { $0.isSeen = false }
    #expect(Self.verdicts(silent) == [.defer])
    // It does not say so, and nobody sees what it says.
    let unseen = Self.changed(silent) { $0.view.isDeferred = false }
    #expect(Self.verdicts(unseen) == [])
    #expect(Self.verdicts(Self.changed(unseen) { $0.after = Self.nothing }) == [.falseSignOut])
  }

  @Test func `sees storms, hangs and open guards`() {
    let storm = Self.changed(Self.right) { $0.tokenCallsInAMinute = 31 }
    #expect(Self.verdicts(storm) == [.requestStorm])
    let most = Self.changed(Self.right) { $0.tokenCallsInAMinute = 30 }
    #expect(Self.verdicts(most) == [.keep])
    var strict = ClientOracle(tokenCallsMax: 2)
    strict.signInBegins()
    #expect(strict.signInEnds(Self.right, atMs: 0).isEmpty)
    for (count, verdict) in [(2, Verdict.keep), (3, .requestStorm)] {
      let sight = Self.changed(Self.right) { $0.tokenCallsInAMinute = count }
      #expect(strict.look(sight, atMs: 1).map(\.verdict) == [verdict])
    }
    #expect(Self.verdicts(Self.changed(Self.empty) { $0.view.status = .loading }) == [.hang])
    let open = Self.changed(Self.right) { $0.view.violations = ["a rule"] }
    #expect(Self.verdicts(open) == [.guardBroken])
  }

  @Test func `knows a session that is back from one that came back by itself`() {
    var oracle = Self.signedIn
    #expect(oracle.look(Self.empty, atMs: 2).map(\.verdict) == [.falseSignOut])
    #expect(oracle.look(Self.right, atMs: 3).map(\.verdict) == [.recover])
    oracle = Self.signedIn
    oracle.signOutBegins()
    #expect(oracle.signOutEnds(Self.empty, atMs: 2).isEmpty)
    #expect(oracle.look(Self.right, atMs: 3).map(\.verdict) == [.resurrection])
  }

  @Test func `wants a sign-out to leave nothing, or to change nothing`() {
    var oracle = Self.signedIn
    let left = Self.changed(Self.empty) { $0.after = Self.stored }
    #expect(oracle.signOutEnds(left, atMs: 2).map(\.verdict) == [.secretLeft])
    oracle = Self.signedIn
    #expect(oracle.signOutEnds(Self.right, atMs: 2).map(\.verdict) == [.reject])
  }

  @Test func `takes two ends by itself for a loop, and no answer for a hang`() {
    var oracle = Self.signedIn
    #expect(oracle.look(.ended("a signal")).isEmpty)
    #expect(oracle.look(.ended("a signal")).map(\.verdict) == [.crashLoop])
    #expect(oracle.look(.noAnswer).map(\.verdict) == [.hang])
    #expect(oracle.look(.killed).isEmpty)
  }

  @Test func `lets an address sign in once, and no foreign one`() {
    var oracle = ClientOracle()
    oracle.signInBegins()
    oracle.signInIsFinished(atMs: 0)
    let first = oracle.callback(nil, isForeign: false, Self.right, atMs: 1)
    #expect(first.map(\.verdict) == [.recover])
    let again = oracle.callback("refused", isForeign: false, Self.right, atMs: 2)
    #expect(again.map(\.verdict) == [.reject])
    for isForeign in [true, false] {
      let taken = oracle.callback(nil, isForeign: isForeign, Self.right, atMs: 3)
      #expect(taken.map(\.verdict) == [.garbageAccepted])
    }
    let changed = Self.changed(Self.right) { $0.after = Self.other }
    let damaged = oracle.callback("refused", isForeign: true, changed, atMs: 4)
    #expect(damaged.map(\.verdict) == [.neverConverged])
  }

  @Test func `takes a refused address of a finished sign-in for a lost one`() {
    var oracle = ClientOracle()
    oracle.signInBegins()
    oracle.signInIsFinished(atMs: 0)
    let lost = Self.changed(Self.empty) { $0.before = Self.nothing }
    let judged = oracle.callback("stateMismatch", isForeign: false, lost, atMs: 1)
    #expect(judged.map(\.verdict) == [.falseSignOut])
  }
}
