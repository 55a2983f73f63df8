/// Whatever a call may have failed with, as JavaScript sees it.
package enum Thrown: Equatable, Sendable {
  case nothing
  /// An instance of `Error`. The code is `nil` unless it is a string.
  case error(code: String?, message: String)
  case text(String)
  /// A plain object, a number, or anything else that is no `Error`, even if it has a code.
  case other

  package init(_ error: AuthError) {
    switch error {
    case .api(let message, _, let code): self = .error(code: code, message: message)
    case .weakPassword(let message, _, _): self = .error(code: "weak_password", message: message)
    case .retryableFetch(let message, _), .unknown(let message), .invalidToken(let message):
      self = .error(code: nil, message: message)
    case .sessionMissing: self = .error(code: nil, message: "Auth session missing!")
    case .verifierMissing:
      self = .error(code: "pkce_code_verifier_not_found", message: "code verifier not found")
    case .refreshDiscarded: self = .error(code: nil, message: "refresh discarded")
    case .storage(let error): self = .error(code: error.code, message: error.description)
    case .listener(let message): self = .error(code: nil, message: message)
    }
  }
}

/// Turns a failure into the key of a text. The code wins over the message, since older servers send
/// no code and the catalogue has keys of both shapes.
package enum ErrorMapper {
  package static let fallbackKey = "errors.default"

  package static func key(_ thrown: Thrown) -> String {
    switch thrown {
    case .nothing, .other: fallbackKey
    case .error(let code?, _) where !code.isEmpty: "errors.\(code)"
    case .error(_, let message): message.isEmpty ? fallbackKey : "errors.\(message)"
    case .text(let text): text.isEmpty ? fallbackKey : "errors.\(text)"
    }
  }
}
