/// The code step of a sign-up, also reached by signing in to an unconfirmed account.
///
/// It keeps the password: who has tapped the mailed link gets back into the app by signing in only.
package final class ConfirmEmailStep {
  package let credentials: Credentials
  package private(set) var verification = Attempt()
  package private(set) var resending = Attempt()
  package private(set) var signingIn = Attempt()
  /// Whether "Already confirmed elsewhere? Sign in instead" is there: after a code or a resend has
  /// failed.
  package private(set) var offersSignIn = false
  /// Whether a reset of the password is suggested: the server keeps the first password of an account
  /// that signs up again before it is confirmed.
  package private(set) var suggestsReset = false
  package private(set) lazy var code = CodeForm(context) { [weak self] in await self?.verify($0) }
  private let context: FlowContext

  init(_ context: FlowContext, _ credentials: Credentials) {
    self.context = context
    self.credentials = credentials
  }

  private func verify(_ token: String) async {
    verification.begin()
    do throws(AuthError) {
      _ = try await context.auth.verifyOtp(
        type: "signup", email: credentials.email, token: token)
      verification.succeed()
    } catch {
      verification.fail(context.alert(error))
      offersSignIn = true
    }
  }

  package func resend() async {
    resending.begin()
    do throws(AuthError) {
      try await context.auth.resend(type: "signup", email: credentials.email)
      resending.succeed()
    } catch {
      resending.fail(context.alert(error))
      offersSignIn = true
    }
  }

  package func signInInstead() async {
    precondition(offersSignIn, "the button is not there")
    signingIn.begin()
    do throws(AuthError) {
      _ = try await context.auth.signInWithPassword(
        email: credentials.email, password: credentials.password)
      signingIn.succeed()
    } catch {
      signingIn.fail(context.alert(error))
      if case .api(_, _, "invalid_credentials") = error {
        suggestsReset = context.profile == .hardened
      }
    }
  }
}
