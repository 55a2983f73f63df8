/// Quoted texts and their escapes.
extension JSONReader {
  /// Reads from the opening quote to the closing one of the same kind.
  mutating func text() throws(JSONError) -> String {
    let quote = bytes[index]
    let start = here
    index += 1
    var runStart = index
    var buffer: [UInt8] = []
    while true {
      index = endOfPlainText(from: index)
      guard index < bytes.count else { break }
      let byte = bytes[index]
      if byte == quote {
        let run = bytes[runStart..<index]
        index += 1
        if buffer.isEmpty { return String(decoding: run, as: UTF8.self) }
        buffer.append(contentsOf: run)
        return String(decoding: buffer, as: UTF8.self)
      }
      if byte == UInt8(ascii: "\\") {
        buffer.append(contentsOf: bytes[runStart..<index])
        try escape(into: &buffer)
        runStart = index
      } else if byte < 0x20 {
        // JSON5 takes any character here but the ends of a line.
        guard isJSON5, byte != 0x0A, byte != 0x0D else {
          if byte == 0x0A || byte == 0x0D { throw JSONError(.unterminatedText, at: start) }
          throw JSONError(.controlCharacter(byte), at: here)
        }
        index += 1
      } else if byte < 0x80 {
        index += 1
      } else {
        guard let (_, length) = scalar(at: index) else { throw invalidUTF8() }
        skipScalar(length)
      }
    }
    throw JSONError(.unterminatedText, at: start)
  }

  /// The first byte at or after `start` that ends a text or needs a closer look.
  ///
  /// Nearly all time is spent here, so it takes eight bytes at once.
  private func endOfPlainText(from start: Int) -> Int {
    // Bytes have no padding, a load is checked against the bounds, and any eight bytes are a
    // `UInt64`: nothing here can go wrong in memory.
    let span = unsafe bytes.span.bytes
    var end = start
    while end + 8 <= span.byteCount {
      let word = unsafe span.unsafeLoadUnaligned(fromByteOffset: end, as: UInt64.self)
      let special = Self.specialBytes(word.littleEndian)
      if special != 0 { return end + special.trailingZeroBitCount / 8 }
      end += 8
    }
    // Blanks fill up the word of a single byte; they are plain.
    while end < bytes.count, Self.specialBytes(UInt64(bytes[end]) | 0x2020_2020_2020_2000) == 0 {
      end += 1
    }
    return end
  }

  /// The high bit of the lowest byte that is a control character, a quote, a backslash or no
  /// ASCII; bits above that one mean nothing.
  private static func specialBytes(_ word: UInt64) -> UInt64 {
    let each: UInt64 = 0x0101_0101_0101_0101
    let control = word &- each &* 0x20
    let double = (word ^ (each &* 0x22)) &- each
    let single = (word ^ (each &* 0x27)) &- each
    let backslash = (word ^ (each &* 0x5C)) &- each
    return (control | double | single | backslash | word) & 0x8080_8080_8080_8080
  }

  private mutating func escape(into buffer: inout [UInt8]) throws(JSONError) {
    let start = here
    let letter = byte(ahead: 1)
    if index + 1 == bytes.count {
      // Only the backslash is left: the caller finds the text unterminated.
      index += 1
    } else if letter == UInt8(ascii: "u") {
      index += 2
      let scalar = try unicodeEscape(from: start)
      buffer.append(contentsOf: UTF8.encode(scalar).map(Array.init) ?? [])
    } else if let byte = Self.simpleEscape(letter) {
      buffer.append(byte)
      index += 2
    } else if isJSON5 {
      try escapeOfJSON5(letter, into: &buffer, from: start)
    } else {
      throw badEscape(from: start)
    }
  }

  private static func simpleEscape(_ letter: UInt8) -> UInt8? {
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): letter
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: nil
    }
  }

  private mutating func escapeOfJSON5(
    _ letter: UInt8, into buffer: inout [UInt8], from start: SourceRange
  ) throws(JSONError) {
    switch letter {
    case 0x0A, 0x0D:
      index += 1
      skipLineEnd()
    case UInt8(ascii: "v"):
      buffer.append(0x0B)
      index += 2
    case UInt8(ascii: "0") where !byte(ahead: 2).isDigit:
      buffer.append(0)
      index += 2
    case UInt8(ascii: "x"):
      guard let high = byte(ahead: 2).hexValue, let low = byte(ahead: 3).hexValue else {
        throw badEscape(from: start)
      }
      buffer.append(contentsOf: Array(String(Unicode.Scalar(high << 4 | low)).utf8))
      index += 4
    case UInt8(ascii: "0")...UInt8(ascii: "9"): throw badEscape(from: start)
    default:
      index += 1
      guard let (scalar, length) = scalar(at: index) else { throw invalidUTF8() }
      if !Self.isLineSeparator(scalar) { buffer.append(contentsOf: bytes[index..<index + length]) }
      skipScalar(length)
    }
  }

  /// Reads what follows `\u`, and the second escape of a surrogate pair.
  mutating func unicodeEscape(from start: SourceRange) throws(JSONError) -> Unicode.Scalar {
    guard let unit = hexUnit() else { throw badEscape(from: start) }
    if let scalar = Unicode.Scalar(unit) { return scalar }
    let isHigh = unit < 0xDC00
    if isHigh, current == UInt8(ascii: "\\"), byte(ahead: 1) == UInt8(ascii: "u") {
      index += 2
      guard let low = hexUnit() else { throw badEscape(from: start) }
      if low >= 0xDC00, low < 0xE000 {
        let value = 0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(low) - 0xDC00)
        if let scalar = Unicode.Scalar(value) { return scalar }
      }
    }
    let hex = String(unit, radix: 16, uppercase: true)
    throw JSONError(.loneSurrogate("\\u\(hex)"), at: range(from: start))
  }

  /// Goes past four hexadecimal digits; stays if they are not there.
  private mutating func hexUnit() -> UInt16? {
    var unit: UInt16 = 0
    for offset in 0..<4 {
      guard let digit = byte(ahead: offset).hexValue else { return nil }
      unit = unit << 4 | UInt16(digit)
    }
    index += 4
    return unit
  }

  private func badEscape(from start: SourceRange) -> JSONError {
    // The escape begins at most 12 bytes back; show it up to the first byte that is no part of it.
    let column = Int(start.column) - Int(here.column)
    let first = max(0, index + column)
    var end = min(first + 2, bytes.count)
    let digitsMax = [UInt8(ascii: "u"): 4, UInt8(ascii: "x"): 2][bytes[end - 1]] ?? 0
    let digitsEnd = min(end + digitsMax, bytes.count)
    while end < digitsEnd, bytes[end].hexValue != nil { end += 1 }
    while end < bytes.count, bytes[end] & 0xC0 == 0x80 { end += 1 }
    let text = String(decoding: bytes[first..<end], as: UTF8.self)
    let shown = text.unicodeScalars.allSatisfy { $0.value >= 0x20 } ? text : "\\"
    let width = shown.unicodeScalars.count
    let range = SourceRange(line: Int(start.line), column: Int(start.column), width: width)
    return JSONError(.badEscape(shown), at: range)
  }
}
