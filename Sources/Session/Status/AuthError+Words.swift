extension AuthError {
  /// The class of the error, without anything that a server or a store said.
  var kind: String {
    switch self {
    case .api(_, let status, let code): "refused with status \(status), code \(code ?? "none")"
    case .weakPassword: "weak password"
    case .retryableFetch(_, let status): "no usable reply, status \(status)"
    case .unknown: "a reply that is not understood"
    case .sessionMissing: "no session"
    case .invalidToken: "a token that cannot be read"
    case .verifierMissing: "no code verifier"
    case .refreshDiscarded: "a refresh that came too late"
    case .storage: "the store threw"
    case .listener: "a subscriber threw"
    }
  }
}
