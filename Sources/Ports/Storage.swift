/// A native module that keeps texts under names.
///
/// `async`, because every native-module call may interleave with others.
package protocol ItemStorage: AnyObject {
  /// The stored text, or `nil` when there is none.
  func item(_ name: String) async throws(NativeError) -> String?
  func setItem(_ name: String, to value: String) async throws(NativeError)
  func removeItem(_ name: String) async throws(NativeError)
}

/// The key side: `expo-secure-store`, over the keychain or the keystore.
package protocol SecureStorage: ItemStorage {}

/// The blob side: `@react-native-async-storage/async-storage`.
package protocol PlainStorage: ItemStorage {}

/// A rejected native-module call, as JavaScript sees it.
package struct NativeError: Error, Equatable, Sendable {
  /// The `code` of the JavaScript error, such as `ERR_KEY_CHAIN`; `nil` for a plain `Error`.
  package var code: String?
  package var message: String

  package init(code: String? = nil, message: String) {
    self.code = code
    self.message = message
  }
}

extension NativeError: CustomStringConvertible {
  package var description: String { message }
}
