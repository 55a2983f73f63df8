/// Numbers.
extension JSONReader {
  var startsNumber: Bool {
    let byte = current
    if byte.isDigit || byte == UInt8(ascii: "-") { return true }
    guard isJSON5 else { return false }
    return byte == UInt8(ascii: "+") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "I")
      || byte == UInt8(ascii: "N")
  }

  /// Reads a number; whole ones without fraction and exponent stay exact up to 64 bits.
  mutating func number() throws(JSONError) -> JSONNode.Content {
    let start = index
    let place = here
    let isNegative = current == UInt8(ascii: "-")
    if isNegative || (isJSON5 && current == UInt8(ascii: "+")) { index += 1 }
    if isJSON5 {
      if skipWord("Infinity") { return .double(isNegative ? -.infinity : .infinity) }
      if skipWord("NaN") { return .double(.nan) }
      if current == UInt8(ascii: "0"), byte(ahead: 1) | 0x20 == UInt8(ascii: "x") {
        return try hexNumber(from: start, place, isNegative: isNegative)
      }
    }
    let digitsStart = index
    let magnitude = skipDigits()
    let wholeCount = index - digitsStart
    guard wholeCount > 0 || (isJSON5 && current == UInt8(ascii: ".")) else {
      throw badNumber(from: start, place, "digits must follow")
    }
    if wholeCount > 1, bytes[digitsStart] == UInt8(ascii: "0") {
      throw badNumber(from: start, place, "no leading zero")
    }
    var isWhole = true
    if current == UInt8(ascii: ".") {
      isWhole = false
      index += 1
      let fractionStart = index
      _ = skipDigits()
      let isComplete = index > fractionStart || (isJSON5 && wholeCount > 0)
      guard isComplete else { throw badNumber(from: start, place, "digits must follow the point") }
    }
    if current | 0x20 == UInt8(ascii: "e") {
      isWhole = false
      index += 1
      if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { index += 1 }
      let exponentStart = index
      _ = skipDigits()
      guard index > exponentStart else {
        throw badNumber(from: start, place, "digits must follow the exponent sign")
      }
    }
    if isWhole, let magnitude, let whole = Self.whole(magnitude, isNegative: isNegative) {
      return whole
    }
    return try double(from: start, place)
  }

  /// Goes past decimal digits; their value, or `nil` beyond 64 bits.
  private mutating func skipDigits() -> UInt64? {
    var value: UInt64? = 0
    while index < bytes.count, bytes[index].isDigit {
      if let known = value {
        let (product, tooLarge) = known.multipliedReportingOverflow(by: 10)
        let (sum, carried) = product.addingReportingOverflow(UInt64(bytes[index] & 0x0F))
        value = tooLarge || carried ? nil : sum
      }
      index += 1
    }
    return value
  }

  private static func whole(_ magnitude: UInt64, isNegative: Bool) -> JSONNode.Content? {
    if !isNegative {
      return Int64(exactly: magnitude).map(JSONNode.Content.integer) ?? .unsigned(magnitude)
    }
    guard magnitude <= Int64.min.magnitude else { return nil }
    return .integer(Int64(truncatingIfNeeded: 0 &- magnitude))
  }

  private mutating func hexNumber(
    from start: Int, _ place: SourceRange, isNegative: Bool
  ) throws(JSONError) -> JSONNode.Content {
    index += 2
    var magnitude: UInt64 = 0
    var isTooLarge = false
    let digitsStart = index
    while let digit = current.hexValue {
      isTooLarge = isTooLarge || magnitude >> 60 != 0
      magnitude = magnitude << 4 | UInt64(digit)
      index += 1
    }
    guard index > digitsStart else {
      throw badNumber(from: start, place, "hexadecimal digits must follow")
    }
    guard !isTooLarge, let whole = Self.whole(magnitude, isNegative: isNegative) else {
      throw JSONError(.numberTooLarge(spelling(from: start)), at: range(from: place))
    }
    return whole
  }

  private func double(from start: Int, _ place: SourceRange) throws(JSONError) -> JSONNode.Content {
    var text = bytes[start..<index]
    if text.first == UInt8(ascii: "+") { text.removeFirst() }
    // The standard library wants a digit on both sides of the point, or one side with no point.
    guard let value = Double(String(decoding: text, as: UTF8.self)), value.isFinite else {
      throw JSONError(.numberTooLarge(spelling(from: start)), at: range(from: place))
    }
    return .double(value)
  }

  private func badNumber(from start: Int, _ place: SourceRange, _ reason: String) -> JSONError {
    JSONError(.badNumber(spelling(from: start), reason: reason), at: range(from: place))
  }

  /// The number as it stands in the text, cut to what fits in a message.
  private func spelling(from start: Int) -> String {
    let text = String(decoding: bytes[start..<min(index, start + 40)], as: UTF8.self)
    return index - start > 40 ? text + "..." : text
  }
}
