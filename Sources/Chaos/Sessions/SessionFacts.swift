import Session

/// How things stand between a person and an app.
package enum SignInState: String, CaseIterable, Sendable {
  case signedOut, signedIn
  /// Signed in only to set a new password.
  case recovering
  /// Signed in with the password, and asked for the code of the second factor.
  case challenged

  init(_ frame: AuthFrame) {
    if frame.session == nil {
      self = .signedOut
    } else if frame.isRecovering {
      self = .recovering
    } else {
      self = frame.status == .needsMFA ? .challenged : .signedIn
    }
  }
}

extension SignInState {
  /// What the screens say.
  static func words(for frame: AuthFrame) -> String {
    if frame.status == .loading { return "loading" }
    return switch SignInState(frame) {
    case .signedOut: "signed out"
    case .signedIn: "signed in"
    case .recovering: "new password"
    case .challenged: "code of the factor"
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
  /// What the app did about the end of the session; `nil` when the server has not ended it.
  package var end: SessionEnd?

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

  /// The server takes nothing any more that the phone holds: it will end the session when it is
  /// asked, and the app shows that then.
  package mutating func lapse() {
    if states.contains(.signedIn) { states.insert(.signedOut) }
    end = SessionEnd()
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

/// What an app did after the server's end of its session.
package struct SessionEnd: Equatable, Sendable {
  /// How many times the client told of it.
  package var signOutCount = 0
  /// How many times the app asked for new tokens.
  package var refreshCount = 0
  /// Whether a fault fell afterwards: then a reply may be lost and asked for again, and who is
  /// killed half way need not tell anybody.
  package var isDisturbed = false

  package init() {}
}
