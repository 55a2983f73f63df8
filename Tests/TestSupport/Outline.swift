package import Foundation
package import FoundationXML

/// What a strict reader of XML sees in a page.
package final class Outline: NSObject, XMLParserDelegate {
  package struct NotWellFormed: Error, CustomStringConvertible {
    package let description: String
  }

  package private(set) var names: [String] = []
  package private(set) var texts: [String] = []
  private var values: [(name: String, value: String)] = []
  private var isNewText = true

  package init(_ html: String) throws {
    super.init()
    let parser = XMLParser(data: Data(html.utf8))
    parser.delegate = self
    guard parser.parse() else {
      throw NotWellFormed(
        description: "line \(parser.lineNumber), column \(parser.columnNumber): "
          + "\(parser.parserError.map { "\($0)" } ?? "not well-formed")")
    }
  }

  /// The values of all attributes of this name, in the order of their elements.
  package func attributes(_ name: String) -> [String] {
    values.filter { $0.name == name }.map(\.value)
  }

  package func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
    qualifiedName: String?, attributes: [String: String]
  ) {
    names.append(name)
    values += attributes.map { (name: $0.key, value: $0.value) }
    isNewText = true
  }

  package func parser(
    _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
  ) {
    isNewText = true
  }

  package func parser(_ parser: XMLParser, foundCharacters text: String) {
    // One text may come in pieces.
    if isNewText { texts.append("") }
    isNewText = false
    texts[texts.count - 1] += text
    if texts[texts.count - 1].allSatisfy(\.isNewline) {
      texts.removeLast()
      isNewText = true
    }
  }
}
