import Chaos
import Terminal

/// The progress of units that end in any order: one line for each phase, in the order of the phases.
struct WorkProgress {
  private struct Part {
    let line: Phase
    var all = 0
    var done = 0
  }

  private var parts: [Part]
  private let partOfUnit: [Int]
  /// The first phase that has not ended.
  private var current = 0
  /// `nil` until a unit was judged.
  private var findingCount: Int?

  init(_ units: [SharedWork.Unit], _ shard: Shard, on console: Console) {
    let phases = units.map(\.phase).reduce(into: [String]()) {
      if $0.last != $1, !$0.contains($1) { $0.append($1) }
    }
    let width = phases.map(\.count).max() ?? 0
    parts = phases.map { Part(line: Phase($0, nameWidth: width, on: console)) }
    partOfUnit = units.map { phases.firstIndex(of: $0.phase) ?? 0 }
    for number in units.indices where shard.takes(number) { parts[partOfUnit[number]].all += 1 }
  }

  /// A unit has ended.
  mutating func note(_ unit: Int, findingCount count: Int?) {
    parts[partOfUnit[unit]].done += 1
    if let count { findingCount = (findingCount ?? 0) + count }
    while current < parts.count, parts[current].done == parts[current].all {
      if parts[current].all > 0 { parts[current].line.end(remark) }
      current += 1
    }
    guard current < parts.count else { return }
    let part = parts[current]
    part.line.update(Double(part.done) / Double(part.all), remark)
  }

  private var remark: String {
    let found = findingCount.map { $0 == 0 ? ", nothing found so far" : ", \($0) found so far" }
    return "\(parts[current].done) of \(parts[current].all)" + (found ?? "")
  }
}
