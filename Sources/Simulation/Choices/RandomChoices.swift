import Device

/// Decides by a seed, each alternative as likely as the others.
///
/// Each kind of choice has a stream of its own: a new kind shifts no draw of the others.
///
/// - Complexity: O(1) a decision, expected.
package final class RandomChoices: ChoiceSource {
  private let seed: UInt64
  private var streams: [String: Draws] = [:]

  package init(seed: UInt64) {
    self.seed = seed
  }

  package func decide(_ label: String, among count: Int) -> Int {
    let kind = Decision.kind(of: label)
    return streams[kind, default: Draws(seed: seed, stream: kind)].below(count)
  }

  package func finish() {}
}

extension Draws {
  /// A stream of a seed: those of other names are independent of it.
  init(seed: UInt64, stream: String) {
    var hash = StableHash()
    hash.add(stream)
    var mixed = Draws(seed: seed ^ hash.value)
    self.init(seed: mixed.next())
  }
}
