import Session
import Testing

@Suite struct `The guards` {
  /// Status, recovering, and what the guards of auth, home and new password decide.
  private typealias Row = (AuthStatus, Bool, GuardDecision, GuardDecision, GuardDecision)

  // R-GUARD-1, R-GUARD-5, R-GUARD-6, R-GUARD-7
  @Test func `decide by status and recovery as the table says`() {
    let challenge = GuardDecision.redirect(.mfaChallenge(next: nil))
    let newPassword = GuardDecision.redirect(.updatePassword)
    let table: [Row] = [
      (.loading, false, .wait, .wait, .wait),
      (.loading, true, .wait, .wait, .wait),
      (.unauthenticated, false, .show, .redirect(.signIn), .redirect(.signIn)),
      (.unauthenticated, true, .show, .redirect(.signIn), .redirect(.signIn)),
      (.needsMFA, false, challenge, challenge, challenge),
      (.needsMFA, true, newPassword, newPassword, .show),
      (.authenticated, true, newPassword, newPassword, .show),
      (.authenticated, false, .redirect(.home), .show, .redirect(.home)),
    ]
    for (status, isRecovering, auth, home, password) in table {
      func decide(_ route: Route) -> GuardDecision {
        AuthGuard.decide(status, isRecovering: isRecovering, at: route)
      }
      for route in [Route.signIn, .signUp, .resetPassword, .verifyResetCode(email: "a@b.c")] {
        #expect(decide(route) == auth, "\(status) \(isRecovering) \(route)")
      }
      for route in [Route.home, .settings] {
        #expect(decide(route) == home, "\(status) \(isRecovering) \(route)")
      }
      #expect(decide(.updatePassword) == password, "\(status) \(isRecovering)")
    }
  }

  // R-GUARD-5, R-GUARD-7, R-MFA-9
  @Test func `show the challenge to whom it is due`() {
    func decide(_ status: AuthStatus, _ isRecovering: Bool, _ next: ReturnRoute?) -> GuardDecision {
      AuthGuard.decide(status, isRecovering: isRecovering, at: .mfaChallenge(next: next))
    }
    #expect(decide(.needsMFA, false, nil) == .show)
    #expect(decide(.needsMFA, true, .updatePassword) == .show)
    // The stored session does not know of the factor; the server does.
    #expect(decide(.authenticated, true, .updatePassword) == .show)
    #expect(decide(.needsMFA, true, nil) == .redirect(.updatePassword))
    #expect(decide(.authenticated, false, nil) == .redirect(.home))
    #expect(decide(.unauthenticated, false, nil) == .redirect(.signIn))
  }

  // R-GUARD-2
  @Test func `keep the new-password screen mounted while the session changes`() {
    #expect(Route.updatePassword.group == .newPassword)
    let app = App(at: .verifyResetCode(email: "ada@example.com")).start()
    app.tell(.passwordRecovery, makeSession("ada"))
    #expect(app.navigator.route == .updatePassword)
    let mounts = app.navigator.mountCount
    app.auth.levels = ("aal1", "aal2")
    app.tell(.tokenRefreshed, makeSession("ada", generation: 2))
    #expect(app.provider.status == .needsMFA)
    app.auth.levels = ("aal2", "aal2")
    app.tell(.tokenRefreshed, makeSession("ada", generation: 3))
    #expect(app.provider.status == .authenticated)
    #expect(app.navigator.mountCount == mounts)
  }

  // R-GUARD-2
  @Test func `unmount a screen inside a group by the same change`() {
    let auth = FakeAuth()
    auth.stored = makeSession("ada")
    let app = App(auth: auth, at: .settings).start()
    let mounts = app.navigator.mountCount
    app.auth.levels = ("aal1", "aal2")
    app.tell(.tokenRefreshed, makeSession("ada", generation: 2))
    #expect(app.navigator.mountCount == mounts + 1)
  }

  // R-GUARD-8
  @Test func `never redirect in a circle`() {
    for status in AuthStatus.allCases {
      for isRecovering in [false, true] {
        for route in Route.samples {
          var frame = AuthFrame()
          frame.status = status
          frame.isRecovering = isRecovering
          let chain = AuthGuard.chain(from: route, frame)
          #expect(chain != nil && (chain?.count ?? 0) <= 1, "\(status) \(isRecovering) \(route)")
        }
      }
    }
  }

  // R-RESET-8
  @Test func `know one place to return to, and take it letter by letter`() {
    #expect(ReturnRoute(parameter: ["/update-password"]) == .updatePassword)
    let refused: [[String]] = [
      [], [""], ["/"], ["/home"], ["https://evil.example/update-password"], ["//evil.example"],
      ["/update-password/"], ["/update-password?x"], ["/update-password#"],
      ["/%2e%2e/update-password"], ["/auth/../update-password"], ["%2Fupdate-password"],
      ["/update%2Dpassword"], ["/UPDATE-PASSWORD"], [" /update-password"], ["/update-password "],
      ["\\update-password"], ["/update-password\u{0}"], ["update-password"],
      ["mkkit://update-password"], ["/update-password", "/update-password"],
      ["/update-password", "//evil.example"], ["/update-password\u{200B}"],
    ]
    for values in refused { #expect(ReturnRoute(parameter: values) == nil, "\(values)") }
  }
}
