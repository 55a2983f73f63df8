package import JSON

/// In how many states a store did what.
package struct StateTally: Equatable, Sendable {
  private var counts: [Verdict: Int] = [:]
  /// States in which there was no session to judge.
  package private(set) var quietCount = 0
  /// Why the fault cannot happen there; `nil` when it can.
  package private(set) var impossible: String?
  /// At how many moments the survivors of a power cut were too many, and drawn.
  package internal(set) var sampledMomentCount = 0
  /// Whether somebody stopped it before its end.
  package internal(set) var isPartial = false

  package init(impossible: String? = nil) {
    self.impossible = impossible
  }
}

extension StateTally {
  /// Adds what one state came to.
  package mutating func add(_ verdict: Verdict?) {
    if let verdict { counts[verdict, default: 0] += 1 } else { quietCount += 1 }
  }

  package static func += (left: inout Self, right: Self) {
    left.counts.merge(right.counts, uniquingKeysWith: +)
    left.quietCount += right.quietCount
    left.sampledMomentCount += right.sampledMomentCount
    left.isPartial = left.isPartial || right.isPartial
  }

  package subscript(verdict: Verdict) -> Int { counts[verdict] ?? 0 }

  package var stateCount: Int { counts.values.reduce(quietCount, +) }

  /// In how many states the store failed.
  package var failureCount: Int {
    counts.reduce(0) { $0 + ($1.key.isFailure ? $1.value : 0) }
  }

  /// The first failure in the order of the list, where a lost session comes before what is left of one;
  /// without any the verdict that most states show.
  package var worst: Verdict? {
    let shown = Verdict.allCases.filter { self[$0] > 0 }
    let most = shown.map { self[$0] }.max()
    return shown.first(where: \.isFailure) ?? shown.first { self[$0] == most }
  }

  package var outcomes: JSONValue {
    var fields = JSONObject()
    for (verdict, count) in counts { fields[verdict.rawValue] = .integer(count) }
    if quietCount > 0 { fields["quiet"] = .integer(quietCount) }
    return .object(fields)
  }

  package var json: JSONValue {
    var fields = JSONObject()
    fields["outcomes"] = outcomes
    fields["sampled"] = .integer(sampledMomentCount)
    fields["partial"] = .bool(isPartial)
    fields["impossible"] = impossible.map(JSONValue.text)
    return .object(fields)
  }

  /// Reads what ``json`` wrote.
  package init(_ node: JSONNode) throws(JSONError) {
    var reader = try node.object("a tally")
    self.init(impossible: try reader.optional("impossible")?.text())
    sampledMomentCount = try reader.required("sampled").count()
    isPartial = try reader.required("partial").bool()
    try add(outcomes: reader.required("outcomes"))
  }

  /// Reads what ``outcomes`` wrote.
  mutating func add(outcomes node: JSONNode) throws(JSONError) {
    for member in try node.members() {
      let count = try member.node.count()
      if member.key == "quiet" {
        quietCount = count
      } else if let verdict = Verdict(rawValue: member.key) {
        counts[verdict] = count
      } else {
        throw member.node.error("'\(member.key)' is no verdict")
      }
    }
  }
}
