import JSON

/// The sign-up screen: form and code step in one route.
package final class SignUpFlow {
  package enum Step {
    case form
    case code(ConfirmEmailStep)
    /// A session came with the sign-up; what follows is the guard's.
    case done
  }

  package private(set) var step = Step.form
  package private(set) var attempt = Attempt()
  package private(set) var problems: [PasswordProblem] = []
  /// What the form holds: what was submitted last, also after coming back from the code step.
  package private(set) var credentials = Credentials()
  private let context: FlowContext
  private let schema: PasswordSchema

  package init(_ context: FlowContext, _ requirements: PasswordRequirements = .none) {
    self.context = context
    schema = .signUp(requirements, context.profile)
  }

  package func submit(_ credentials: Credentials, repeated: String) async {
    self.credentials = credentials
    problems = schema.problems(credentials, repeated: repeated)
    guard problems.isEmpty else { return }
    attempt.begin()
    do throws(AuthError) {
      let reply = try await context.auth.signUp(
        email: credentials.email, password: credentials.password, data: nil)
      if reply.session != nil {
        step = .done
      } else if reply.user?.json["identities"]?.list?.isEmpty == true {
        // The server does not say that the address has an account; this shape does.
        attempt.fail(
          AuthAlert(.error(code: nil, message: "User already registered"), context.profile))
        return
      } else {
        step = .code(ConfirmEmailStep(context, credentials))
      }
      attempt.succeed()
    } catch {
      attempt.fail(context.alert(error))
    }
  }

  /// A swipe or the hardware's back.
  ///
  /// - Returns: Whether it was taken: the code step goes back to the filled form.
  package func back() -> Bool {
    guard case .code = step else { return false }
    step = .form
    return true
  }
}
