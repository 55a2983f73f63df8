/// Keys derived from a secret: HKDF with SHA-256 (RFC 5869).
package enum HKDF {
  /// The most bytes that one expansion gives.
  package static let outputBytesMax = 255 * HMACSHA256.codeBytes

  /// Extract, then expand.
  ///
  /// - Parameters:
  ///   - secret: The input keying material.
  ///   - salt: May be empty, which stands for 32 zero bytes.
  ///   - info: What the key is for; other info, unrelated key.
  ///   - count: 0 to ``outputBytesMax``.
  /// - Returns: `count` bytes.
  /// - Throws: ``CryptoError/outputSize(bytes:)`` for another count.
  package static func derive(
    from secret: [UInt8], salt: [UInt8], info: [UInt8], count: Int
  ) throws(CryptoError) -> [UInt8] {
    var key = try extract(from: secret, salt: salt)
    defer { wipe(&key) }
    return try expand(key, info: info, count: count)
  }

  /// The pseudorandom key of a secret, 32 bytes.
  package static func extract(
    from secret: [UInt8], salt: [UInt8]
  ) throws(CryptoError) -> [UInt8] {
    try HMACSHA256.code(for: secret, key: salt)
  }

  /// So many bytes of output from a pseudorandom key.
  package static func expand(
    _ key: [UInt8], info: [UInt8], count: Int
  ) throws(CryptoError) -> [UInt8] {
    guard (0...outputBytesMax).contains(count) else { throw .outputSize(bytes: count) }
    var hmac = try HMACSHA256(key: key)
    var output: [UInt8] = []
    output.reserveCapacity(count + HMACSHA256.codeBytes)
    var block: [UInt8] = []
    defer { wipe(&block) }
    var number: UInt8 = 0
    while output.count < count {
      number += 1
      block = try hmac.code(for: block + info + [number])
      output += block
    }
    output.removeLast(output.count - count)
    return output
  }
}
