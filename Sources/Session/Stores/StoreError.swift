package import Crypto
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
  /// A half acknowledged its write and does not read back as it was written.
  case notStored(Half)
  /// A half acknowledged its removal and still reads.
  case notRemoved(Half)
  /// The halves do not fit together, and nothing proves yet that they never will: the app is in
  /// the background, or a second look saw something else. Nothing was changed.
  case undecided
  /// The crypto library failed, which says nothing of the halves. Nothing was changed.
  case crypto(CryptoError)

  package enum Half: String, Sendable {
    case key, blob
  }

  /// The `code` of the JavaScript error; `nil` for a plain `Error`.
  package var code: String? {
    switch self {
    case .native(let error): error.code
    case .cipher, .keyMissing, .tooLarge, .notStored, .notRemoved, .undecided, .crypto: nil
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
    case .notStored(let half): "the \(half.rawValue) half does not read back as it was written"
    case .notRemoved(let half): "the \(half.rawValue) half is still there after its removal"
    case .undecided: "the halves do not fit together, which proves nothing yet"
    case .crypto(let error): error.description
    }
  }
}
