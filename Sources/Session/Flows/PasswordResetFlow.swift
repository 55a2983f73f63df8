import JSON
import Ports

/// The first of three screens: asks for the address.
package final class ResetRequestFlow {
  package private(set) var attempt = Attempt()
  private let context: FlowContext

  package init(_ context: FlowContext) { self.context = context }

  /// Asks for a mail, and goes on to the code.
  ///
  /// In the profile `hardened`, an address whose mail is on its way gets no second one.
  package func submit(_ email: String) async {
    let isMailed = context.cooldown.remainingSeconds(email) > 0
    attempt.begin()
    do throws(AuthError) {
      if context.profile == .seed || !isMailed {
        try await context.auth.resetPasswordForEmail(email)
        context.cooldown.begin(email)
      }
      attempt.succeed()
      context.navigator.go(to: .verifyResetCode(email: email), by: .flow(.codeRequested))
    } catch {
      attempt.fail(context.alert(error))
    }
  }
}

/// The second: takes the code that came by mail. What follows a right one is the guard's.
package final class ResetCodeFlow {
  package private(set) var verification = Attempt()
  package private(set) var resending = Attempt()
  package private(set) lazy var code = CodeForm(context) { [weak self] in await self?.verify($0) }
  private let context: FlowContext
  private let email: String
  private let cooldown: Cooldown

  /// Opens the screen; without an address it leads back to the first.
  ///
  /// - Parameters:
  ///   - context: What the screens share.
  ///   - email: The parameter of the route.
  package init?(_ context: FlowContext, email: String?) {
    guard let email, !email.isEmpty else {
      context.navigator.go(to: .resetPassword, by: .flow(.addressMissing))
      return nil
    }
    self.context = context
    self.email = email
    cooldown = context.profile == .seed ? Cooldown(context.clock) : context.cooldown
    if cooldown.remainingSeconds(email) == 0 { cooldown.begin(email) }
  }

  package var cooldownSeconds: Int64 { cooldown.remainingSeconds(email) }

  private func verify(_ token: String) async {
    verification.begin()
    await context.provider.recoveryExpected()
    do throws(AuthError) {
      _ = try await context.auth.verifyOtp(type: "recovery", email: email, token: token)
      verification.succeed()
    } catch {
      context.provider.recoveryRefused()
      verification.fail(context.alert(error))
    }
  }

  /// Asks for a new reset: a recovery cannot be sent again.
  package func resend() async {
    guard cooldownSeconds == 0, !resending.isPending else { return }
    resending.begin()
    do throws(AuthError) {
      try await context.auth.resetPasswordForEmail(email)
      cooldown.begin(email)
      resending.succeed()
    } catch {
      if context.profile == .hardened { cooldown.obey(error, email) }
      resending.fail(context.alert(error))
    }
  }
}

/// The third: sets the new password.
package final class NewPasswordFlow {
  package private(set) var attempt = Attempt()
  package private(set) var problems: [PasswordProblem] = []
  private let context: FlowContext
  private let schema: PasswordSchema

  package init(_ context: FlowContext, _ requirements: PasswordRequirements = .none) {
    self.context = context
    schema = .reset(requirements, context.profile)
  }

  package func submit(_ password: String, repeated: String) async {
    problems = schema.problems(password, repeated: repeated)
    guard problems.isEmpty else { return }
    attempt.begin()
    do throws(AuthError) {
      let attributes = JSONObject([.init(key: "password", value: .text(password))])
      _ = try await context.auth.updateUser(attributes)
      attempt.succeed()
      context.navigator.toast("auth.passwordUpdated")
      context.provider.passwordChanged()
    } catch {
      if case .api(_, _, "insufficient_aal") = error {
        attempt.end()
        context.navigator.go(to: .mfaChallenge(next: .updatePassword), by: .flow(.stepUpNeeded))
      } else {
        attempt.fail(context.alert(error))
      }
    }
  }
}
