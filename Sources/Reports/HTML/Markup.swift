import JSON

/// A piece of HTML or SVG that is well-formed, and in which every text is escaped.
///
/// Names are literals of this program; whatever comes from elsewhere enters as a text or as the value
/// of an attribute, and is escaped there. There is no way to hand in HTML that is ready, so no text of
/// an app can become a tag. It reads as XML, too.
package struct Markup: Equatable, Sendable {
  /// As it stands in the file.
  package private(set) var html: String

  private init(html: String) { self.html = html }

  /// An element with its children.
  ///
  /// - Parameters:
  ///   - name: Of the element.
  ///   - attributes: By their names; one whose value is `nil` is left out.
  ///   - children: In their order.
  package init(
    _ name: StaticString, _ attributes: KeyValuePairs<StaticString, String?> = [:],
    _ children: [Markup]
  ) {
    let inside = children.map(\.html).joined()
    html = "<\(name)\(Self.text(of: attributes))>\(inside)</\(name)>"
  }

  package init(
    _ name: StaticString, _ attributes: KeyValuePairs<StaticString, String?> = [:],
    _ children: Markup...
  ) {
    self.init(name, attributes, children)
  }

  /// An element that can have no content, such as `meta`, or has none, such as `path`.
  package static func empty(
    _ name: StaticString, _ attributes: KeyValuePairs<StaticString, String?> = [:]
  ) -> Markup {
    Markup(html: "<\(name)\(text(of: attributes))/>")
  }

  /// A text, escaped.
  package static func text(_ text: String) -> Markup { Markup(html: escaped(text)) }

  /// Several pieces in a row.
  package static func list(_ parts: [Markup]) -> Markup {
    Markup(html: parts.map(\.html).joined())
  }

  /// Several pieces, each on a line of its own.
  package static func lines(_ parts: [Markup]) -> Markup {
    Markup(html: parts.map(\.html).joined(separator: "\n"))
  }

  /// The rules of a page, which hold nothing but what is written here.
  static func style(_ rules: StaticString) -> Markup { style("\(rules)") }

  /// The rules of a file of ours.
  static func style(_ rules: String) -> Markup {
    precondition(isPlain(rules), "rules that are read as markup")
    return Markup(html: "<style>\n\(rules)\n</style>")
  }

  /// The script of a file of ours.
  static func script(_ script: String) -> Markup {
    precondition(isPlain(script), "a script that is read as markup")
    return Markup(html: "<script>\(script)</script>")
  }

  /// A document that the page only carries.
  static func data(_ json: JSONValue, id: StaticString) -> Markup {
    // These stand only in texts, where JSON has another way to write them.
    let text = JSONWriter.text(of: json).reduce(into: "") { text, character in
      switch character {
      case "&": text += "\\u0026"
      case "<": text += "\\u003c"
      case ">": text += "\\u003e"
      default: text.append(character)
      }
    }
    return Markup(html: "<script type=\"application/json\" id=\"\(id)\">\(text)</script>")
  }

  private static func isPlain(_ text: String) -> Bool { !text.contains { "<&".contains($0) } }

  private static func text(of attributes: KeyValuePairs<StaticString, String?>) -> String {
    attributes.map { name, value in value.map { " \(name)=\"\(escaped($0))\"" } ?? "" }.joined()
  }

  /// Characters that end a text or the value of an attribute, and those that no document may hold.
  private static func escaped(_ text: String) -> String {
    var escaped = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
      case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
      case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
      case "\"": escaped.append(contentsOf: "&quot;".unicodeScalars)
      case "'": escaped.append(contentsOf: "&#39;".unicodeScalars)
      case "\t", "\n", "\r": escaped.append(scalar)
      case "\0"..<" ", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}": escaped.append("\u{FFFD}")
      default: escaped.append(scalar)
      }
    }
    return String(escaped)
  }
}

extension Markup: ExpressibleByStringLiteral {
  /// A text, escaped like any other.
  package init(stringLiteral text: String) { self = .text(text) }
}
