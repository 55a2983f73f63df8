import JSON
package import Ports

/// What the reference app can be told to do.
package enum AppCommand: Equatable, Sendable {
  /// Store a session, as the end of a sign-in does.
  case signIn(NewSession)
  /// Read the session as the client does at start, or any item as it is.
  case get(item: String?)
  /// Store a text under a name of the caller's.
  case set(item: String, value: JavaScriptString)
  /// Store a text of the app's own in SecureStore, beside the session's store.
  case secret(item: String, value: String)
  /// Remove an item from the store; the session, if no name is given.
  case remove(item: String?)
  /// Read the session, and store the one that the server gives for it: the given generation, or
  /// the next one.
  case refresh(to: Int?)
  /// Store and read at once.
  case overlap(Overlap)
  case signOut
  /// The person leaves the app, or comes back to it.
  case become(AppState)
  /// Another app opens an address of this one.
  case open(url: String)

  package enum NewSession: Equatable, Sendable {
    case generation(Int)
    case text(JavaScriptString)
  }

  /// The word of the command line and of logs.
  package var name: String {
    switch self {
    case .signIn: "sign-in"
    case .get: "get"
    case .set: "set"
    case .secret: "secret"
    case .remove: "remove"
    case .refresh: "refresh"
    case .overlap: "overlap"
    case .signOut: "sign-out"
    case .become: "become"
    case .open: "open"
    }
  }
}
