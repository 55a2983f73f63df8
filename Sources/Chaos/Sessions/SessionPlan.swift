package import Phone
package import Session

/// What is explored of an app with its server: which phone, which parts, and which faults.
package struct SessionPlan: Equatable, Sendable {
  package var phone: PhoneKind
  package var store: String
  /// Of the client and of the app above it.
  package var profile: AppProfile
  package var settings: ScenarioSettings
  package var seed: UInt64
  package var stories = SessionStory.allCases
  package var faults = Set(SessionFault.Kind.allCases)
  /// Instead of all places, only this.
  package var onlyFault: SessionFault?
  /// Whether each launch after a fault is killed in turn at each of its steps.
  package var killsRecovery = false

  package init(
    phone: PhoneKind, store: String, profile: AppProfile,
    settings: ScenarioSettings = ScenarioSettings(), seed: UInt64 = 1
  ) {
    self.phone = phone
    self.store = store
    self.profile = profile
    self.settings = settings
    self.seed = seed
  }

  package var sdk: SDKVersion { SDKVersion(settings[ScenarioSettings.sdk]) ?? .current }
}

/// What a person does with the app: the workloads of a session's exploration. The server's access
/// tokens live for ten minutes.
package enum SessionStory: String, CaseIterable, Sendable {
  /// Signs in, and stays for three refreshes, then goes away for two more.
  case stay
  /// Forgets the password and sets a new one by a code from the mail.
  case reset
  /// Enrols an authenticator, and comes back when the token has expired.
  case factor
  /// Signs in and, after a refresh, out again.
  case leave
  /// Goes back to a backup that is two refreshes old: the server ends the session.
  case restore
  /// Goes back to a backup that is one refresh old, which the server forgives.
  case restoreOne = "restore-one"
  /// Signs in with password and code, has had a factor for long.
  case challenge

  static let tokenSeconds: Int64 = 600
  /// As long as a token lives.
  static let life = Duration.seconds(tokenSeconds)

  package var steps: [SessionStep] {
    switch self {
    case .stay:
      [.launch, .signIn]
        + [.wait(Self.life), .wait(Self.life), .wait(Self.life)]
        + [.background, .wait(Self.life * 2), .foreground]
    case .reset: [.launch, .askForReset, .enterResetCode, .wait(.seconds(40)), .setPassword]
    case .factor:
      [.launch, .signIn, .enrolFactor, .background, .wait(Self.life * 2), .foreground]
    case .leave: [.launch, .signIn, .wait(Self.life), .signOut]
    case .restore:
      [.launch, .signIn, .backUp, .wait(Self.life), .wait(Self.life), .restore, .launch]
    case .restoreOne: [.launch, .signIn, .backUp, .wait(Self.life), .restore, .launch]
    case .challenge:
      [.launch, .signIn, .enterFactorCode, .wait(Self.life)]
        + [.background, .wait(Self.life * 2), .foreground]
    }
  }

  /// Whether the account has a second factor before the story begins.
  var hasFactor: Bool { self == .challenge }

  /// How the story ends when nothing disturbs it.
  var ending: SignInState {
    switch self {
    case .leave, .restore: .signedOut
    case .stay, .reset, .factor, .restoreOne, .challenge: .signedIn
    }
  }
}

/// One thing that a person does, or that time does.
package enum SessionStep: Equatable, Sendable {
  case launch, signIn, signOut, background, foreground
  case wait(Duration)
  case askForReset, enterResetCode, setPassword
  case enrolFactor, enterFactorCode
  /// A backup of both halves, byte for byte, as a tool with the system's rights makes it. (By the
  /// platforms' own rules one half stays behind, which is another matter: see `Faults/gallery`.)
  case backUp
  /// The phone gets back what the backup holds. That ends the app.
  case restore
}

extension SessionStep: CustomStringConvertible {
  package var description: String {
    switch self {
    case .launch: "launch"
    case .signIn: "sign-in"
    case .signOut: "sign-out"
    case .background: "background"
    case .foreground: "foreground"
    case .wait(let duration): "wait \(duration.components.seconds)s"
    case .askForReset: "ask for a reset"
    case .enterResetCode: "enter the code"
    case .setPassword: "set the password"
    case .enrolFactor: "enrol a factor"
    case .enterFactorCode: "enter the factor's code"
    case .backUp: "back up"
    case .restore: "restore the backup"
    }
  }
}
