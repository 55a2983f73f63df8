/// The place of a screen in the tree of the app: inside a provider, or not.
package struct AuthScope {
  private let provider: AuthProvider?

  /// A place outside: nothing there knows who is signed in.
  package init() { provider = nil }

  /// A place inside. The cache is the provider's, which lies inside the cache's provider.
  package init(_ provider: AuthProvider) { self.provider = provider }

  /// `useAuth()`.
  ///
  /// - Returns: The provider, which is never a signed-out stand-in.
  /// - Throws: ``OutsideProvider``.
  package func useAuth() throws(OutsideProvider) -> AuthProvider {
    guard let provider else { throw OutsideProvider() }
    return provider
  }
}

/// `useAuth()` was called outside the provider: a mistake in the tree of the app.
package struct OutsideProvider: Error, Equatable, Sendable {
  package init() {}
}
