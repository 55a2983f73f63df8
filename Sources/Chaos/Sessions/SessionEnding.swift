package import Session

/// What a story came to.
///
/// The contract of the oracle. A person who is signed in stays so, unless the server has ended the
/// session. By itself it does that only for a token that is too old: it forgives the one before the
/// current at any age, and an older one for ten seconds (GoTrue's parent rule and reuse interval). A
/// phone comes to hold an older one in two ways that no app can prevent:
/// - A backup is restored that is two refreshes old.
/// - The app dies while a code of the second factor is checked: that counts as two (hazard H-28), and
///   nothing says so to a phone that asks later. With tokens of version 2, as the story `challenge`
///   has them.
///
/// Whether it is so, a copy of the server is asked, with the token of the session that the app showed
/// at the backup or the death. So an app that signs out although the server would have gone on is
/// wrong, and so is one that lets its token grow old in any other way. A session that ends ends once:
/// one `SIGNED_OUT`, and one call for tokens.
package struct SessionEnding {
  /// Two minutes after the person has started the app again, or after the last step.
  package var first = AuthFrame()
  /// Two lives of a token later, after one more cold start.
  package var last = AuthFrame()
  package var halves = HalvesView(key: nil, blob: nil)
  /// Whether the server takes what the app holds.
  package var isLive = false
  /// Whether somebody who is signed out can sign in, and stays so.
  package var signsInAgain = true
  package var tokenCallsMs: [Int64] = []
  package var violations: [StatusInvariants.Violation] = []
  /// Whether the app came to a point where nothing could go on any more.
  package var hasHung = false

  package init() {}

  /// How many times an app may ask for tokens in a minute.
  package static let tokenCallsMax = 30

  /// Judges by what the person may expect.
  package func judgement(_ facts: SessionFacts) -> Judgement {
    if let violation = violations.first { return Judgement(.guardBroken, violation.rawValue) }
    if hasHung { return Judgement(.hang, "nothing in the app could go on any more") }
    if first.status == .loading || last.status == .loading {
      return Judgement(.hang, "two minutes after its start the app still shows nothing")
    }
    if stormCount > Self.tokenCallsMax {
      return Judgement(.requestStorm, "\(stormCount) token calls in a minute")
    }
    let state = SignInState(last)
    guard facts.states.contains(state) else { return wrong(state, facts) }
    switch state {
    case .signedOut:
      if let end = facts.end, !end.isDisturbed {
        if end.signOutCount != 1 {
          return Judgement(
            .neverConverged, "SIGNED_OUT came \(end.signOutCount) times for one end of a session")
        }
        if end.refreshCount > 1 {
          return Judgement(
            .requestStorm, "\(end.refreshCount) token calls for a session that has ended")
        }
      }
      if !halves.isEmpty {
        return Judgement(.secretLeft, "something is still stored, though nobody is signed in")
      }
      return signsInAgain
        ? Judgement(.cleanOut, "signed out, and the next sign-in holds")
        : Judgement(.neverConverged, "signed out, and the next sign-in does not hold")
    case .signedIn, .recovering, .challenged:
      guard isLive else {
        return Judgement(.neverConverged, "the app shows a session that the server has ended")
      }
      return SignInState(first) == state
        ? Judgement(.keep, "the session is there, and the server takes it")
        : Judgement(.recover, "the session came back by itself")
    }
  }

  private func wrong(_ state: SignInState, _ facts: SessionFacts) -> Judgement {
    switch state {
    case .signedOut:
      return Judgement(
        .falseSignOut, "signed out, though the person was signed in and did not ask for it")
    case .signedIn where facts.states.contains(.recovering):
      return Judgement(
        .guardBroken, "the recovery mode is lost: the app is open without a password")
    case .signedIn where facts.states.contains(.challenged):
      return Judgement(.guardBroken, "the app is open without the code of the second factor")
    case .challenged where facts.states.contains(.signedIn):
      return Judgement(
        .falseSignOut, "the code is asked for again, though the person has entered it")
    case .signedIn, .recovering, .challenged:
      return Judgement(.resurrection, "a session is back, though the person has signed out")
    }
  }

  private var stormCount: Int { Self.callsInAMinute(tokenCallsMs) }

  /// The most calls in any minute.
  ///
  /// - Parameter timesMs: When they were, in order.
  /// - Returns: How many.
  static func callsInAMinute(_ timesMs: [Int64]) -> Int {
    var most = 0
    var start = 0
    for (index, time) in timesMs.enumerated() {
      while timesMs[start] <= time - 60_000 { start += 1 }
      most = max(most, index - start + 1)
    }
    return most
  }
}
