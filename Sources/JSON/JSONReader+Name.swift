/// Bare words: keys of JSON5, and the words of values.
extension JSONReader {
  /// Goes past a word if it stands here and nothing continues it.
  mutating func skipWord(_ word: StaticString) -> Bool {
    let text = word.description.utf8
    guard index + text.count <= bytes.count,
      bytes[index..<index + text.count].elementsEqual(text),
      !byte(ahead: text.count).isWordByte
    else { return false }
    index += text.count
    return true
  }

  /// Reads an `IdentifierName` of ECMAScript 5.1, or gives `nil` if none begins here.
  mutating func name() throws(JSONError) -> String? {
    var name = String.UnicodeScalarView()
    while index < bytes.count {
      let start = here
      guard let (scalar, length) = scalar(at: index) else { throw invalidUTF8() }
      if scalar == "\\" {
        guard byte(ahead: 1) == UInt8(ascii: "u") else {
          throw unexpected(expected: #"\uXXXX in a key without quotes"#)
        }
        index += 2
        let escaped = try unicodeEscape(from: start)
        guard Self.mayStand(escaped, first: name.isEmpty) else {
          let problem = JSONProblem.badEscape(String(escaped))
          throw JSONError(problem, at: range(from: start))
        }
        name.append(escaped)
      } else if Self.mayStand(scalar, first: name.isEmpty) {
        name.append(scalar)
        skipScalar(length)
      } else {
        break
      }
    }
    return name.isEmpty ? nil : String(name)
  }

  private static func mayStand(_ scalar: Unicode.Scalar, first: Bool) -> Bool {
    if scalar.isASCII {
      let byte = UInt8(truncatingIfNeeded: scalar.value)
      return byte.isWordByte && !(first && byte.isDigit)
    }
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .letterNumber:
      return true
    case .nonspacingMark, .spacingMark, .decimalNumber, .connectorPunctuation:
      return !first
    default:
      return !first && (scalar.value == 0x200C || scalar.value == 0x200D)
    }
  }
}
