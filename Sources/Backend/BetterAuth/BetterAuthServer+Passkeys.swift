import Crypto
import JSON
import Ports

/// Passkeys, if the switch is on (R-HAND-22). They are set up in the web app only (R-HAND-23), so no
/// endpoint of this server makes one.
extension BetterAuthServer {
  private static let challengesMax = 100

  /// Sets up a key for a user, as its settings in the web app do.
  ///
  /// - Returns: What the key answers with.
  package func addPasskey(for email: String) -> String {
    var passkey = BetterAuthState.Passkey()
    passkey.id = newID()
    passkey.userID = userID(email, nowMs)
    state.passkeys.append(passkey)
    return passkey.id
  }

  func passkeyOptions(_ call: BetterAuthCall) throws(BetterAuthRefusal) -> HTTPResponse {
    try requirePasskeys(call)
    let challenge = newID()
    state.passkeyChallenges.append(challenge)
    state.passkeyChallenges.removeFirst(max(0, state.passkeyChallenges.count - Self.challengesMax))
    return .json(["challenge": .text(challenge), "userVerification": "preferred"])
  }

  func verifyPasskey(_ call: BetterAuthCall) throws(BetterAuthRefusal) -> HTTPResponse {
    try requirePasskeys(call)
    let challenge = try call.text("challenge")
    let id = try call.text("id")
    guard let index = state.passkeyChallenges.firstIndex(of: challenge),
      let passkey = state.passkeys.first(where: { $0.id == id })
    else { throw BetterAuthRefusal(401, "AUTHENTICATION_FAILED", "Authentication failed") }
    state.passkeyChallenges.remove(at: index)
    return try signedIn(passkey.userID, call)
  }

  private func requirePasskeys(_ call: BetterAuthCall) throws(BetterAuthRefusal) {
    guard call.environment.isPasskeyEnabled else {
      throw BetterAuthRefusal(404, "NOT_FOUND", "Not Found")
    }
  }
}
