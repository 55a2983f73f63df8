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

  /// A cold start after one that has changed no byte: it goes as that one did. Some are played all the
  /// same, and all where something was lost, to see that they do.
  package static let repeats = Collapses(rawValue: 8)

  /// Images that are equal in all that a recovery has read outside of the service's files, and on which
  /// the service answers alike. With ``reads`` only.
  package static let answers = Collapses(rawValue: 16)

  package static let all: Collapses = [.images, .reads, .endings, .repeats, .answers]
}
