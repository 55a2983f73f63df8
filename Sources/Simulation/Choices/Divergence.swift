/// A run left the recording that it was to repeat: the first choice that differs.
package struct Divergence: Error, Equatable, Sendable {
  /// The place in the recording, from 0.
  package let index: Int
  /// `nil` when the recording has ended.
  package let recorded: Question?
  /// `nil` when the run has ended.
  package let met: Question?

  /// What had to be decided.
  package struct Question: Equatable, Sendable {
    package let label: String
    package let count: Int
  }
}

extension Divergence: CustomStringConvertible {
  package var description: String {
    "choice \(index): recorded \(Self.text(recorded)), met \(Self.text(met))"
  }

  private static func text(_ question: Question?) -> String {
    question.map { "'\($0.label)' of \($0.count)" } ?? "the end"
  }
}
