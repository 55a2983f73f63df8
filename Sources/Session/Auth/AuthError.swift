import Ports

/// What went wrong in a call of auth-js, in its classes.
package enum AuthError: Error, Equatable, Sendable {
  /// `AuthApiError`: the server refused.
  case api(message: String, status: Int, code: String?)
  /// `AuthWeakPasswordError`.
  case weakPassword(message: String, status: Int, reasons: [String])
  /// `AuthRetryableFetchError`: no reply (status 0), or one that says to try again later.
  case retryableFetch(message: String, status: Int)
  /// `AuthUnknownError`: a reply that is no JSON.
  case unknown(message: String)
  /// `AuthSessionMissingError`.
  case sessionMissing
  /// `AuthInvalidTokenResponseError`: a reply to a sign-in without a session or a user.
  case tokenResponse
  /// `AuthInvalidCredentialsError`: the arguments of the call lack something.
  case credentials(message: String)
  /// `AuthInvalidJwtError`: the access token is none.
  case invalidToken(message: String)
  /// `AuthPKCECodeVerifierMissingError`: no verifier is stored.
  case verifierMissing
  /// `AuthRefreshDiscardedError`: the session changed while it was refreshed.
  case refreshDiscarded
  /// The store rejected a call; no `AuthError` in JavaScript, so the promise is rejected with it.
  case storage(StoreError)
  /// A subscriber threw.
  case listener(String)
  /// The library itself threw, as on a stored session or a reply that lacks what is read of it:
  /// `TypeError` or `SyntaxError`.
  case defect(name: String, message: String)

  /// Whether JavaScript sees a rejected promise, not a result with an `error`.
  package var isRejection: Bool {
    switch self {
    case .storage, .listener, .invalidToken, .defect: true
    case .api, .weakPassword, .retryableFetch, .unknown, .sessionMissing, .tokenResponse,
      .credentials, .verifierMissing, .refreshDiscarded:
      false
    }
  }

  static let lacksEmail = credentials(
    message: "You must provide either an email or phone number and a password")

  /// The process has ended: nobody sees this error.
  static var gone: AuthError { .storage(.native(NativeError(message: "\(ProcessGone())"))) }
}

extension AuthError {
  /// Whether the call may succeed when it is made again, as nothing was refused.
  package var isRetryable: Bool {
    guard case .retryableFetch = self else { return false }
    return true
  }

  /// The `name` of the JavaScript error.
  package var name: String {
    switch self {
    case .api: "AuthApiError"
    case .weakPassword: "AuthWeakPasswordError"
    case .retryableFetch: "AuthRetryableFetchError"
    case .unknown: "AuthUnknownError"
    case .sessionMissing: "AuthSessionMissingError"
    case .tokenResponse: "AuthInvalidTokenResponseError"
    case .credentials: "AuthInvalidCredentialsError"
    case .invalidToken: "AuthInvalidJwtError"
    case .verifierMissing: "AuthPKCECodeVerifierMissingError"
    case .refreshDiscarded: "AuthRefreshDiscardedError"
    case .storage, .listener: "Error"
    case .defect(let name, _): name
    }
  }

  /// The `message` of the JavaScript error.
  package var message: String {
    switch self {
    case .api(let message, _, _), .weakPassword(let message, _, _), .retryableFetch(let message, _),
      .unknown(let message), .credentials(let message), .invalidToken(let message),
      .listener(let message), .defect(_, let message):
      message
    case .sessionMissing: "Auth session missing!"
    case .tokenResponse: "Auth session or user missing"
    case .verifierMissing: Self.verifierMissingText
    case .refreshDiscarded: Self.refreshDiscardedText
    case .storage(let error): error.description
    }
  }

  /// The `status` of the JavaScript error; `nil` for one that has none.
  package var status: Int? {
    switch self {
    case .api(_, let status, _), .weakPassword(_, let status, _), .retryableFetch(_, let status):
      status
    case .sessionMissing, .credentials, .invalidToken, .verifierMissing: 400
    case .tokenResponse: 500
    case .refreshDiscarded: 409
    case .unknown, .storage, .listener, .defect: nil
    }
  }

  /// The `code` of the JavaScript error; `nil` for one that has none.
  package var code: String? {
    switch self {
    case .api(_, _, let code): code
    case .weakPassword: "weak_password"
    case .invalidToken: "invalid_jwt"
    case .verifierMissing: "pkce_code_verifier_not_found"
    case .storage(let error): error.code
    case .retryableFetch, .unknown, .sessionMissing, .tokenResponse, .credentials,
      .refreshDiscarded, .listener, .defect:
      nil
    }
  }

  private static let verifierMissingText =
    "PKCE code verifier not found in storage. This can happen if the auth flow was initiated in a "
    + "different browser or device, or if the storage was cleared. For SSR frameworks (Next.js, "
    + "SvelteKit, etc.), use @supabase/ssr on both the server and client to store the code verifier "
    + "in cookies."
  private static let refreshDiscardedText =
    "Refresh result discarded: session state changed mid-flight (e.g., concurrent signOut)"
}

extension AuthError: CustomStringConvertible {
  /// What may be printed: the server's words may hold an address, and the parser's a piece of a token.
  package var description: String {
    ([name] + [status.map(String.init), code].compactMap(\.self)).joined(separator: " ")
  }
}
