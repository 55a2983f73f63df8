/// A value as it was read, with its place in the text.
///
/// Decode it with the methods of `JSONNode+Schema.swift`, or drop the places with ``value``.
package struct JSONNode: Equatable, Sendable {
  package enum Content: Equatable, Sendable {
    case null
    case bool(Bool)
    /// A number written without fraction and exponent that fits.
    case integer(Int64)
    /// The same, above `Int64.max`.
    case unsigned(UInt64)
    /// Any other number. A whole number beyond `UInt64` is here too, rounded to the nearest.
    case double(Double)
    case text(String)
    case list([JSONNode])
    /// In the order of the text; no key occurs twice.
    case object([JSONMember])
  }

  package var content: Content
  /// The whole token for texts (with quotes), numbers and words; the opening bracket otherwise.
  package var range: SourceRange

  package init(_ content: Content, at range: SourceRange) {
    self.content = content
    self.range = range
  }
}

/// A key of an object with its value.
package struct JSONMember: Equatable, Sendable {
  package var key: String
  /// The key without its quotes.
  package var keyRange: SourceRange
  package var node: JSONNode

  package init(key: String, keyRange: SourceRange, node: JSONNode) {
    self.key = key
    self.keyRange = keyRange
    self.node = node
  }
}

extension JSONNode {
  /// The member of an object, or `nil` if this is no object or has no such key.
  ///
  /// - Complexity: O(*n*) for *n* members.
  package subscript(key: String) -> JSONNode? {
    guard case .object(let members) = content else { return nil }
    return members.first { $0.key.isSameKey(as: key) }?.node
  }

  /// The value without places, keys sorted.
  package var value: JSONValue {
    switch content {
    case .null: .null
    case .bool(let value): .bool(value)
    case .integer(let value): .integer(value)
    case .unsigned(let value): .unsigned(value)
    case .double(let value): .double(value)
    case .text(let value): .text(value)
    case .list(let nodes): .list(nodes.map(\.value))
    case .object(let members):
      .object(JSONObject(members.map { JSONObject.Member(key: $0.key, value: $0.node.value) }))
    }
  }

  /// What a person would call this: `text`, `number`, `list`, …
  package var kind: String {
    switch content {
    case .null: "null"
    case .bool: "true or false"
    case .integer, .unsigned, .double: "number"
    case .text: "text"
    case .list: "list"
    case .object: "object"
    }
  }
}

extension String {
  /// Whether two keys are the same sequence of scalars.
  ///
  /// Swift's `==` also equates composed and decomposed letters, which JSON keeps apart.
  func isSameKey(as other: String) -> Bool {
    self == other && utf8.elementsEqual(other.utf8)
  }
}
