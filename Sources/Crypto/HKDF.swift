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
    var hmac = try HMACSHA256(key: [])
    return try derive(
      from: secret.span, salt: salt.span, info: info.span, count: count, by: &hmac)
  }

  /// The same from bytes that lie among others, by a code that is kept; its key is then another.
  package static func derive(
    from secret: Span<UInt8>, salt: Span<UInt8>, info: Span<UInt8>, count: Int,
    by hmac: inout HMACSHA256
  ) throws(CryptoError) -> [UInt8] {
    guard (0...outputBytesMax).contains(count) else { throw .outputSize(bytes: count) }
    try hmac.setKey(salt)
    try hmac.update(secret)
    var output: [UInt8] = []
    output.reserveCapacity(count + HMACSHA256.codeBytes)
    try hmac.finish(onto: &output)
    try hmac.setKey(output.span)
    wipe(&output)
    output.removeAll(keepingCapacity: true)
    var number: UInt8 = 0
    while output.count < count {
      number += 1
      try hmac.update(output.span.extracting(last: HMACSHA256.codeBytes))
      try hmac.update(info)
      try hmac.update(CollectionOfOne(number).span)
      try hmac.finish(onto: &output)
    }
    output.removeLast(output.count - count)
    return output
  }
}
