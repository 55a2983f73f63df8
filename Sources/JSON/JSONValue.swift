/// A value to be written, or one that was read and whose place does not matter.
package enum JSONValue: Equatable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  /// Only for numbers above `Int64.max`; smaller ones are equal to no number that was read.
  case unsigned(UInt64)
  /// Written as `null` when it is not finite, as `JSON.stringify` does.
  case double(Double)
  case text(String)
  case list([JSONValue])
  case object(JSONObject)

  package static func integer(_ value: Int) -> JSONValue { .integer(Int64(value)) }

  /// Any unsigned number, in the case that a reader would choose.
  package static func number(_ value: UInt64) -> JSONValue {
    Int64(exactly: value).map(JSONValue.integer) ?? .unsigned(value)
  }
}

extension JSONValue {
  package var text: String? {
    guard case .text(let value) = self else { return nil }
    return value
  }

  package var integer: Int64? {
    guard case .integer(let value) = self else { return nil }
    return value
  }

  package var bool: Bool? {
    guard case .bool(let value) = self else { return nil }
    return value
  }

  package var list: [JSONValue]? {
    guard case .list(let value) = self else { return nil }
    return value
  }

  package var object: JSONObject? {
    guard case .object(let value) = self else { return nil }
    return value
  }

  /// The member of an object, or `nil` if this is no object or has no such key.
  package subscript(key: String) -> JSONValue? { object?[key] }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByFloatLiteral, ExpressibleByNilLiteral
{
  package init(stringLiteral value: String) { self = .text(value) }
  package init(integerLiteral value: Int64) { self = .integer(value) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(floatLiteral value: Double) { self = .double(value) }
  package init(nilLiteral: ()) { self = .null }
}

extension JSONValue: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  package init(arrayLiteral elements: JSONValue...) { self = .list(elements) }

  /// Of two equal keys the last one wins.
  package init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(JSONObject(elements.map { JSONObject.Member(key: $0.0, value: $0.1) }))
  }
}
