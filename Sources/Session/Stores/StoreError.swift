package import Ports

/// Why a store rejected a call. The description never contains key material or a stored text.
package enum StoreError: Error, Equatable, Sendable {
  /// A native module rejected.
  case native(NativeError)
  /// The cipher library threw.
  case cipher(AESJSError)
  /// There is a blob, and no key for it.
  case keyMissing
  /// The size rule is enforced, and the value is over it. Nothing was written.
  case tooLarge(bytes: Int, limit: Int)

  /// The `code` of the JavaScript error; `nil` for a plain `Error`.
  package var code: String? {
    switch self {
    case .native(let error): error.code
    case .cipher, .keyMissing, .tooLarge: nil
    }
  }
}

extension StoreError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .native(let error): error.message
    case .cipher(let error): error.description
    case .keyMissing: "no key for the stored blob"
    case .tooLarge(let bytes, let limit):
      "value of \(bytes) bytes is over the \(limit) bytes that one item takes"
    }
  }
}
