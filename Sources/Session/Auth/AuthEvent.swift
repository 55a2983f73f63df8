/// What auth-js tells its subscribers.
package enum AuthEvent: String, CaseIterable, Sendable {
  case initialSession = "INITIAL_SESSION"
  case signedIn = "SIGNED_IN"
  case signedOut = "SIGNED_OUT"
  case tokenRefreshed = "TOKEN_REFRESHED"
  case userUpdated = "USER_UPDATED"
  case passwordRecovery = "PASSWORD_RECOVERY"
  case mfaChallengeVerified = "MFA_CHALLENGE_VERIFIED"
}
