import JSON

/// What the keystore's service can be asked, as JSON over the system's channel.
package enum KeystoreRequest: Equatable, Sendable {
  /// Removes all keys of the app, as its uninstallation does.
  case clearNamespace
  /// Makes the keys that need the owner's fingerprint or face unusable for ever.
  case invalidateAuthenticated

  /// The request as it is sent.
  package var text: String {
    switch self {
    case .clearNamespace: #"{"call":"clearNamespace"}"#
    case .invalidateAuthenticated: #"{"call":"invalidateAuthenticated"}"#
    }
  }
}
