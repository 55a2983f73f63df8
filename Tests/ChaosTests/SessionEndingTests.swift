import Chaos
import JSON
import Session
import Testing

/// Each word of the oracle of stories, from an ending that is wrong in one way.
@Suite struct `The ending of a story` {
  private static func frame(_ status: AuthStatus, isRecovering: Bool = false) -> AuthFrame {
    var frame = AuthFrame()
    frame.status = status
    frame.isRecovering = isRecovering
    if [.authenticated, .needsMFA].contains(status) {
      frame.session = AuthSession(["user": ["id": "u1"]])
    }
    return frame
  }

  private func verdict(
    knowing states: Set<SignInState>, end: SessionEnd? = nil,
    _ change: (inout SessionEnding) -> Void
  ) -> Verdict {
    var facts = SessionFacts()
    facts.begin(states)
    facts.reach(states, atMs: 0)
    if let end {
      facts.lapse()
      facts.end = end
    }
    var ending = SessionEnding()
    ending.first = Self.frame(.authenticated)
    ending.last = Self.frame(.authenticated)
    ending.isLive = true
    change(&ending)
    return ending.judgement(facts).verdict
  }

  @Test func `is right when the app shows what the person knows`() {
    #expect(verdict(knowing: [.signedIn]) { _ in } == .keep)
    #expect(verdict(knowing: [.signedIn]) { $0.first = Self.frame(.unauthenticated) } == .recover)
    #expect(
      verdict(knowing: [.signedOut]) { $0.last = Self.frame(.unauthenticated) } == .cleanOut)
    #expect(
      verdict(knowing: [.recovering]) {
        $0.first = Self.frame(.authenticated, isRecovering: true)
        $0.last = $0.first
      } == .keep)
  }

  @Test func `is a failure of its own word for each thing that is wrong`() {
    #expect(
      verdict(knowing: [.signedIn]) { $0.last = Self.frame(.unauthenticated) } == .falseSignOut)
    #expect(verdict(knowing: [.signedOut]) { _ in } == .resurrection)
    #expect(verdict(knowing: [.recovering]) { _ in } == .guardBroken)
    #expect(verdict(knowing: [.signedIn]) { $0.violations = [.foreignCache] } == .guardBroken)
    #expect(verdict(knowing: [.signedIn]) { $0.isLive = false } == .neverConverged)
    #expect(verdict(knowing: [.signedIn]) { $0.hasHung = true } == .hang)
    #expect(verdict(knowing: [.signedIn]) { $0.first = Self.frame(.loading) } == .hang)
    #expect(
      verdict(knowing: [.signedOut]) {
        $0.last = Self.frame(.unauthenticated)
        $0.halves = HalvesView(key: "k", blob: nil)
      } == .secretLeft)
    #expect(
      verdict(knowing: [.signedOut]) {
        $0.last = Self.frame(.unauthenticated)
        $0.signsInAgain = false
      } == .neverConverged)
  }

  /// R-GUARD-5, R-STATE-7
  @Test func `keeps who has given the password only from the app`() {
    let asks = { (ending: inout SessionEnding) in
      ending.first = Self.frame(.needsMFA)
      ending.last = Self.frame(.needsMFA)
    }
    #expect(verdict(knowing: [.challenged], asks) == .keep)
    #expect(verdict(knowing: [.challenged]) { _ in } == .guardBroken)
    #expect(verdict(knowing: [.signedIn], asks) == .falseSignOut)
  }

  @Test func `may be signed out when the server has ended the session, once and for one call`() {
    let out = { (ending: inout SessionEnding) in ending.last = Self.frame(.unauthenticated) }
    var end = SessionEnd()
    end.signOutCount = 1
    end.refreshCount = 1
    #expect(verdict(knowing: [.signedIn], out) == .falseSignOut)
    #expect(verdict(knowing: [.signedIn], end: end, out) == .cleanOut)
    #expect(verdict(knowing: [.signedIn], end: end) { $0.isLive = false } == .neverConverged)
    end.signOutCount = 2
    #expect(verdict(knowing: [.signedIn], end: end, out) == .neverConverged)
    end.isDisturbed = true
    #expect(verdict(knowing: [.signedIn], end: end, out) == .cleanOut)
    end = SessionEnd()
    end.signOutCount = 1
    end.refreshCount = 2
    #expect(verdict(knowing: [.signedIn], end: end, out) == .requestStorm)
  }

  @Test func `is a storm from the first call over the limit in a minute`() {
    let limit = Int64(SessionEnding.tokenCallsMax)
    #expect(verdict(knowing: [.signedIn]) { $0.tokenCallsMs = Array(1...limit) } == .keep)
    #expect(
      verdict(knowing: [.signedIn]) { $0.tokenCallsMs = Array(1...limit + 1) } == .requestStorm)
    #expect(
      verdict(knowing: [.signedIn]) { $0.tokenCallsMs = (0...limit).map { $0 * 2000 } } == .keep)
  }
}
