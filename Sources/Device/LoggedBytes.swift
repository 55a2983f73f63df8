/// What the log keeps of bytes: how many there are, and never the bytes.
package struct LoggedBytes: Equatable, Sendable {
  package let count: Int
  /// Only for bytes at the beginning of a file.
  package let print: DigitsPrint?

  init(count: Int, print: DigitsPrint? = nil) {
    self.count = count
    self.print = print
  }
}

/// Tells texts of hexadecimal digits apart, the form in which apps store ciphertexts: enough to see that
/// two begin with the same keystream.
package struct DigitsPrint: Equatable, Sendable {
  /// Of the first 16 digits.
  package let beginning: UInt64
  package let whole: UInt64

  init(beginning: UInt64, whole: UInt64) {
    self.beginning = beginning
    self.whole = whole
  }

  /// - Returns: `nil` for bytes that do not begin with 16 digits.
  /// - Complexity: O(*n*).
  init?(of bytes: [UInt8]) {
    let beginning = bytes.prefix(16)
    guard beginning.count == 16, beginning.allSatisfy(\.isHexadecimalDigit) else { return nil }
    self.init(beginning: Self.digest(beginning), whole: Self.digest(bytes[...]))
  }

  /// FNV-1a.
  private static func digest(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}

extension UInt8 {
  package var isHexadecimalDigit: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"):
      true
    default: false
    }
  }
}
