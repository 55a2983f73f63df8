/// The URL-safe Base64 alphabet without padding (RFC 4648 §5), as JSON Web Tokens use it.
package enum Base64URL {
  /// Why a text is not Base64url.
  package enum DecodingError: Error, Equatable, Sendable {
    /// No number of whole bytes has this many characters.
    case badCount(Int)
    /// The offset, in bytes of the text, of the first character outside of the alphabet; padding
    /// counts as such.
    case notInAlphabet(at: Int)
    /// The last character has bits that no byte uses; another text means the same bytes.
    case strayBits
  }

  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 255, count: 256)
    for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
    return values
  }()

  /// - Complexity: O(*n*).
  package static func encode(_ bytes: [UInt8]) -> String {
    let alphabet = Self.alphabet
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count * 4 + 2) / 3)
    var index = 0
    while index < bytes.count {
      let count = min(3, bytes.count - index)
      var group = UInt32(bytes[index]) << 16
      if count > 1 { group |= UInt32(bytes[index + 1]) << 8 }
      if count > 2 { group |= UInt32(bytes[index + 2]) }
      for place in 0...count {
        text.append(alphabet[Int(group >> UInt32(18 - 6 * place) & 63)])
      }
      index += 3
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Reads exactly what ``encode(_:)`` writes, and nothing else.
  ///
  /// - Complexity: O(*n*).
  package static func decode(_ text: String) throws(DecodingError) -> [UInt8] {
    let values = Self.values
    let characters = Array(text.utf8)
    guard characters.count % 4 != 1 else { throw .badCount(characters.count) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(characters.count * 3 / 4)
    var group: UInt32 = 0
    var bits = 0
    for (index, character) in characters.enumerated() {
      let value = values[Int(character)]
      guard value < 64 else { throw .notInAlphabet(at: index) }
      group = group << 6 | UInt32(value)
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: group >> UInt32(bits)))
      }
    }
    guard group & ((1 << UInt32(bits)) - 1) == 0 else { throw .strayBits }
    return bytes
  }
}
