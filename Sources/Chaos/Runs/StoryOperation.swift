import Device
import JSON
package import Phone
package import Ports

/// One operation on the storage in a story: what was asked for, and what a power cut right after it
/// could still have taken.
package struct StoryOperation: Equatable, Sendable {
  /// The row of the story in which it fell, from 0.
  package let row: Int
  /// `write /Documents/manifest.json, 61 bytes`.
  package let words: String
  /// The half whose part of the storage it touched; `nil` for one of neither.
  package let half: Half?
  /// Whether all that the half holds would survive a power cut right after it.
  package let keyIsDurable: Bool
  package let blobIsDurable: Bool
  /// The point that was announced here.
  package let point: LogicalPoint?
  /// The fault that hit it, by the word of the catalogue.
  package let fault: String?
}

extension StoryOperation {
  /// The operations of a log that fell into a row; the device itself says what was pending when.
  ///
  /// - Parameters:
  ///   - log: Of the whole run.
  ///   - rowEnds: How many operations there had been after each row.
  ///   - keyDomains: The names of the domains that hold the key half.
  ///   - blobDomains: The names of those of the blob half.
  /// - Returns: All of them, in order.
  /// - Complexity: O(*n*) for all operations and changes.
  static func all(
    in log: OperationLog, rowEnds: [Int], keyDomains: [String], blobDomains: [String]
  ) -> [StoryOperation] {
    var open = OpenChanges()
    var row = 0
    var all: [StoryOperation] = []
    for record in log {
      open.follow(record)
      while row < rowEnds.count, rowEnds[row] < record.number.number { row += 1 }
      guard row < rowEnds.count else { break }
      let half: Half? =
        keyDomains.contains(record.domain)
        ? .key : blobDomains.contains(record.domain) ? .blob : nil
      all.append(
        StoryOperation(
          row: row, words: record.story, half: record.kind == .point ? nil : half,
          keyIsDurable: open.domains.isDisjoint(with: keyDomains),
          blobIsDurable: open.domains.isDisjoint(with: blobDomains),
          point: record.kind == .point ? record.target.flatMap(LogicalPoint.init) : nil,
          fault: record.fault))
    }
    return all
  }
}

/// How many changes are pending, by the operation that left them so.
private struct OpenChanges {
  private var counts: [OperationNumber: (domain: String, count: Int)] = [:]

  var domains: Set<String> { Set(counts.values.map(\.domain)) }

  mutating func follow(_ record: OperationRecord) {
    if record.interlude != nil { counts = [:] }
    if !record.pending.isEmpty {
      counts[record.number] = (record.domain, record.pending.count)
    }
    for settlement in record.settled where settlement.isDurable {
      guard let left = counts[settlement.operation] else { continue }
      counts[settlement.operation] = left.count > 1 ? (left.domain, left.count - 1) : nil
    }
  }
}

extension OperationRecord {
  fileprivate var story: String {
    if kind == .point, let target {
      return LogicalPoint(rawValue: target).map { "\(target) (\($0.words))" } ?? target
    }
    let size = length.map {
      (kind == .truncate ? " to " : ", ") + Counted.words($0, "byte")
    }
    return words + (size ?? "") + (error.map { ": refused, \($0.symbol)" } ?? "")
  }
}
