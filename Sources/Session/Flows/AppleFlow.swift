import Crypto
import JSON
package import Ports

/// Sign in with Apple: the native sheet, and an identity token instead of a browser.
package final class AppleFlow {
  package static let cancelCode = "ERR_REQUEST_CANCELED"

  package private(set) var attempt = Attempt()
  private let context: FlowContext
  private let sheet: any AppleSignIn
  private let entropy: any Entropy

  package init(_ context: FlowContext, _ sheet: any AppleSignIn, _ entropy: any Entropy) {
    self.context = context
    self.sheet = sheet
    self.entropy = entropy
  }

  package func signIn() async -> OAuthFlow.Outcome {
    attempt.begin()
    let nonce = Hexadecimal.encode(entropy.bytes(32))
    let credential: AppleCredential
    do throws(NativeError) {
      credential = try await sheet.signIn(nonce: Hexadecimal.encode(try digest(nonce)))
    } catch {
      if error.code == Self.cancelCode {
        attempt.end()
        return .cancelled
      }
      return failed(AuthAlert(.error(code: error.code, message: error.message), context.profile))
    }
    guard let token = credential.identityToken else {
      return failed(AuthAlert(.text("missing_identity_token"), context.profile))
    }
    do throws(AuthError) {
      let session = try await context.auth.signInWithIdToken(
        provider: ProviderList.apple, token: token, nonce: nonce)
      attempt.succeed()
      await keepName(credential.fullName, session)
      return .signedIn
    } catch {
      return failed(context.alert(error))
    }
  }

  private func digest(_ nonce: String) throws(NativeError) -> [UInt8] {
    do throws(CryptoError) {
      return try sha256(Array(nonce.utf8))
    } catch {
      throw NativeError(message: "no digest of the nonce: \(error)")
    }
  }

  /// Writes the account's name, which Apple says at the first authorisation only.
  ///
  /// The text takes the object for the name: it is there each time, and the parts are not, so `seed`
  /// writes blanks over the name. `hardened` looks at the parts, and leaves a name that is there.
  private func keepName(_ name: AppleName?, _ session: AuthSession) async {
    guard let name else { return }
    let text = [name.givenName, name.familyName].compactMap { $0 }.filter { !$0.isEmpty }
      .joined(separator: " ")
    if context.profile == .hardened {
      let known = session.json["user"]?["user_metadata"]?["full_name"]?.text ?? ""
      guard !text.isEmpty, known.isEmpty else { return }
    }
    do throws(AuthError) {
      let attributes = JSONObject([.init(key: "data", value: ["full_name": .text(text)])])
      _ = try await context.auth.updateUser(attributes)
    } catch {
      context.console.warn("the name of the account is not written: \(error)")
    }
  }

  private func failed(_ alert: AuthAlert) -> OAuthFlow.Outcome {
    attempt.fail(alert)
    return .failed
  }
}
