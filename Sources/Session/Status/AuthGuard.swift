/// What a guard does about the screen that it stands before.
package enum GuardDecision: Equatable, Sendable {
  /// Nothing is known yet: show neither the screen nor another.
  case wait
  case show
  case redirect(Route)
}

/// The three guards as one table: the auth group, the home group, the new-password screen.
package enum AuthGuard {
  /// How many redirects in a row are thought possible.
  package static let chainMax = 5

  package static func decide(_ frame: AuthFrame, at route: Route) -> GuardDecision {
    decide(frame.status, isRecovering: frame.isRecovering, at: route)
  }

  package static func decide(
    _ status: AuthStatus, isRecovering: Bool, at route: Route
  ) -> GuardDecision {
    switch status {
    case .loading:
      return .wait
    case .unauthenticated:
      // The challenge needs a session.
      if case .mfaChallenge = route { return .redirect(.signIn) }
      return route.group == .auth ? .show : .redirect(.signIn)
    case .needsMFA, .authenticated:
      if isRecovering { return whileRecovering(at: route) }
      if status == .authenticated {
        return route.group == .home ? .show : .redirect(.home)
      }
      if case .mfaChallenge = route { return .show }
      return .redirect(.mfaChallenge(next: nil))
    }
  }

  /// Only a new password may be set; its screen may ask for the second factor first.
  ///
  /// That holds for `authenticated`, too: the server may know of a factor that the stored session
  /// does not, and would refuse the password for ever if the challenge could not be reached.
  private static func whileRecovering(at route: Route) -> GuardDecision {
    switch route {
    case .updatePassword, .mfaChallenge(next: .updatePassword): .show
    case .signIn, .signUp, .resetPassword, .verifyResetCode, .mfaChallenge(next: nil), .home,
      .settings:
      .redirect(.updatePassword)
    }
  }

  /// The redirects from a screen on; `nil` if they do not end.
  package static func chain(from route: Route, _ frame: AuthFrame) -> [Route]? {
    var routes: [Route] = []
    var current = route
    while case .redirect(let target) = decide(frame, at: current) {
      routes.append(target)
      current = target
      if routes.count > chainMax { return nil }
    }
    return routes
  }
}
