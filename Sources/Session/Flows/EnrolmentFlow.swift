import JSON
package import Ports

/// Setting up an authenticator. It is on this very phone, so the address with the secret is handed to
/// it by the system, and the secret is there to be copied; no picture, no camera.
package final class EnrolmentFlow {
  package enum Step: Equatable, Sendable {
    case naming
    case verifying(Secret)
    case done
  }

  /// What the authenticator needs. Shown on the screen, and never described.
  package struct Secret: Equatable, Sendable, CustomStringConvertible {
    package let factor: String
    /// The `otpauth` address.
    package let uri: String
    /// The selectable text, with a button that copies it.
    package let text: String

    package var description: String { "secret of factor \(factor)" }
  }

  package private(set) var step = Step.naming
  package private(set) var attempt = Attempt()
  package private(set) lazy var code = CodeForm(context) { [weak self] in await self?.verify($0) }
  private let context: FlowContext
  private let linking: any Linking
  private let issuer: String

  package init(_ context: FlowContext, _ linking: any Linking, issuer: String) {
    self.context = context
    self.linking = linking
    self.issuer = issuer
  }

  package func name(_ name: String) async {
    attempt.begin()
    do throws(AuthError) {
      let reply = try await context.auth.enroll(friendlyName: name, issuer: issuer)
      guard let factor = reply["id"]?.text, let uri = reply["totp"]?["uri"]?.text,
        let secret = reply["totp"]?["secret"]?.text
      else { throw .unknown(message: "the reply to the enrolment has no secret") }
      attempt.succeed()
      step = .verifying(Secret(factor: factor, uri: uri, text: secret))
    } catch {
      attempt.fail(context.alert(error))
    }
  }

  package func openAuthenticator() async {
    guard case .verifying(let secret) = step else { return }
    do throws(NativeError) {
      try await linking.open(secret.uri)
    } catch {
      // No authenticator is installed; the secret can be copied.
      context.console.warn("no app for the authenticator's address")
    }
  }

  private func verify(_ token: String) async {
    guard case .verifying(let secret) = step else { return }
    attempt.begin()
    do throws(AuthError) {
      try await context.auth.challengeAndVerify(factor: secret.factor, code: token)
      _ = try await context.auth.refreshSession()
      attempt.succeed()
      step = .done
    } catch {
      attempt.fail(context.alert(error))
    }
  }

  /// Leaves the screen. Half way, an unverified factor stays, which blocks its name and can be deleted
  /// from the list; `hardened` deletes it.
  package func leave() async {
    guard context.profile == .hardened, case .verifying(let secret) = step else { return }
    do throws(AuthError) {
      try await context.auth.unenroll(factor: secret.factor)
      step = .naming
    } catch {
      context.console.warn("the unverified factor stays: \(error)")
    }
  }
}
