import JSON

/// What the screens and guards see between two changes: `useAuth()` as a value.
package struct AuthFrame: Equatable, Sendable {
  package var status = AuthStatus.loading
  /// The live session. Its user's id is the identity that queries go by.
  package var session: AuthSession?
  /// Recovery is a mode beside the status: the session may only be used to set a new password.
  package var isRecovering = false
  /// Whether the stored session and the recovery marker have been looked at.
  package var isInitialised = false
  /// Nobody is signed in as far as the app can tell, but it could not find out: a stored session may
  /// come back. Always `false` in the profile `seed`, which cannot tell.
  package var isDeferred = false

  package init() {}

  /// The id of the session's user.
  package var userID: String? { session?.ownerID }
}

extension AuthSession {
  /// The id of the user whom the session belongs to.
  var ownerID: String? { json["user"]?["id"]?.text }
}
