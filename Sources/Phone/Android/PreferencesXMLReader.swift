/// Reads the XML of preferences as `XmlUtils.readMapXml` over Android's pull parser: text between
/// the elements of the map is passed over, everything else that does not belong there is an error.
///
/// Not modelled: maps, lists and arrays, which `SharedPreferences` never writes, and entries
/// without a name.
struct PreferencesXMLReader {
  typealias Malformed = PreferencesXML.Malformed

  private struct Tag {
    var name: String
    var attributes: [String: String] = [:]
    var isEnd = false
    /// `<int … />`
    var isClosed = false
  }

  private let bytes: [UInt8]
  private var index = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  mutating func map() throws(Malformed) -> PreferencesMap {
    let (text, root) = try next()
    guard isBlank(text), root.name == "map", !root.isEnd else { throw Malformed() }
    var entries: [PreferencesMap.Entry] = []
    guard !root.isClosed else { return PreferencesMap() }
    while true {
      let tag = try next().tag
      if tag.isEnd {
        guard tag.name == "map" else { throw Malformed() }
        return PreferencesMap(entries)
      }
      guard let name = tag.attributes["name"] else { throw Malformed() }
      entries.append((name, try value(of: tag)))
    }
  }

  private mutating func value(of tag: Tag) throws(Malformed) -> PreferenceValue {
    switch tag.name {
    case "string":
      return .text(try text(of: tag))
    case "set":
      return .texts(try texts(of: tag))
    case "null":
      guard isBlank(try text(of: tag)) else { throw Malformed() }
      return .null
    default:
      guard let type = PreferenceValue.Primitive(rawValue: tag.name),
        let text = tag.attributes["value"], isValid(text, type), try self.text(of: tag).isEmpty
      else { throw Malformed() }
      return .primitive(type, text)
    }
  }

  /// Whether Java's parsers take it; `Boolean` takes everything.
  private func isValid(_ text: String, _ type: PreferenceValue.Primitive) -> Bool {
    switch type {
    case .int: Int32(text) != nil
    case .long: Int64(text) != nil
    case .float: Float(text) != nil
    case .boolean: true
    }
  }

  /// The text up to the end of an element that has no elements inside.
  private mutating func text(of tag: Tag) throws(Malformed) -> String {
    guard !tag.isClosed else { return "" }
    let (text, end) = try next()
    guard end.isEnd, end.name == tag.name else { throw Malformed() }
    return text
  }

  private mutating func texts(of tag: Tag) throws(Malformed) -> [String] {
    guard !tag.isClosed else { return [] }
    var texts: [String] = []
    while true {
      let inner = try next().tag
      if inner.isEnd {
        guard inner.name == "set" else { throw Malformed() }
        return texts
      }
      guard inner.name == "string" else { throw Malformed() }
      texts.append(try text(of: inner))
    }
  }
}

// MARK: - Tokens

extension PreferencesXMLReader {
  /// The next tag, and the text before it. Declarations and comments are passed over.
  private mutating func next() throws(Malformed) -> (text: String, tag: Tag) {
    var text = ""
    while true {
      text += try characters(until: UInt8(ascii: "<"))
      index += 1
      if take("?") {
        try skip(behind: "?>")
      } else if take("!--") {
        try skip(behind: "-->")
      } else {
        return (text, try tag())
      }
    }
  }

  /// Reads a tag whose `<` has been read.
  private mutating func tag() throws(Malformed) -> Tag {
    let isEnd = take("/")
    var tag = Tag(name: try word(), isEnd: isEnd)
    while true {
      skipBlanks()
      if take("/>") {
        tag.isClosed = true
        return tag
      }
      if take(">") { return tag }
      let name = try word()
      skipBlanks()
      guard take("=") else { throw Malformed() }
      skipBlanks()
      let quote = index < bytes.count ? bytes[index] : 0
      guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { throw Malformed() }
      index += 1
      tag.attributes[name] = try characters(until: quote)
      index += 1
    }
  }

  private mutating func word() throws(Malformed) -> String {
    let start = index
    while index < bytes.count, !isBlank(bytes[index]), !"=/><".utf8.contains(bytes[index]) {
      index += 1
    }
    guard index > start else { throw Malformed() }
    return String(decoding: bytes[start..<index], as: UTF8.self)
  }

  /// The characters before the next `end`, with their references resolved.
  private mutating func characters(until end: UInt8) throws(Malformed) -> String {
    var result: [UInt8] = []
    while index < bytes.count {
      let byte = bytes[index]
      if byte == end { return String(decoding: result, as: UTF8.self) }
      if byte == UInt8(ascii: "&") {
        result += Array(String(try reference()).utf8)
      } else {
        result.append(byte)
        index += 1
      }
    }
    throw Malformed()
  }

  /// Reads `&amp;` and the like, and `&#10;`.
  private mutating func reference() throws(Malformed) -> Character {
    guard let end = bytes[index...].firstIndex(of: UInt8(ascii: ";")) else { throw Malformed() }
    let name = String(decoding: bytes[(index + 1)..<end], as: UTF8.self)
    index = end + 1
    switch name {
    case "amp": return "&"
    case "lt": return "<"
    case "gt": return ">"
    case "quot": return "\""
    case "apos": return "'"
    default:
      let number =
        name.hasPrefix("#x")
        ? UInt32(name.dropFirst(2), radix: 16)
        : name.hasPrefix("#") ? UInt32(name.dropFirst()) : nil
      guard let scalar = number.flatMap(Unicode.Scalar.init) else { throw Malformed() }
      return Character(scalar)
    }
  }

  private mutating func take(_ text: String) -> Bool {
    guard bytes[index...].starts(with: text.utf8) else { return false }
    index += text.utf8.count
    return true
  }

  private mutating func skip(behind text: String) throws(Malformed) {
    while index < bytes.count {
      if take(text) { return }
      index += 1
    }
    throw Malformed()
  }

  private mutating func skipBlanks() {
    while index < bytes.count, isBlank(bytes[index]) { index += 1 }
  }

  private func isBlank(_ byte: UInt8) -> Bool { " \t\r\n".utf8.contains(byte) }

  private func isBlank(_ text: String) -> Bool { text.utf8.allSatisfy { isBlank($0) } }
}
