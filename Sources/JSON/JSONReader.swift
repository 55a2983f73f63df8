/// Reads one JSON or JSON5 text, strictly, in one pass.
///
/// Contract: the whole text must be one value, in valid UTF-8. Whatever ``JSONRules`` does not
/// allow is a ``JSONError`` with its place; no input traps. Numbers written as integers stay
/// exact up to 64 bits. Not modelled: UTF-16 and UTF-32 texts, and strings that hold half of a
/// surrogate pair (JavaScript allows them, Swift's `String` cannot hold them).
package struct JSONReader {
  let bytes: [UInt8]
  let isJSON5: Bool
  private let rules: JSONRules
  var index = 0
  private var depth = 0

  // The place of `index`, kept up to date instead of being counted again at each node.
  private var line = 1
  private var lineStart = 0
  /// Bytes of this line, before `index`, that continue a scalar.
  private var continuations = 0

  private init(_ bytes: [UInt8], _ rules: JSONRules) {
    self.bytes = bytes
    self.rules = rules
    isJSON5 = rules.dialect == .json5
  }

  /// Reads a text.
  ///
  /// - Complexity: O(*n*) for *n* bytes, but O(*m*²) for an object of *m* members up to 16.
  package static func read(
    _ bytes: [UInt8], _ rules: JSONRules = .json
  ) throws(JSONError) -> JSONNode {
    var reader = JSONReader(bytes, rules)
    try reader.skipBlanks()
    let node = try reader.value()
    try reader.skipBlanks()
    guard reader.index == bytes.count else {
      throw reader.unexpected(expected: "the end after the value")
    }
    return node
  }

  package static func read(
    _ text: String, _ rules: JSONRules = .json
  ) throws(JSONError) -> JSONNode {
    try read(Array(text.utf8), rules)
  }
}

// MARK: - Values

extension JSONReader {
  private mutating func value() throws(JSONError) -> JSONNode {
    let start = here
    switch current {
    case UInt8(ascii: "{"): return try object(at: start)
    case UInt8(ascii: "["): return try list(at: start)
    case UInt8(ascii: "\""):
      let text = try text()
      return JSONNode(.text(text), at: range(from: start))
    case UInt8(ascii: "'") where isJSON5:
      let text = try text()
      return JSONNode(.text(text), at: range(from: start))
    case UInt8(ascii: "t") where skipWord("true"):
      return JSONNode(.bool(true), at: range(from: start))
    case UInt8(ascii: "f") where skipWord("false"):
      return JSONNode(.bool(false), at: range(from: start))
    case UInt8(ascii: "n") where skipWord("null"):
      return JSONNode(.null, at: range(from: start))
    default:
      guard startsNumber else { throw unexpected(expected: "a value") }
      let number = try number()
      return JSONNode(number, at: range(from: start))
    }
  }

  private mutating func list(at start: SourceRange) throws(JSONError) -> JSONNode {
    try enter()
    var nodes: [JSONNode] = []
    try skipBlanks()
    while current != UInt8(ascii: "]") {
      if nodes.isEmpty, current == UInt8(ascii: ",") {
        throw unexpected(expected: "a value or ']'")
      }
      nodes.append(try value())
      guard try skipComma(before: UInt8(ascii: "]")) else { break }
    }
    index += 1
    depth -= 1
    return JSONNode(.list(nodes), at: start)
  }

  private mutating func object(at start: SourceRange) throws(JSONError) -> JSONNode {
    try enter()
    var members: [JSONMember] = []
    var keys = KeySet()
    try skipBlanks()
    while current != UInt8(ascii: "}") {
      let (key, keyRange) = try key()
      try skipBlanks()
      guard current == UInt8(ascii: ":") else { throw unexpected(expected: "':' after the key") }
      index += 1
      try skipBlanks()
      let member = JSONMember(key: key, keyRange: keyRange, node: try value())
      if let earlier = keys.insert(key, into: members) {
        guard rules.duplicateKeys == .lastWins else {
          let first = members[earlier].keyRange
          throw JSONError(.duplicateKey(key, first: first), at: keyRange)
        }
        members[earlier] = member
      } else {
        members.append(member)
      }
      guard try skipComma(before: UInt8(ascii: "}")) else { break }
    }
    index += 1
    depth -= 1
    return JSONNode(.object(members), at: start)
  }

  private mutating func key() throws(JSONError) -> (String, SourceRange) {
    let start = here
    if current == UInt8(ascii: "\"") || (isJSON5 && current == UInt8(ascii: "'")) {
      let key = try text()
      return (key, range(from: start).insideQuotes)
    }
    guard isJSON5 else { throw unexpected(expected: "a key in double quotes, or '}'") }
    guard let name = try name() else { throw unexpected(expected: "a key, or '}'") }
    return (name, range(from: start))
  }

  /// Goes past a comma and blanks; false if the container ends here instead.
  private mutating func skipComma(before end: UInt8) throws(JSONError) -> Bool {
    try skipBlanks()
    if current == end { return false }
    let closing = "'\(Character(Unicode.Scalar(end)))'"
    guard current == UInt8(ascii: ",") else { throw unexpected(expected: "',' or \(closing)") }
    let comma = here
    index += 1
    try skipBlanks()
    if current == end, !isJSON5 {
      let found = "',' before \(closing)"
      throw JSONError(.unexpected(found: found, expected: "no trailing comma"), at: comma)
    }
    return true
  }

  private mutating func enter() throws(JSONError) {
    guard depth < rules.depthMax else { throw JSONError(.tooDeep(max: rules.depthMax), at: here) }
    depth += 1
    index += 1
  }
}

// MARK: - Place

extension JSONReader {
  /// The byte at `index`, or 0 at the end; 0 is no token, so callers need not ask which.
  var current: UInt8 { index < bytes.count ? bytes[index] : 0 }

  func byte(ahead distance: Int) -> UInt8 {
    index + distance < bytes.count ? bytes[index + distance] : 0
  }

  var here: SourceRange {
    SourceRange(line: line, column: index - lineStart - continuations + 1)
  }

  /// From an earlier place up to `index`; one wide if a line ended in between.
  func range(from start: SourceRange) -> SourceRange {
    let end = here
    guard end.line == start.line else { return start }
    let width = Int(end.column) - Int(start.column)
    return SourceRange(line: Int(start.line), column: Int(start.column), width: width)
  }

  /// Notes that a line begins at `start`, which is at most `index`.
  mutating func beginLine(at start: Int) {
    line += 1
    lineStart = start
    continuations = 0
  }

  /// Goes past one scalar of `length` bytes.
  mutating func skipScalar(_ length: Int) {
    index += length
    continuations += length - 1
  }

  func unexpected(expected: String) -> JSONError {
    guard index < bytes.count else {
      return JSONError(.unexpectedEnd(expected: expected), at: here)
    }
    guard let (scalar, _) = scalar(at: index) else { return invalidUTF8() }
    var end = index
    while end < bytes.count, end - index < 40, bytes[end].isWordByte { end += 1 }
    if end > index {
      let word = String(decoding: bytes[index..<end], as: UTF8.self)
      let range = SourceRange(
        line: Int(here.line), column: Int(here.column), width: word.unicodeScalars.count)
      return JSONError(.unexpected(found: "'\(word)'", expected: expected), at: range)
    }
    let code = String(scalar.value, radix: 16, uppercase: true)
    let padded = String(repeating: "0", count: max(0, 4 - code.count)) + code
    let found = Self.isVisible(scalar) ? "'\(Character(scalar))'" : "character U+\(padded)"
    return JSONError(.unexpected(found: found, expected: expected), at: here)
  }

  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .privateUse,
      .unassigned, .surrogate, .nonspacingMark, .enclosingMark:
      false
    default: true
    }
  }

  func invalidUTF8() -> JSONError {
    JSONError(.invalidUTF8(byte: current), at: here)
  }

  /// The scalar that begins at a byte, with its length, or `nil` if the bytes are not UTF-8.
  func scalar(at start: Int) -> (scalar: Unicode.Scalar, length: Int)? {
    let first = bytes[start]
    if first < 0x80 { return (Unicode.Scalar(first), 1) }
    let length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    guard first >= 0xC2, first <= 0xF4, start + length <= bytes.count else { return nil }
    var value = UInt32(first) & (0x7F >> UInt32(length))
    for offset in 1..<length {
      let next = bytes[start + offset]
      guard next & 0xC0 == 0x80 else { return nil }
      value = value << 6 | UInt32(next & 0x3F)
    }
    // Too long a form of a smaller scalar; surrogates and values past the end have no scalar.
    guard value >= [0, 0, 0x80, 0x800, 0x10000][length] else { return nil }
    return Unicode.Scalar(value).map { ($0, length) }
  }
}

extension UInt8 {
  var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }

  /// A letter, digit, `_`, `$`, or a part of a non-ASCII scalar: what an error shows as one word.
  var isWordByte: Bool {
    isDigit || self == UInt8(ascii: "_") || self == UInt8(ascii: "$")
      || (self | 0x20 >= UInt8(ascii: "a") && self | 0x20 <= UInt8(ascii: "z"))
  }

  var hexValue: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
