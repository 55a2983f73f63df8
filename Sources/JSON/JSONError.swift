/// A problem at a place of a text. Nothing was read.
package struct JSONError: Error, Equatable, Sendable {
  package var problem: JSONProblem
  package var range: SourceRange

  package init(_ problem: JSONProblem, at range: SourceRange) {
    self.problem = problem
    self.range = range
  }
}

extension JSONError: CustomStringConvertible {
  /// `line:column: reason`; put the file's name and a colon before it.
  package var description: String { "\(range): \(problem)" }
}
