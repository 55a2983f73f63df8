import Device
import SQLite

/// A row that contradicts the format.
struct Damage: Error, Equatable {
  let reason: String
}

/// One row of a table, whose columns must have the types of the format.
struct Row {
  let table: String
  let values: [DatabaseValue]

  func integer(_ column: Int) throws(Damage) -> Int64 {
    guard let value = values[column].integer else { throw damage(column) }
    return value
  }

  /// A number that fits; a stored one that does not is damage, not a trap.
  func number<Number: FixedWidthInteger>(_ column: Int) throws(Damage) -> Number {
    guard let number = Number(exactly: try integer(column)) else { throw damage(column) }
    return number
  }

  func optional<Number: FixedWidthInteger>(_ column: Int) throws(Damage) -> Number? {
    if values[column] == .null { return nil }
    let number: Number = try self.number(column)
    return number
  }

  func text(_ column: Int) throws(Damage) -> String {
    guard let value = values[column].text else { throw damage(column) }
    return value
  }

  func blob(_ column: Int) throws(Damage) -> [UInt8] {
    guard let value = values[column].blob else { throw damage(column) }
    return value
  }

  func inode(_ column: Int) throws(Damage) -> InodeID {
    InodeID(UInt64(bitPattern: try integer(column)))
  }

  func damage(_ column: Int) -> Damage {
    Damage(reason: "a row of \(table) has a wrong value in column \(column + 1)")
  }
}
