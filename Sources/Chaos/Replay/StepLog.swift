import Device
import Phone
import Ports

/// The log of a run, cut into its steps: finds where faults fell, and where an operation is.
struct StepLog {
  private let records: [OperationRecord]
  /// How many operations there were before each step, and after the last.
  private let bounds: [Int]
  /// Before which steps nothing was pending.
  private let settled: Set<Int>

  init(_ records: [OperationRecord], bounds: [Int], settled: Set<Int>) {
    self.records = records
    self.bounds = bounds
    self.settled = settled
  }

  /// The operations of a step that `op:N` counts, in order.
  func operations(inStep index: Int) -> [FaultSite.Operation] {
    let own = records(inStep: index)
    var point: LogicalPoint?
    var counts: [String: Int] = [:]
    var found: [FaultSite.Operation] = []
    for record in own {
      if record.kind == .point {
        point = record.point ?? point
        continue
      }
      counts[record.words, default: 0] += 1
      found.append(
        FaultSite.Operation(
          words: record.words, behind: point, occurrence: counts[record.words, default: 1],
          count: 0))
    }
    let all = found.count
    for index in found.indices { found[index].count = all }
    return found
  }

  /// Where a fault fell that waited for its moment.
  ///
  /// - Parameters:
  ///   - number: The operation that it hit.
  ///   - index: The step.
  /// - Returns: `nil` when the operation is not one of the step.
  func operation(_ number: OperationNumber, inStep index: Int) -> FaultSite.Operation? {
    let own = records(inStep: index)
    guard let hit = own.first(where: { $0.number == number }) else { return nil }
    let before = own.prefix { $0.number != number }
    return FaultSite.Operation(
      words: hit.words, behind: before.last { $0.point != nil }?.point,
      occurrence: 1 + before.count { $0.words == hit.words },
      count: own.count { $0.kind != .point })
  }

  /// What a power cut left when an operation had been done, or between two steps.
  func kept(_ survivors: Survivors, after number: OperationNumber) -> FaultSite.Kept {
    kept(survivors, of: pending { $0 <= number.number })
  }

  func kept(_ survivors: Survivors, beforeStep index: Int) -> FaultSite.Kept {
    kept(survivors, of: settled.contains(index) ? [] : pending { $0 <= bounds[index] })
  }

  private func kept(_ survivors: Survivors, of pending: [String]) -> FaultSite.Kept {
    let named = survivors.named.sorted().filter(pending.indices.contains).map { pending[$0] }
    return FaultSite.Kept(pendingCount: pending.count, named: Self.counted(named))
  }

  /// Equal words in a row as one, with how often they came.
  private static func counted(_ words: [String]) -> [String] {
    var groups: [(word: String, count: Int)] = []
    for word in words {
      if groups.last?.word == word {
        groups[groups.count - 1].count += 1
      } else {
        groups.append((word, 1))
      }
    }
    return groups.map { $0.count == 1 ? $0.word : "\($0.word), \($0.count) changes" }
  }

  /// The operations whose changes were pending, one word for each change, the oldest first.
  private func pending(when isDone: (Int) -> Bool) -> [String] {
    var open: [(number: OperationNumber, change: LoggedChange, words: String)] = []
    for record in records.prefix(while: { isDone($0.number.number) }) {
      if record.interlude != nil { open = [] }
      open += record.pending.map { (record.number, $0, record.words) }
      for settlement in record.settled where settlement.isDurable {
        let index = open.firstIndex {
          $0.number == settlement.operation && $0.change == settlement.change
        }
        if let index { open.remove(at: index) }
      }
    }
    return open.map(\.words)
  }

  private func records(inStep index: Int) -> [OperationRecord] {
    guard index + 1 < bounds.count else { return [] }
    let passed = bounds[index]..<bounds[index + 1]
    return records.filter { passed.contains($0.number.number - 1) }
  }
}

extension OperationRecord {
  /// Kind and path, and where a rename or a link leads.
  var words: String {
    if kind == .point { return "point \(target ?? "")" }
    return "\(kind.rawValue) \(path)" + (target.map { " to \($0)" } ?? "")
  }

  /// The point of the app that it announces.
  fileprivate var point: LogicalPoint? {
    guard kind == .point else { return nil }
    return target.flatMap(LogicalPoint.init).flatMap { $0 == .itemCommitted ? nil : $0 }
  }
}

extension Survivors {
  /// The changes that are named one by one.
  fileprivate var named: Set<Int> {
    switch self {
    case .kept(let indices): indices
    case .partial(let write, let rest): rest.named.union([write.change])
    case .none, .issued, .all, .seeded, .perDomain, .torn: []
    }
  }
}
