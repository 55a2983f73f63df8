import JSON

/// A refusal, as GoTrue words it.
enum GoTrueError: Error, Equatable {
  case refused(ErrorCode, status: Int, message: String)
  /// 422 with the rules that the password breaks.
  case weakPassword(message: String, reasons: [String])
  /// The style of OAuth 2: status 400, no code.
  case oauth(error: String, description: String)
  /// No such route; no JSON.
  case unknownRoute
}

/// The codes that an answer can carry.
package enum ErrorCode: String, CaseIterable, Sendable {
  case badJSON = "bad_json"
  case validationFailed = "validation_failed"
  case unexpectedFailure = "unexpected_failure"
  case requestTimeout = "request_timeout"
  case conflict

  case noAuthorization = "no_authorization"
  case badJWT = "bad_jwt"
  case userNotFound = "user_not_found"
  case userBanned = "user_banned"
  case sessionNotFound = "session_not_found"
  case sessionExpired = "session_expired"
  case refreshTokenNotFound = "refresh_token_not_found"
  case refreshTokenAlreadyUsed = "refresh_token_already_used"

  case invalidCredentials = "invalid_credentials"
  case emailNotConfirmed = "email_not_confirmed"
  case emailExists = "email_exists"
  case userAlreadyExists = "user_already_exists"
  case signupDisabled = "signup_disabled"
  case emailProviderDisabled = "email_provider_disabled"
  case otpDisabled = "otp_disabled"
  case otpExpired = "otp_expired"
  case captchaFailed = "captcha_failed"
  case overEmailSendRateLimit = "over_email_send_rate_limit"
  case overRequestRateLimit = "over_request_rate_limit"

  case weakPassword = "weak_password"
  case samePassword = "same_password"
  case reauthenticationNeeded = "reauthentication_needed"
  case reauthenticationNotValid = "reauthentication_not_valid"
  case currentPasswordRequired = "current_password_required"
  case currentPasswordInvalid = "current_password_invalid"

  case insufficientAAL = "insufficient_aal"
  case mfaVerificationFailed = "mfa_verification_failed"
  case mfaVerificationRejected = "mfa_verification_rejected"
  case mfaChallengeExpired = "mfa_challenge_expired"
  case mfaAddressMismatch = "mfa_ip_address_mismatch"
  case mfaFactorNotFound = "mfa_factor_not_found"
  case mfaFactorNameConflict = "mfa_factor_name_conflict"
  case tooManyFactors = "too_many_enrolled_mfa_factors"

  case flowStateNotFound = "flow_state_not_found"
  case flowStateExpired = "flow_state_expired"
  case flowStateAlreadyUsed = "flow_state_already_used"
  case badCodeVerifier = "bad_code_verifier"
  case badOAuthState = "bad_oauth_state"
  case badOAuthCallback = "bad_oauth_callback"
  case providerNotSupported = "oauth_provider_not_supported"
}

extension GoTrueError {
  /// A refusal with its message.
  static func error(_ status: Int, _ code: ErrorCode, _ message: String) -> GoTrueError {
    .refused(code, status: status, message: message)
  }

  static let unexpected = error(500, .unexpectedFailure, "Internal Server Error")
  static let invalidCredentials = error(400, .invalidCredentials, "Invalid login credentials")
  static let codeExpired = error(403, .otpExpired, "Token has expired or is invalid")
  static let linkExpired = error(403, .otpExpired, "Email link is invalid or has expired")
  static let sessionGone = error(
    403, .sessionNotFound, "Session from session_id claim in JWT does not exist")

  static func invalid(_ message: String) -> GoTrueError { error(400, .validationFailed, message) }

  static func tooSoon(seconds: Int64) -> GoTrueError {
    error(
      429, .overEmailSendRateLimit,
      "For security purposes, you can only request this after \(seconds) seconds.")
  }

  var status: Int {
    switch self {
    case .refused(_, let status, _): status
    case .weakPassword: 422
    case .oauth: 400
    case .unknownRoute: 404
    }
  }

  var code: ErrorCode? {
    switch self {
    case .refused(let code, _, _): code
    case .weakPassword: .weakPassword
    case .oauth, .unknownRoute: nil
    }
  }

  /// Whether what the handler has changed stays: it is the answer to an attack, or a clean-up.
  var keepsChanges: Bool {
    switch code {
    case .refreshTokenAlreadyUsed, .sessionNotFound, .mfaChallengeExpired,
      .mfaVerificationRejected:
      true
    default: false
    }
  }

  var message: String {
    switch self {
    case .refused(_, _, let message), .weakPassword(let message, _): message
    case .oauth(_, let description): description
    case .unknownRoute: "404 page not found"
    }
  }

  /// The body: with the header of the API's version a text code, else the status as a number.
  func body(versioned: Bool) -> JSONObject {
    guard let code else {
      guard case .oauth(let error, let description) = self else { return JSONObject() }
      return JSONObject([
        .init(key: "error", value: .text(error)),
        .init(key: "error_description", value: .text(description)),
      ])
    }
    var body = JSONObject()
    if versioned {
      body["code"] = .text(code.rawValue)
      body["message"] = .text(message)
    } else {
      body["code"] = .integer(status)
      body["error_code"] = .text(code.rawValue)
      body["msg"] = .text(message)
    }
    if case .weakPassword(_, let reasons) = self {
      body["weak_password"] = ["reasons": .list(reasons.map(JSONValue.text))]
    }
    return body
  }

  /// What OAuth calls an error of this status in a redirect.
  var oauthWord: String {
    switch status {
    case 400: "invalid_request"
    case 401: "unauthorized_client"
    case 403: "access_denied"
    case 503: "temporarily_unavailable"
    default: "server_error"
    }
  }
}
