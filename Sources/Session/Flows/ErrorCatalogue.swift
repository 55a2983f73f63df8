/// The texts of the `auth.` namespace that errors map to.
package struct ErrorCatalogue: Sendable {
  package static let defaultText = "We could not complete the request. Please try again later."

  private let profile: AppProfile

  package init(_ profile: AppProfile) { self.profile = profile }

  /// The text of a key of ``ErrorMapper``; an unmapped key gives the generic one.
  package func text(_ key: String) -> String {
    if profile == .hardened, let text = Self.mended[key] { return text }
    return Self.overrides[key]?.text ?? Self.additions[key] ?? Self.web[key] ?? Self.defaultText
  }

  private static let wrongCredentials = "The email or password is wrong."
  private static let registered = "This email is already in use. Please sign in."
  private static let notConfirmed = "Please confirm your email first."
  private static let samePassword = "The new password must differ from the old one."

  /// What the app shares with the web, with the messages of servers that send no code.
  private static let web: [String: String] = [
    "errors.invalid_credentials": wrongCredentials,
    "errors.Invalid login credentials": wrongCredentials,
    "errors.User already registered": registered,
    "errors.user_already_exists": "This user already exists.",
    "errors.email_not_confirmed": notConfirmed,
    "errors.Email not confirmed": notConfirmed,
    "errors.same_password": samePassword,
    "errors.weak_password": "The password does not meet the requirements.",
    "errors.over_email_send_rate_limit": "Too many emails. Please wait a minute.",
    "errors.over_request_rate_limit": "Too many attempts. Please wait a while.",
    "errors.captcha_failed": "The request could not be verified.",
    "errors.insufficient_aal": "Please confirm your second factor first.",
  ]

  /// Keys that the web does not have.
  private static let additions: [String: String] = [
    "errors.mfa_verification_failed": "That code is wrong. Please try the next one."
  ]

  /// Keys that the web has, worded differently; the reason is required.
  package static let overrides: [String: (text: String, why: String)] = [
    "errors.otp_expired": (
      text: "That code is wrong or no longer valid.",
      why: "codes are typed here, and no link is clicked"
    )
  ]

  /// What the kit's catalogue lacks.
  private static let mended: [String: String] = [
    "errors.user_already_exists": registered,
    "errors.mfa_ip_address_mismatch": "Your network changed. Please enter a new code.",
    "errors.mfa_challenge_expired": "That took too long. Please enter a new code.",
    "errors.validation_failed": "The server refuses that input.",
  ]
}
