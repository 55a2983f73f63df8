/// A word of the command line that is no option.
package struct Argument: Sendable {
  package enum Count: Sendable {
    case one
    case optional
    case any
    case some
    /// Everything after `--`, at least one word: a command to run.
    case afterDashes
  }

  /// In capitals: `FAULT`.
  package let name: String
  package let count: Count
  /// A closed list of words, or empty for any word.
  package let words: [String]
  /// What one is called in messages: `fault`, as in `no fault 'x'`.
  package let kind: String
  /// Words that a shell offers although others are taken, too.
  package let suggestions: [String]

  package init(
    _ name: String, _ count: Count = .one, kind: String? = nil, words: [String] = [],
    suggestions: [String] = []
  ) {
    self.name = name
    self.count = count
    self.words = words
    self.kind = kind ?? name.lowercased()
    self.suggestions = suggestions
  }

  /// What a shell offers here.
  var offer: Offer { Offer(words + suggestions, files: Offer.Files(placeholder: name)) }

  /// As it stands in a synopsis.
  var synopsis: String {
    switch count {
    case .one: name
    case .optional: "[\(name)]"
    case .any: "[\(name)]..."
    case .some: "\(name)..."
    case .afterDashes: "-- \(name)..."
    }
  }

  var isRequired: Bool {
    switch count {
    case .one, .some, .afterDashes: true
    case .optional, .any: false
    }
  }
}
