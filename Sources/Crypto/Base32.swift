/// Base32 without padding (RFC 4648 §6), as authenticator apps take their secrets.
package enum Base32 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

  /// - Complexity: O(*n*).
  package static func encode(_ bytes: [UInt8]) -> String {
    var digits: [UInt8] = []
    var pending = 0
    var bits = 0
    for byte in bytes {
      pending = (pending << 8 | Int(byte)) & 0xfff
      bits += 8
      while bits >= 5 {
        bits -= 5
        digits.append(alphabet[pending >> bits & 31])
      }
    }
    if bits > 0 { digits.append(alphabet[pending << (5 - bits) & 31]) }
    return String(decoding: digits, as: UTF8.self)
  }

  /// The whole bytes that the digits hold, or `nil` if one is no digit. Bits that make no byte are
  /// dropped, as authenticator apps do.
  ///
  /// - Complexity: O(*n*).
  package static func decode(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    var pending = 0
    var bits = 0
    for digit in text.utf8 {
      guard let value = alphabet.firstIndex(of: digit) else { return nil }
      pending = (pending << 5 | value) & 0xfff
      bits += 5
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: pending >> bits))
      }
    }
    return bytes
  }
}
