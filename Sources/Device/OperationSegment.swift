/// Operations of a log that follow each other, in few bytes.
package struct OperationSegment: Equatable, Sendable {
  /// How many operations the log took before these.
  package let firstIndex: Int
  package let count: Int
  /// What ``OperationWriter`` made of them. No content of a file is in it.
  package let bytes: [UInt8]

  init(firstIndex: Int, _ writer: OperationWriter) {
    self.firstIndex = firstIndex
    count = writer.count
    bytes = writer.bytes
  }

  /// A segment that was stored.
  ///
  /// - Throws: ``StoredDevice/Flaw`` when the bytes do not hold that many operations.
  package init(firstIndex: Int, count: Int, bytes: [UInt8]) throws(StoredDevice.Flaw) {
    (self.firstIndex, self.count, self.bytes) = (firstIndex, count, bytes)
    var reader = OperationReader(bytes)
    _ = try reader.records(count)
    guard firstIndex >= 0, count > 0, reader.isAtEnd else {
      throw StoredDevice.Flaw(reason: "wrong operations after \(firstIndex)")
    }
  }

  package var endIndex: Int { firstIndex + count }

  /// The operations, in the order in which they were done.
  ///
  /// - Complexity: O(*n*) for the bytes.
  package var records: [OperationRecord] { decoded(count) }

  /// - Complexity: O(1).
  package var first: OperationRecord? { decoded(1).first }

  private func decoded(_ count: Int) -> [OperationRecord] {
    var reader = OperationReader(bytes)
    do throws(StoredDevice.Flaw) {
      return try reader.records(count)
    } catch {
      preconditionFailure("a segment holds what was written: \(error.reason)")
    }
  }
}
