/// One value of a row or of a bound parameter, in SQLite's five storage classes.
package enum DatabaseValue: Equatable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])
}

extension DatabaseValue {
  /// The integer, or `nil` for any other class.
  package var integer: Int64? {
    if case .integer(let value) = self { value } else { nil }
  }

  /// The text, or `nil` for any other class.
  package var text: String? {
    if case .text(let value) = self { value } else { nil }
  }

  /// The bytes, or `nil` for any other class.
  package var blob: [UInt8]? {
    if case .blob(let value) = self { value } else { nil }
  }
}

extension DatabaseValue: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
  package init(integerLiteral value: Int64) {
    self = .integer(value)
  }

  package init(stringLiteral value: String) {
    self = .text(value)
  }
}
