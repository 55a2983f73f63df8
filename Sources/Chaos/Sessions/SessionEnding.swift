package import Session

/// What a story came to.
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
      if !halves.isEmpty {
        return Judgement(.secretLeft, "something is still stored, though nobody is signed in")
      }
      return signsInAgain
        ? Judgement(.cleanOut, "signed out, and the next sign-in holds")
        : Judgement(.neverConverged, "signed out, and the next sign-in does not hold")
    case .signedIn, .recovering:
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
    case .signedIn, .recovering:
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
