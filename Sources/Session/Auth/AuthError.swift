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
  /// `AuthInvalidJwtError`, or a stored session that lacks what is read of it.
  case invalidToken(message: String)
  /// `AuthPKCECodeVerifierMissingError`: no verifier is stored.
  case verifierMissing
  /// `AuthRefreshDiscardedError`: the session changed while it was refreshed.
  case refreshDiscarded
  /// The store rejected a call; no `AuthError` in JavaScript, so the promise is rejected with it.
  case storage(StoreError)
  /// A subscriber threw.
  case listener(String)

  /// Whether JavaScript sees a rejected promise, not a result with an `error`.
  package var isRejection: Bool {
    switch self {
    case .storage, .listener, .invalidToken: true
    case .api, .weakPassword, .retryableFetch, .unknown, .sessionMissing, .verifierMissing,
      .refreshDiscarded:
      false
    }
  }
}
