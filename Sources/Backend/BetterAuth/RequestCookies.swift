import Wire

/// The cookies of a request, as the server reads them: by the rules of RFC 6265, and what breaks them
/// is not there.
package struct RequestCookies: Equatable, Sendable {
  package struct Pair: Equatable, Sendable {
    package var name: String
    package var value: String
  }

  package private(set) var pairs: [Pair] = []

  /// Of two cookies of one name the last counts.
  package init(_ header: String) {
    for part in header.unicodeScalars.split(separator: ";") {
      let text = String(part).drop { $0 == " " || $0 == "\t" }
      guard let equals = text.firstIndex(of: "="), equals > text.startIndex else { continue }
      let name = text[..<equals]
      var value = text[text.index(after: equals)...]
      while value.last == " " || value.last == "\t" { value.removeLast() }
      if value.utf8.count >= 2, value.hasPrefix("\""), value.hasSuffix("\"") {
        value = value.dropFirst().dropLast()
      }
      guard name.utf8.allSatisfy(Self.isNameByte), value.utf8.allSatisfy(Self.isValueByte) else {
        continue
      }
      pairs.removeAll { $0.name == name }
      let decoded = FormText.decodeComponent(value) ?? String(value)
      pairs.append(Pair(name: String(name), value: decoded))
    }
  }

  package subscript(name: String) -> String? { pairs.first { $0.name == name }?.value }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x21...0x7e: !#""(),/:;<=>?@[\]{}"#.utf8.contains(byte)
    default: false
    }
  }

  private static func isValueByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x20...0x7e: !#"";\"#.utf8.contains(byte)
    default: false
    }
  }
}
