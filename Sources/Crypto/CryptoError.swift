/// Why a cryptographic call did nothing. Carries sizes and names only, never key or message bytes.
package enum CryptoError: Error, Equatable, Sendable {
  /// AES knows keys of 16, 24 and 32 bytes.
  case keySize(bytes: Int)
  /// The initial counter block of counter mode has exactly 16 bytes.
  case counterSize(bytes: Int)
  /// GCM here takes nonces of 1 to 128 bytes; 12 is the normal one.
  case nonceSize(bytes: Int)
  /// HKDF-SHA256 gives at most 255 × 32 bytes.
  case outputSize(bytes: Int)
  /// The tag does not fit the key, nonce, text and additional data. No plaintext was released.
  case notAuthentic
  /// A call of the library failed that cannot fail with these inputs, short of memory.
  case library(call: String)
}

extension CryptoError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .keySize(let bytes): "key of \(bytes) bytes; AES takes 16, 24 or 32"
    case .counterSize(let bytes): "counter block of \(bytes) bytes; counter mode takes 16"
    case .nonceSize(let bytes): "nonce of \(bytes) bytes; GCM takes 1 to 128"
    case .outputSize(let bytes): "\(bytes) bytes of derived key; HKDF-SHA256 gives 0 to 8160"
    case .notAuthentic: "authentication failed: the tag does not fit"
    case .library(let call): "\(call) failed"
    }
  }
}
