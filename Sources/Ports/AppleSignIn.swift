/// The native sheet of Sign in with Apple: `expo-apple-authentication`.
package protocol AppleSignIn: AnyObject {
  /// `false` on Android and on old systems.
  func isAvailable() async -> Bool

  /// Shows the sheet.
  ///
  /// - Parameter nonce: Ends up in the identity token as it is.
  /// - Returns: What Apple said of the person.
  /// - Throws: `ERR_REQUEST_CANCELED` when the person closed the sheet; other codes otherwise.
  func signIn(nonce: String) async throws(NativeError) -> AppleCredential
}

/// What the sheet returns. All texts but the token come with the first authorisation only.
package struct AppleCredential: Equatable, Sendable {
  package var identityToken: String?
  package var fullName: AppleName?

  package init(identityToken: String?, fullName: AppleName?) {
    self.identityToken = identityToken
    self.fullName = fullName
  }
}

/// The parts of a name that the app uses. On iOS the object is there each time, its parts are not.
package struct AppleName: Equatable, Sendable {
  package var givenName: String?
  package var familyName: String?

  package init(givenName: String? = nil, familyName: String? = nil) {
    self.givenName = givenName
    self.familyName = familyName
  }
}
