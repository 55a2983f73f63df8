import Crypto

/// The library's `utils.hex.toBytes`: `parseInt(pair, 16)` of each pair of characters.
///
/// So a pair is read leniently: leading blanks and one sign are skipped, reading stops at the
/// first character that is no digit, `0x` is a prefix, and the last pair may be a single
/// character. A pair without any digit is `NaN`. Bytes are checked later, by whoever takes them.
enum AESJSHexadecimal {
  /// The bytes of a text, or the error that taking them gives.
  ///
  /// - Complexity: O(*n*); text of plain digits takes a short way that gives the same.
  static func bytes(
    of text: JavaScriptString, as subject: AESJSError.Subject
  ) throws(AESJSError) -> [UInt8] {
    // Whatever is not plain digits is read again below, leniently.
    if let text = text.text, let bytes = try? Hexadecimal.decode(text) { return bytes }
    let values = values(of: text.units)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(values.count)
    for value in values {
      guard let value, let byte = UInt8(exactly: value) else {
        throw .invalidValue(in: subject, values: values)
      }
      bytes.append(byte)
    }
    return bytes
  }

  /// The number that each pair gives; `nil` for `NaN`.
  static func values(of units: [UInt16]) -> [Int?] {
    stride(from: 0, to: units.count, by: 2).map { start in
      parseInt(units[start..<min(start + 2, units.count)])
    }
  }

  /// JavaScript's `parseInt(text, 16)`. A negative zero counts as zero, as it does for the caller.
  private static func parseInt(_ units: ArraySlice<UInt16>) -> Int? {
    var rest = units.drop(while: isBlank)
    var sign = 1
    if rest.first == 0x2d || rest.first == 0x2b {
      sign = rest.removeFirst() == 0x2d ? -1 : 1
    }
    if rest.count >= 2, rest.first == 0x30, rest[rest.startIndex + 1] | 0x20 == 0x78 {
      rest = rest.dropFirst(2)
    }
    var value: Int?
    while let digit = rest.popFirst().flatMap(digitValue) {
      value = (value ?? 0) * 16 + digit
    }
    return value.map { $0 * sign }
  }

  private static func digitValue(_ unit: UInt16) -> Int? {
    switch unit {
    case 0x30...0x39: Int(unit) - 0x30
    case 0x41...0x46: Int(unit) - 0x41 + 10
    case 0x61...0x66: Int(unit) - 0x61 + 10
    default: nil
    }
  }

  /// ECMAScript's white space and line ends.
  private static func isBlank(_ unit: UInt16) -> Bool {
    switch unit {
    case 0x09...0x0d, 0x20, 0xa0, 0x1680, 0x2000...0x200a, 0x2028, 0x2029, 0x202f, 0x205f,
      0x3000, 0xfeff:
      true
    default: false
    }
  }
}
