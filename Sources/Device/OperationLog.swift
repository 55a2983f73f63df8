/// The newest operations of a device, oldest first, in the order in which they were done.
///
/// A parked request is logged when it goes on, later than its number says; one that a restart of
/// the phone swept away never is.
///
/// The log is a list of segments of some kilobytes. A full one does not change any more, so a copy of
/// the log shares all but the last with it.
package struct OperationLog: Sendable {
  /// How many operations stay at least, if there are as many.
  private let limit: Int
  private var full: [OperationSegment] = []
  private var last = OperationWriter()
  private var lastIndex: Int

  /// From here on a segment is full, in bytes: some hundred operations.
  private static let segmentBytes = 1 << 15

  /// An empty log that goes on where `firstIndex` operations were logged before.
  init(firstIndex: Int = 0, limit: Int) {
    (lastIndex, self.limit) = (firstIndex, limit)
  }

  /// A log that was stored.
  ///
  /// - Throws: ``StoredDevice/Flaw`` when operations between two segments are missing.
  package init(_ segments: [OperationSegment]) throws(StoredDevice.Flaw) {
    for (segment, next) in zip(segments, segments.dropFirst())
    where segment.endIndex != next.firstIndex {
      throw StoredDevice.Flaw(reason: "operations are missing after \(segment.endIndex)")
    }
    full = segments
    lastIndex = segments.last?.endIndex ?? 0
    limit = .max
  }

  /// How many operations were logged before the first that is here.
  package var firstIndex: Int { full.first?.firstIndex ?? lastIndex }

  /// How many operations were ever logged.
  package var endIndex: Int { lastIndex + last.count }

  package var segments: [OperationSegment] {
    last.count == 0 ? full : full + [OperationSegment(firstIndex: lastIndex, last)]
  }

  /// The oldest operation that is here.
  package var first: OperationRecord? { segments.first?.first }

  /// - Complexity: O(*n*) for the texts and changes of the record, amortised.
  mutating func append(_ record: OperationRecord) {
    last.append(record)
    guard last.byteCount >= Self.segmentBytes else { return }
    full.append(OperationSegment(firstIndex: lastIndex, last))
    lastIndex += last.count
    last = OperationWriter()
    while let oldest = full.first, endIndex - oldest.endIndex >= limit { full.removeFirst() }
  }
}

extension OperationLog: Sequence {
  package func makeIterator() -> some IteratorProtocol<OperationRecord> {
    segments.lazy.flatMap(\.records).makeIterator()
  }
}
