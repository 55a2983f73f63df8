package import Ports

/// SecureStore with the option `keychainAccessible`, which a save may pass.
package protocol ProtectedItems: SecureStorage {
  /// Stores a text.
  ///
  /// - Parameters:
  ///   - name: The item's name.
  ///   - value: The text.
  ///   - accessible: When the item can be read; `nil` leaves it to the phone's setting.
  /// - Throws: `NativeError`, as the module rejects.
  func setItem(
    _ name: String, to value: String, accessible: Accessibility?
  ) async throws(NativeError)
}

extension KeychainModule: ProtectedItems {}

extension SecureStoreModule: ProtectedItems {
  /// Android has no such option: it is passed over, as the real module does.
  package func setItem(
    _ name: String, to value: String, accessible: Accessibility?
  ) async throws(NativeError) {
    try await setItem(name, to: value)
  }
}
