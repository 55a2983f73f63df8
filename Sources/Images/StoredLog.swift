import Device
import SQLite

/// The log of a device in the table `operations`: a segment in a row, without a gap between them.
enum StoredLog {
  /// Adds to the table what the log has more; rows of before the log's first operation stay.
  ///
  /// Rows that differ are replaced: the device may have gone back to an earlier moment. When
  /// operations between the table and the log are lost, the table begins anew with the log.
  ///
  /// - Complexity: O(*n*) for the bytes of the new segments and of the last one before.
  static func update(
    _ log: OperationLog, _ connection: borrowing Connection
  ) throws(DatabaseError) {
    let segments = log.segments
    var firstNew = segments.count
    while firstNew > 0, try !holds(segments[firstNew - 1], connection) { firstNew -= 1 }
    let start = firstNew < segments.count ? segments[firstNew].firstIndex : log.endIndex
    try connection.run("DELETE FROM operations WHERE first>=?", .integer(Int64(start)))
    let end = try connection.value("SELECT max(first+count) FROM operations")?.integer
    if end != Int64(start) { try connection.run("DELETE FROM operations") }
    for segment in segments[firstNew...] {
      _ = try connection.rows("INSERT INTO operations VALUES(?,?,?,?)", row(segment))
    }
  }

  private static func holds(
    _ segment: OperationSegment, _ connection: borrowing Connection
  ) throws(DatabaseError) -> Bool {
    let row = row(segment)
    return try connection.value(
      "SELECT 1 FROM operations WHERE first=? AND count=? AND sum=?", row[0], row[1], row[3]) != nil
  }

  private static func row(_ segment: OperationSegment) -> [DatabaseValue] {
    let values: [DatabaseValue] = [
      .integer(Int64(segment.firstIndex)), .integer(Int64(segment.count)), .blob(segment.bytes),
    ]
    return values + [sum(values)]
  }

  private static func sum(_ values: [DatabaseValue]) -> DatabaseValue {
    var checksum = Checksum()
    checksum.add(values)
    return .integer(Int64(bitPattern: checksum.value))
  }

  /// Which rows to read.
  enum Extent: String {
    case all = "first"
    case oldest = "first LIMIT 1"
    case newest = "first DESC LIMIT 1"
  }

  static func rows(
    _ extent: Extent, _ connection: borrowing Connection
  ) throws(DatabaseError) -> [Row] {
    try connection.rows(
      "SELECT first, count, bytes, sum FROM operations ORDER BY \(extent.rawValue)"
    ).map { Row(table: "operations", values: $0) }
  }

  static func segment(_ row: Row) throws(Damage) -> OperationSegment {
    let (first, count): (Int, Int) = (try row.number(0), try row.number(1))
    let bytes = try row.blob(2)
    guard row.values[3] == sum(Array(row.values.prefix(3))) else {
      throw Damage(reason: "the operations after \(first) have another checksum")
    }
    do throws(StoredDevice.Flaw) {
      return try OperationSegment(firstIndex: first, count: count, bytes: bytes)
    } catch {
      throw Damage(reason: error.reason)
    }
  }
}
