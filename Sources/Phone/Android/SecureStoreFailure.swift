import Ports

/// The exceptions of expo-secure-store on Android, and how JavaScript sees them.
struct SecureStoreFailure: Error, Equatable {
  private var code: String
  private var message: String

  static func write(_ item: String, _ reason: String) -> SecureStoreFailure {
    SecureStoreFailure(
      code: "ERR_WRITE",
      message: "An error occurred when writing to key: '\(item)' under keychain: "
        + "'\(SecureStoreEntry.service)'. Caused by: \(reason)")
  }

  static func encrypt(_ item: String, _ reason: String) -> SecureStoreFailure {
    SecureStoreFailure(code: "ERR_ENCRYPT", message: text("encrypt", item, reason))
  }

  static func decrypt(_ item: String, _ reason: String) -> SecureStoreFailure {
    SecureStoreFailure(code: "ERR_DECRYPT", message: text("decrypt", item, reason))
  }

  static func delete(_ item: String, _ reason: String) -> SecureStoreFailure {
    SecureStoreFailure(code: "ERR_DELETE", message: text("delete", item, reason))
  }

  /// The prompt could not be shown.
  static let authentication = SecureStoreFailure(
    code: "ERR_AUTHENTICATION",
    message: "Could not Authenticate the user: Cannot display biometric prompt when the app is "
      + "not in the foreground")

  /// An exception that the module does not catch.
  static func unexpected(_ exception: String) -> SecureStoreFailure {
    SecureStoreFailure(code: "ERR_UNEXPECTED", message: exception)
  }

  private static func text(_ verb: String, _ item: String, _ reason: String) -> String {
    "Could not \(verb) the value for key '\(item)' under keychain "
      + "'\(SecureStoreEntry.service)'. Caused by: \(reason)"
  }

  func error(in function: String) -> NativeError {
    NativeError(
      code: code,
      message: "Call to function 'ExpoSecureStore.\(function)' has been rejected.\n"
        + "→ Caused by: \(message)")
  }
}
