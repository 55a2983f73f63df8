package import JSON

/// A fault, trigger or parameter that cannot be understood: one line, the same for a scenario file
/// and for the command line.
package struct FaultGrammarError: Error, Equatable, Sendable, CustomStringConvertible {
  package let reason: String
  /// What would have been right.
  package let allowed: String?
  /// Whether it was understood, and cannot happen as things are now.
  package let isRefusal: Bool

  init(_ reason: String, allowed: String? = nil, isRefusal: Bool = false) {
    self.reason = reason
    self.allowed = allowed
    self.isRefusal = isRefusal
  }

  /// `word` is none of the known ones.
  init(unknown kind: String, _ word: String, among words: [String]) {
    let nearest =
      NearestWord.to(word, among: words) ?? Self.sharing(word, among: words)
    reason = "no \(kind) '\(word)'" + (nearest.map { "; nearest: \($0)" } ?? "")
    allowed = words.joined(separator: " ")
    isRefusal = false
  }

  /// The name with most words in common, where both are `words-with-dashes`; among equals the one
  /// whose letters are those of the other. `nil` if none has a word in common.
  private static func sharing(_ name: String, among names: [String]) -> String? {
    let words = Set(name.lowercased().split(separator: "-"))
    guard words.count > 1 else { return nil }
    let shared = names.map { other in
      (
        name: other, words: words.intersection(other.split(separator: "-")).count,
        letters: Set(name.lowercased()).intersection(other).count
      )
    }
    let best = shared.max { ($0.words, $0.letters) < ($1.words, $1.letters) }
    return best.flatMap { $0.words > 0 ? $0.name : nil }
  }

  package var description: String { reason }

  /// The same at a place in a scenario file.
  package func at(_ node: JSONNode) -> JSONError {
    node.error(reason, allowed: allowed)
  }
}
