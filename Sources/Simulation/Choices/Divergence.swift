/// A run left the recording that it was to repeat: the first choice that differs.
package struct Divergence: Error, Equatable, Sendable {
  /// The place in the recording, from 0.
  package let index: Int
  /// `nil` when the recording has ended.
  package let recorded: Question?
  /// `nil` when the run has ended.
  package let met: Question?

  package init(index: Int, recorded: Question?, met: Question?) {
    self.index = index
    self.recorded = recorded
    self.met = met
  }

  /// What had to be decided.
  package struct Question: Equatable, Sendable {
    package let label: String
    /// 1 where the alternatives are not counted.
    package let count: Int

    package init(label: String, count: Int) {
      self.label = label
      self.count = count
    }
  }
}

extension Divergence: CustomStringConvertible {
  package var description: String {
    "choice \(index): recorded \(Self.text(recorded)), met \(Self.text(met))"
  }

  private static func text(_ question: Question?) -> String {
    guard let question else { return "the end" }
    return "'\(question.label)'" + (question.count > 1 ? " of \(question.count)" : "")
  }
}
