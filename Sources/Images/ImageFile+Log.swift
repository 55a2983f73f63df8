package import Device
import SQLite

extension ImageFile {
  /// Reads the operations up to the saved image, which begin where the log says.
  ///
  /// - Returns: The log; it holds all of them, some 50 MB for a million.
  /// - Throws: ``ImageError/damaged(path:reason:)`` when one is missing or was changed.
  package borrowing func loadLog() throws(ImageError) -> OperationLog {
    let segments = try segments(.all)
    do throws(StoredDevice.Flaw) {
      return try OperationLog(segments)
    } catch {
      throw .damaged(path: path, reason: error.reason)
    }
  }

  /// Reads the oldest operation that the file holds; `nil` when it holds none.
  ///
  /// - Throws: ``ImageError/damaged(path:reason:)``.
  package borrowing func oldestOperation() throws(ImageError) -> OperationRecord? {
    try segments(.oldest).first?.first
  }

  private borrowing func segments(
    _ extent: StoredLog.Extent
  ) throws(ImageError) -> [OperationSegment] {
    let rows: [Row]
    do throws(DatabaseError) {
      rows = try StoredLog.rows(extent, connection)
    } catch {
      throw ImageError(reading: path, error)
    }
    do throws(Damage) {
      return try rows.map { (row) throws(Damage) in try StoredLog.segment(row) }
    } catch {
      throw .damaged(path: path, reason: error.reason)
    }
  }
}
