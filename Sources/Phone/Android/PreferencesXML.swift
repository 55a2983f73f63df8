/// The text of a file of preferences, byte for byte as Android writes it: `XmlUtils.writeMapXml`
/// over `FastXmlSerializer`, with its indentation of 4.
///
/// ```
/// <?xml version='1.0' encoding='utf-8' standalone='yes' ?>
/// <map>
///     <string name="key_v1-k">{&quot;ct&quot;: …}</string>
///     <int name="count" value="3" />
/// </map>
/// ```
enum PreferencesXML {
  /// The text is not one of these; Android reads such a file as an empty map.
  struct Malformed: Error, Equatable {}

  static func bytes(of map: PreferencesMap) -> [UInt8] {
    let entries = map.entries
    var text = "<?xml version='1.0' encoding='utf-8' standalone='yes' ?>\n"
    guard !entries.isEmpty else { return Array((text + "<map />\n").utf8) }
    text += "<map>\n"
    for (name, value) in entries {
      text += element(of: value, attributes: " name=\"\(escaped(name))\"", depth: 1)
    }
    return Array((text + "</map>\n").utf8)
  }

  /// Reads a file up to the end of its map; Android does not look behind it.
  static func map(from bytes: [UInt8]) throws(Malformed) -> PreferencesMap {
    // The reader of Java replaces what is no UTF-8, and so does this.
    var reader = PreferencesXMLReader(Array(String(decoding: bytes, as: UTF8.self).utf8))
    return try reader.map()
  }

  private static func element(
    of value: PreferenceValue, attributes: String, depth: Int
  ) -> String {
    let indent = String(repeating: " ", count: 4 * depth)
    switch value {
    case .text(let text):
      // The serializer takes a line end at the end of a text for one of its own, and indents what
      // follows: the value grows by blanks when it is read again.
      let grown = text.utf8.last == UInt8(ascii: "\n") ? indent : ""
      return "\(indent)<string\(attributes)>\(escaped(text))\(grown)</string>\n"
    case .primitive(let type, let text):
      return "\(indent)<\(type.rawValue)\(attributes) value=\"\(escaped(text))\" />\n"
    case .texts(let texts) where !texts.isEmpty:
      let elements = texts.map { element(of: .text($0), attributes: "", depth: depth + 1) }
      return "\(indent)<set\(attributes)>\n\(elements.joined())\(indent)</set>\n"
    case .texts:
      return "\(indent)<set\(attributes) />\n"
    case .null:
      return "\(indent)<null\(attributes) />\n"
    }
  }

  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "&quot;"
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\u{0}"..."\u{1f}": result += "&#\(scalar.value);"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
