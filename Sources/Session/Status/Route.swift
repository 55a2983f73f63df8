/// The screens that guards know, with the parameters that decide.
package enum Route: Hashable, Sendable {
  case signIn
  case signUp
  case resetPassword
  /// Where the code of a reset is typed; useless without the address.
  case verifyResetCode(email: String?)
  /// `next` is where a challenge that another screen asked for returns to.
  case mfaChallenge(next: ReturnRoute?)
  case home
  case settings
  case updatePassword

  package enum Group: Sendable {
    case auth, home
    /// Outside both groups, so that no redirect of a group unmounts it.
    case newPassword
  }

  package var group: Group {
    switch self {
    case .signIn, .signUp, .resetPassword, .verifyResetCode, .mfaChallenge: .auth
    case .home, .settings: .home
    case .updatePassword: .newPassword
    }
  }

  /// One of each.
  package static let samples: [Route] = [
    .signIn, .signUp, .resetPassword, .verifyResetCode(email: nil), .mfaChallenge(next: nil),
    .mfaChallenge(next: .updatePassword), .home, .settings, .updatePassword,
  ]
}

/// The allowlist of `next`: where a challenge may return to.
package enum ReturnRoute: String, CaseIterable, Hashable, Sendable {
  case updatePassword = "/update-password"

  /// Reads the values of the parameter as they came, without decoding or resolving anything.
  ///
  /// - Returns: `nil` unless there is one value, and it is on the list letter by letter.
  package init?(parameter values: [String]) {
    guard let value = values.first, values.count == 1 else { return nil }
    self.init(rawValue: value)
  }

  package var route: Route {
    switch self {
    case .updatePassword: .updatePassword
    }
  }
}
