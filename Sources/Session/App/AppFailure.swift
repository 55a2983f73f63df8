import Crypto

/// Why a command of the reference app was rejected; the message holds no secret.
package struct AppFailure: Error, Equatable {
  var code: String?
  var message: String

  /// What auth-js throws when a call needs a session and there is none.
  package static let sessionMissing = "AuthSessionMissingError"

  init(code: String?, message: String) {
    self.code = code
    self.message = message
  }

  init(_ error: StoreError) {
    self.init(code: error.code, message: "\(error)")
  }

  static func wrap<Value>(
    _ body: () throws(CryptoError) -> Value
  ) throws(AppFailure) -> Value {
    do throws(CryptoError) {
      return try body()
    } catch {
      throw AppFailure(code: nil, message: "\(error)")
    }
  }
}
