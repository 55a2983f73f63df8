import Crypto

/// Enough of a digest to tell two values apart.
///
/// A value that somebody could guess, such as a PIN, could be confirmed by it: whoever shows one to
/// people shows 4 digits at most.
enum Fingerprint {
  /// The first 16 hexadecimal digits of the SHA-256.
  static func of(_ bytes: [UInt8]) throws(CryptoError) -> String {
    String(Hexadecimal.encode(try sha256(bytes)).prefix(16))
  }
}
