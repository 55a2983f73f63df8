/// What an exploration takes for one; each can be left out, and the outcomes must be the same.
package struct Collapses: OptionSet, Sendable {
  package let rawValue: Int

  package init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// Equal images of which the same is known.
  package static let images = Collapses(rawValue: 1)
  /// Images that are equal in all that a recovery has read.
  package static let reads = Collapses(rawValue: 2)
  /// Recoveries that have come to equal states with their first cold start.
  package static let endings = Collapses(rawValue: 4)

  package static let all: Collapses = [.images, .reads, .endings]
}
