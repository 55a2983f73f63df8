/// The sign-in screen: a form for a password, and the code step for who has not confirmed yet.
package final class SignInFlow {
  package enum Step {
    case form
    case confirmEmail(ConfirmEmailStep)
  }

  package private(set) var step = Step.form
  package private(set) var attempt = Attempt()
  /// What the form says of its fields, before anything is sent.
  package private(set) var problems: [PasswordProblem] = []
  /// Off hides the form and the divider, and leaves the provider buttons.
  package let showsForm: Bool
  private let context: FlowContext

  package init(_ context: FlowContext, showsForm: Bool = true) {
    self.context = context
    self.showsForm = showsForm
  }

  /// The divider is for a form above it.
  package var showsDivider: Bool { showsForm }

  package func submit(_ credentials: Credentials) async {
    precondition(showsForm, "there is no form")
    problems = PasswordSchema.signIn.problems(credentials)
    guard problems.isEmpty else { return }
    attempt.begin()
    do throws(AuthError) {
      _ = try await context.auth.signInWithPassword(
        email: credentials.email, password: credentials.password)
      attempt.succeed()
    } catch {
      // The server has checked the password before it says so.
      if case .api(_, _, "email_not_confirmed") = error {
        attempt.succeed()
        step = .confirmEmail(ConfirmEmailStep(context, credentials))
      } else {
        attempt.fail(context.alert(error))
      }
    }
  }
}
