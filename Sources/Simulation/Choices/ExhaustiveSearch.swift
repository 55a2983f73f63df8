/// Visits every way in which a run can go, each once, depth first.
///
///     var search = ExhaustiveSearch()
///     while let choices = try search.next() { run(choices) }
///
/// A run is repeated up to the last choice with an alternative that was not tried, takes it, and
/// goes on with first alternatives. Nothing but the decisions of the last run is remembered.
/// Not done: leaving out runs that only swap steps which do not touch each other.
///
/// - Complexity: a leaf costs its run, and O(*d*) for *d* decisions.
package struct ExhaustiveSearch {
  /// Choices after this many in a run take their first alternative.
  package let decisionsMax: Int
  package let leavesMax: Int

  /// How many runs were started.
  package private(set) var leafCount = 0

  /// How many alternatives were not tried because they lay behind ``decisionsMax``. At least as
  /// many leaves were not visited.
  package private(set) var untriedBelow = 0

  /// How many alternatives were left when ``leavesMax`` ended the search. At least as many leaves
  /// were not visited.
  package private(set) var untriedBeside = 0

  private var last: Choices?

  package init(decisionsMax: Int = .max, leavesMax: Int = .max) {
    self.decisionsMax = decisionsMax
    self.leavesMax = leavesMax
  }

  /// Whether every leaf was visited, once ``next()`` has returned `nil`.
  package var isExhaustive: Bool { untriedBelow == 0 && untriedBeside == 0 }

  /// The choices for the next run, which has to be over before the call after it.
  ///
  /// - Returns: `nil` when there is nothing left to visit, or to be visited.
  /// - Throws: ``Divergence`` when the last run did not repeat its beginning: it depends on
  ///   something that is no choice.
  package mutating func next() throws(Divergence) -> Choices? {
    var beginning: [Decision] = []
    if let last {
      if let divergence = last.finish() { throw divergence }
      untriedBelow += Self.untried(last.decisions.dropFirst(decisionsMax))
      beginning = Self.following(last.decisions.prefix(decisionsMax))
      self.last = nil
      if beginning.isEmpty { return nil }
    } else if leafCount > 0 {
      return nil
    }
    guard leafCount < leavesMax else {
      untriedBeside = 1 + Self.untried(beginning[...])
      return nil
    }
    leafCount += 1
    let choices = Choices(RecordedChoices(beginning, then: .first))
    last = choices
    return choices
  }

  /// The beginning that comes next; empty after the last one.
  private static func following(_ decisions: ArraySlice<Decision>) -> [Decision] {
    var beginning = Array(decisions)
    while let decision = beginning.popLast() {
      guard decision.choice + 1 < decision.count else { continue }
      beginning.append(
        Decision(label: decision.label, count: decision.count, choice: decision.choice + 1))
      break
    }
    return beginning
  }

  private static func untried(_ decisions: ArraySlice<Decision>) -> Int {
    decisions.reduce(0) { $0 + $1.count - 1 - $1.choice }
  }
}

extension ExhaustiveSearch: CustomStringConvertible {
  package var description: String {
    var parts = ["\(leafCount) leaves"]
    if isExhaustive { parts.append("all of them") }
    if untriedBelow > 0 {
      parts.append("\(untriedBelow) alternatives after decision \(decisionsMax) not tried")
    }
    if untriedBeside > 0 {
      parts.append("\(untriedBeside) alternatives left at the limit of leaves")
    }
    return parts.joined(separator: ", ")
  }
}
