package import Ports

/// What an app with its client can be told to do.
package enum ClientCommand: Equatable, Sendable {
  /// Nothing: only looks how it stands.
  case look
  case signIn(Credentials)
  /// Asks the client for its session, as every call of an API does first.
  case read
  /// Has the client refresh its session.
  case refresh
  case signOut
  case become(AppState)
  /// Sets the phone's clock this far ahead of the true time, in milliseconds.
  case setClock(aheadMs: Int64)
  /// Takes an address that the system opens the app with.
  case open(url: String)
}

extension ClientCommand {
  /// Reads ``words``.
  package init(words: [String]) throws(AppCommandError) {
    switch (words.first, words.count) {
    case ("look", 1): self = .look
    case ("read", 1): self = .read
    case ("refresh", 1): self = .refresh
    case ("sign-out", 1): self = .signOut
    case ("sign-in", 3): self = .signIn(Credentials(email: words[1], password: words[2]))
    case ("open", 2): self = .open(url: words[1])
    case ("set-clock", 2): self = .setClock(aheadMs: try Self.milliseconds(words[1]))
    case ("become", 2):
      guard let state = AppState(rawValue: words[1]) else {
        throw AppCommandError("no state '\(words[1])' of an app")
      }
      self = .become(state)
    default:
      throw AppCommandError(
        "no command '\(words.first ?? "")' of an app with its client; allowed: look, sign-in, "
          + "read, refresh, sign-out, become, set-clock, open")
    }
  }

  private static func milliseconds(_ word: String) throws(AppCommandError) -> Int64 {
    guard let ms = Int64(word) else {
      throw AppCommandError("'\(word)' is no number of milliseconds")
    }
    return ms
  }

  /// As ``init(words:)`` reads it. May hold secrets.
  package var words: [String] {
    switch self {
    case .look: ["look"]
    case .signIn(let credentials): ["sign-in", credentials.email, credentials.password]
    case .read: ["read"]
    case .refresh: ["refresh"]
    case .signOut: ["sign-out"]
    case .become(let state): ["become", state.rawValue]
    case .setClock(let ms): ["set-clock", String(ms)]
    case .open(let url): ["open", url]
    }
  }

  /// The first of its words: the others may be secret.
  package var name: String { words.first ?? "" }

  /// How long a person waits for it.
  package var patience: Duration { .seconds(70) }

  /// How long nobody looks after it.
  package var settling: Duration { self == .look ? .zero : .seconds(2) }
}
