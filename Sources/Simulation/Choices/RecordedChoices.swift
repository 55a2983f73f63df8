/// Decides as an earlier run did, and insists that the questions are the same.
///
/// - Complexity: O(1) a decision.
package final class RecordedChoices: ChoiceSource {
  /// What comes after the last recorded decision.
  package enum Continuation: Sendable {
    /// Nothing: one more choice is a divergence.
    case none
    /// The first alternative of each choice.
    case first
  }

  private let decisions: [Decision]
  private let continuation: Continuation
  private var next = 0

  package init(_ decisions: [Decision], then continuation: Continuation = .none) {
    self.decisions = decisions
    self.continuation = continuation
  }

  package func decide(_ label: String, among count: Int) throws(Divergence) -> Int {
    let met = Divergence.Question(label: label, count: count)
    guard next < decisions.count else {
      switch continuation {
      case .none: throw Divergence(index: next, recorded: nil, met: met)
      case .first: return 0
      }
    }
    guard recorded == met else { throw Divergence(index: next, recorded: recorded, met: met) }
    defer { next += 1 }
    return decisions[next].choice
  }

  package func finish() throws(Divergence) {
    if next < decisions.count { throw Divergence(index: next, recorded: recorded, met: nil) }
  }

  private var recorded: Divergence.Question {
    Divergence.Question(label: decisions[next].label, count: decisions[next].count)
  }
}
