/// The library's `utils.utf8`: encoding through `encodeURI`, decoding by hand.
///
/// Encoding is UTF-8 for every valid text. Decoding knows forms of one, two and three bytes and
/// checks nothing: a character outside of the basic plane is read as three bytes plus a stray one
/// and so comes out wrong, and a form that the end cuts is completed with zero bits.
enum AESJSText {
  static func bytes(of text: JavaScriptString) throws(AESJSError) -> [UInt8] {
    guard let text = text.text else { throw .malformedText }
    return Array(text.utf8)
  }

  /// - Complexity: O(*n*); valid UTF-8 without four-byte forms takes a short way that gives the
  ///   same.
  static func text(of bytes: [UInt8]) -> JavaScriptString {
    // Without branches, so that the loop becomes vector code.
    var largest: UInt8 = 0
    for byte in bytes { largest = max(largest, byte) }
    if largest < 0x80 { return JavaScriptString(String(decoding: bytes, as: UTF8.self)) }
    if largest < 0xf0, let text = String(validating: bytes, as: UTF8.self) {
      return JavaScriptString(text)
    }
    return JavaScriptString(units: units(of: bytes))
  }

  static func units(of bytes: [UInt8]) -> [UInt16] {
    func low(_ index: Int) -> UInt16 { index < bytes.count ? UInt16(bytes[index] & 0x3f) : 0 }
    var units: [UInt16] = []
    units.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      let lead = UInt16(bytes[index])
      switch lead {
      case 0..<128:
        units.append(lead)
        index += 1
      case 192..<224:
        units.append((lead & 0x1f) << 6 | low(index + 1))
        index += 2
      default:
        units.append((lead & 0x0f) << 12 | low(index + 1) << 6 | low(index + 2))
        index += 3
      }
    }
    return units
  }
}
