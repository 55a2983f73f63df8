import Session

/// How things stand between a person and an app.
package enum SignInState: String, CaseIterable, Sendable {
  case signedOut, signedIn
  /// Signed in only to set a new password.
  case recovering

  init(_ frame: AuthFrame) {
    if frame.session == nil {
      self = .signedOut
    } else {
      self = frame.isRecovering ? .recovering : .signedIn
    }
  }
}

/// What a person knows of the app, and so may expect of it.
package struct SessionFacts: Equatable, Sendable {
  /// What may be true: one state once the app has shown it, several while something is under way.
  package private(set) var states: Set<SignInState> = [.signedOut]
  /// What was true before, until what the app has shown has had the time to become durable.
  private var former: Set<SignInState> = []
  private var reachedMs: Int64?

  package init() {}

  /// Something begins that may end in any of these states.
  package mutating func begin(_ states: Set<SignInState>) {
    former = former.union(self.states)
    self.states = states
    reachedMs = nil
  }

  /// The app has shown how it ended.
  package mutating func reach(_ states: Set<SignInState>, atMs now: Int64) {
    self.states = states
    reachedMs = now
  }

  /// All that was written is durable.
  mutating func settle(atMs now: Int64) {
    if let reachedMs, reachedMs <= now { former = [] }
  }

  /// The power has failed: what was not durable may be gone.
  mutating func losePower(atMs now: Int64) {
    states.formUnion(former)
  }
}
