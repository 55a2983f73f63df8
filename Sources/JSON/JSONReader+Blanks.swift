/// Blanks and comments between tokens.
extension JSONReader {
  /// Goes to the next token or to the end.
  mutating func skipBlanks() throws(JSONError) {
    while index < bytes.count {
      switch bytes[index] {
      case 0x20, 0x09: index += 1
      case 0x0A, 0x0D: skipLineEnd()
      case 0x0B, 0x0C:
        guard isJSON5 else { return }
        index += 1
      case UInt8(ascii: "/"):
        guard isJSON5 else { return }
        guard try skipComment() else { return }
      case 0x80...:
        guard isJSON5 else { return }
        guard let (scalar, length) = scalar(at: index) else { throw invalidUTF8() }
        guard Self.isBlank(scalar) else { return }
        skipScalar(length)
      default: return
      }
    }
  }

  /// Goes past LF, CR or CRLF.
  mutating func skipLineEnd() {
    let isPair = bytes[index] == 0x0D && byte(ahead: 1) == 0x0A
    index += isPair ? 2 : 1
    beginLine(at: index)
  }

  /// Goes past a comment; false if the slash begins none.
  private mutating func skipComment() throws(JSONError) -> Bool {
    switch byte(ahead: 1) {
    case UInt8(ascii: "/"):
      index += 2
      try skipLineComment()
    case UInt8(ascii: "*"):
      let start = here
      index += 2
      try skipBlockComment(from: start)
    default: return false
    }
    return true
  }

  private mutating func skipLineComment() throws(JSONError) {
    while index < bytes.count {
      let byte = bytes[index]
      if byte == 0x0A || byte == 0x0D { return }
      guard let (scalar, length) = scalar(at: index) else { throw invalidUTF8() }
      if Self.isLineSeparator(scalar) { return }
      skipScalar(length)
    }
  }

  private mutating func skipBlockComment(from start: SourceRange) throws(JSONError) {
    while index < bytes.count {
      let byte = bytes[index]
      if byte == 0x0A || byte == 0x0D {
        skipLineEnd()
      } else if byte == UInt8(ascii: "*"), self.byte(ahead: 1) == UInt8(ascii: "/") {
        index += 2
        return
      } else {
        guard let (_, length) = scalar(at: index) else { throw invalidUTF8() }
        skipScalar(length)
      }
    }
    throw JSONError(.unterminatedComment, at: start)
  }

  /// The blanks of ECMAScript 5.1 beyond ASCII.
  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value == 0xFEFF || isLineSeparator(scalar)
      || scalar.properties.generalCategory == .spaceSeparator
  }

  static func isLineSeparator(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value == 0x2028 || scalar.value == 0x2029
  }
}
