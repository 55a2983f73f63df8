/// The choices of one run: asks a source, and records what was decided.
///
/// What is decided here is all that a run depends on beside its inputs, so ``decisions`` repeat it.
/// A choice of one alternative is none: it is not asked for and not recorded.
package final class Choices {
  package private(set) var decisions: [Decision] = []

  /// The first choice that was not the recorded one. From it on the first alternative is taken and
  /// nothing is recorded; whoever drives the run should end it.
  package private(set) var divergence: Divergence?

  private let source: any ChoiceSource

  package init(_ source: any ChoiceSource) {
    self.source = source
  }

  /// One of `0..<count`, the alternatives.
  ///
  /// The label says what is decided and starts with the kind (``Decision/label``); it must not
  /// hold secrets. Convention: 0 is what happens when nothing goes wrong.
  ///
  /// - Complexity: O(1) beside what the source takes.
  package func choose(_ count: Int, _ label: String) -> Int {
    precondition(count > 0, "a choice needs an alternative")
    guard count > 1, divergence == nil else { return 0 }
    do throws(Divergence) {
      let choice = try source.decide(label, among: count)
      decisions.append(Decision(label: label, count: count, choice: choice))
      return choice
    } catch {
      divergence = error
      return 0
    }
  }

  /// Says that the run is over; the divergence, when it was not the recorded one to its end.
  package func finish() -> Divergence? {
    guard divergence == nil else { return divergence }
    do throws(Divergence) {
      try source.finish()
    } catch {
      divergence = error
    }
    return divergence
  }
}
