import Device

/// Switches whole kinds of choices off for one run, by the seed: each with a chance of a half.
///
/// A kind that is off always takes its first alternative. Runs that do a few things often find
/// what runs that do everything rarely never meet (Groce et al., "Swarm Testing", 2012). Replaying
/// the decisions needs no swarm: they hold what was taken.
///
/// - Complexity: O(1) a decision, expected, beside what the wrapped source takes.
package final class SwarmChoices: ChoiceSource {
  private let source: any ChoiceSource
  private let seed: UInt64
  private var isOn: [String: Bool] = [:]

  package init(_ source: any ChoiceSource, seed: UInt64) {
    self.source = source
    self.seed = seed
  }

  /// The kinds that came up in this run and were off, sorted.
  package var silenced: [String] {
    isOn.filter { !$0.value }.keys.sorted()
  }

  package func decide(_ label: String, among count: Int) throws(Divergence) -> Int {
    isOn(Decision.kind(of: label)) ? try source.decide(label, among: count) : 0
  }

  package func finish() throws(Divergence) { try source.finish() }

  private func isOn(_ kind: String) -> Bool {
    if let known = isOn[kind] { return known }
    var draws = Draws(seed: seed, stream: "swarm: \(kind)")
    let drawn = draws.below(2) == 1
    isOn[kind] = drawn
    return drawn
  }
}
