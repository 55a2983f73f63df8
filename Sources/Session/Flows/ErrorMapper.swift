/// Whatever a call may have failed with, as JavaScript sees it.
package enum Thrown: Equatable, Sendable {
  case nothing
  /// An instance of `Error`. The code is `nil` unless it is a string.
  case error(code: String?, message: String)
  case text(String)
  /// A plain object, a number, or anything else that is no `Error`, even if it has a code.
  case other

  package init(_ error: AuthError) {
    self = .error(code: error.code, message: error.message)
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
