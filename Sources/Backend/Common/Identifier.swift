package import Ports

/// Names that a server makes up.
package enum Identifier {
  /// A version 4 UUID (RFC 9562).
  package static func uuid(_ entropy: any Entropy) -> String {
    var bytes = entropy.bytes(16)
    bytes[6] = bytes[6] & 0x0f | 0x40
    bytes[8] = bytes[8] & 0x3f | 0x80
    var text = ""
    for (index, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(index) { text += "-" }
      text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    return text
  }

  /// So many characters of an alphabet of at most 256 ASCII characters, each as likely as the
  /// others.
  package static func text(
    _ count: Int, of alphabet: String, _ entropy: any Entropy
  ) -> String {
    let letters = Array(alphabet.utf8)
    // Above the last whole multiple the first letters would come more often.
    let limit = 256 / letters.count * letters.count
    var text: [UInt8] = []
    while text.count < count {
      for byte in entropy.bytes(count - text.count) where Int(byte) < limit {
        text.append(letters[Int(byte) % letters.count])
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  package static func isUUID(_ text: String) -> Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    return parts.map(\.count) == [8, 4, 4, 4, 12]
      && parts.joined().allSatisfy {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
          || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0 | 0x20)
      }
  }
}
