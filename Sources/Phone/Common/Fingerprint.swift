import Crypto

/// Enough of a digest to see whether two values differ, and too little to learn one.
enum Fingerprint {
  /// The first 4 hexadecimal digits of the SHA-256.
  static func of(_ bytes: [UInt8]) throws(CryptoError) -> String {
    String(Hexadecimal.encode(try sha256(bytes)).prefix(4))
  }
}
