/// What is wrong with a text, or with what it says.
package enum JSONProblem: Equatable, Sendable {
  // The text is not JSON.
  /// Something else should stand here; `found` is as in the text.
  case unexpected(found: String, expected: String)
  case unexpectedEnd(expected: String)
  case unterminatedText
  case unterminatedComment
  /// A control character inside a text; JSON wants an escape.
  case controlCharacter(UInt8)
  case badEscape(String)
  /// `\uD800` … `\uDFFF` without its other half: no Unicode text can hold it.
  case loneSurrogate(String)
  case invalidUTF8(byte: UInt8)
  case badNumber(String, reason: String)
  /// Beyond `Double`, or a hexadecimal number beyond 64 bits.
  case numberTooLarge(String)
  case duplicateKey(String, first: SourceRange)
  case tooDeep(max: Int)

  // The text is JSON, and says something that a schema does not know.
  case unknownKey(String, of: String, allowed: [String])
  case missingKey(String, of: String)
  case wrongType(expected: String, found: String)
  /// A word outside a closed list, such as a verdict; `kind` says of what.
  case unknownWord(String, kind: String, allowed: [String])
  case outOfRange(String, allowed: String)
  /// A rule of the caller's own, as one lower-case sentence.
  case rule(String, allowed: String?)
}

extension JSONProblem: CustomStringConvertible {
  /// One lower-case line with the values that decide, and the nearest word if there is one.
  package var description: String {
    switch self {
    case .unexpected(let found, let expected): "unexpected \(found); expected \(expected)"
    case .unexpectedEnd(let expected): "the text ends too early; expected \(expected)"
    case .unterminatedText: "a text without its closing quote"
    case .unterminatedComment: "a comment without its closing */"
    case .controlCharacter(let byte): "control character \(Self.scalarName(byte)) inside a text"
    case .badEscape(let escape): "unknown escape '\(escape)'"
    case .loneSurrogate(let escape): "half of a surrogate pair: '\(escape)'"
    case .invalidUTF8(let byte): "byte \(Self.hex(byte)) is not UTF-8"
    case .badNumber(let number, let reason): "bad number '\(number)': \(reason)"
    case .numberTooLarge(let number): "number '\(number)' is too large"
    case .duplicateKey(let key, let first): "key '\(key)' again; first at \(first)"
    case .tooDeep(let max): "more than \(max) lists and objects inside one another"
    case .unknownKey(let key, let of, let allowed):
      "unknown key '\(key)' in \(of)" + Self.nearest(key, allowed)
    case .missingKey(let key, let of): "\(of) has no '\(key)'"
    case .wrongType(let expected, let found): "expected \(expected), found \(found)"
    case .unknownWord(let word, let kind, let allowed):
      "unknown \(kind) '\(word)'" + Self.nearest(word, allowed)
    case .outOfRange(let value, _): "\(value) is out of range"
    case .rule(let text, _): text
    }
  }

  /// What may stand there instead; `nil` when the description says it already.
  package var allowed: String? {
    switch self {
    case .unknownKey(_, _, let allowed), .unknownWord(_, _, let allowed):
      allowed.isEmpty ? nil : allowed.joined(separator: " ")
    case .outOfRange(_, let allowed): allowed
    case .rule(_, let allowed): allowed
    case .controlCharacter(let byte): Self.escapeName(byte)
    case .badEscape: #"\" \\ \/ \b \f \n \r \t \uXXXX"#
    case .loneSurrogate: #"two escapes, \uD800-\uDBFF and then \uDC00-\uDFFF"#
    case .unexpected, .unexpectedEnd, .unterminatedText, .unterminatedComment, .invalidUTF8,
      .badNumber, .numberTooLarge, .duplicateKey, .tooDeep, .missingKey, .wrongType:
      nil
    }
  }

  private static func nearest(_ word: String, _ allowed: [String]) -> String {
    NearestWord.to(word, among: allowed).map { "; nearest: \($0)" } ?? ""
  }

  private static func hex(_ byte: UInt8) -> String {
    "0x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }

  private static func scalarName(_ byte: UInt8) -> String {
    "U+00" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
  }

  private static func escapeName(_ byte: UInt8) -> String {
    switch byte {
    case 0x08: #"\b"#
    case 0x09: #"\t"#
    case 0x0A: #"\n"#
    case 0x0C: #"\f"#
    case 0x0D: #"\r"#
    default: #"\u00"# + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
  }
}
