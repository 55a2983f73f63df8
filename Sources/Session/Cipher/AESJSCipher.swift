import Crypto

/// The cipher of the published recipe, byte for byte: aes-js 3.1.2 in counter mode from 1.
///
/// - A wrong key never throws; it gives other text.
/// - There is no authentication: one flipped bit of the blob is one other character.
/// - The key is taken before the blob: its characters are checked, then its size, and only then
///   the blob's characters.
/// - Keys of 16 and 24 bytes are accepted too.
/// - Text outside of the basic plane encrypts and does not come back (``AESJSText``).
///
/// Checked against a recording of the library. Must not be used from two tasks at once.
package struct AESJSCipher: ~Copyable {
  /// The size of a key that the recipe draws.
  package static let keyBytes = 32
  private static let counter = AESCounterMode.counterBlock(1)
  private var mode: AESCounterMode

  package init() throws(AESJSError) {
    do throws(CryptoError) {
      mode = try AESCounterMode()
    } catch {
      throw .library(error)
    }
  }

  /// Encrypts a text; the blob is lower-case hexadecimal, two digits for each byte of UTF-8.
  ///
  /// - Throws: ``AESJSError/malformedText`` for a lone surrogate.
  package mutating func encrypt(
    _ text: JavaScriptString, key: [UInt8]
  ) throws(AESJSError) -> String {
    guard [16, 24, 32].contains(key.count) else { throw .keySize(bytes: key.count) }
    var bytes = try AESJSText.bytes(of: text)
    try apply(to: &bytes, key: key)
    return Hexadecimal.encode(bytes)
  }

  /// Decrypts a blob with a key, both as texts out of storage.
  ///
  /// - Throws: For characters or a key size that the library refuses, and never for a wrong key.
  package mutating func decrypt(
    _ blob: JavaScriptString, keyText: JavaScriptString
  ) throws(AESJSError) -> JavaScriptString {
    var key = try AESJSHexadecimal.bytes(of: keyText, as: .key)
    defer { wipe(&key) }
    guard [16, 24, 32].contains(key.count) else { throw .keySize(bytes: key.count) }
    var bytes = try AESJSHexadecimal.bytes(of: blob, as: .blob)
    try apply(to: &bytes, key: key)
    return AESJSText.text(of: bytes)
  }

  private mutating func apply(to bytes: inout [UInt8], key: [UInt8]) throws(AESJSError) {
    do throws(CryptoError) {
      try mode.apply(to: &bytes, key: key, counter: Self.counter)
    } catch {
      throw .library(error)
    }
  }
}
