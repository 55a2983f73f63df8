/// A generator of our own, so that a seed gives the same draws in every process and release.
///
/// SplitMix64 (Steele, Lea, Flood 2014).
package struct Draws: Sendable {
  private var state: UInt64

  package init(seed: UInt64) {
    state = seed
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number below `bound`, each equally likely to within 2⁻⁶⁴ · `bound`.
  package mutating func below(_ bound: Int) -> Int {
    precondition(bound > 0, "a draw needs something to choose from")
    return Int(next().multipliedFullWidth(by: UInt64(bound)).high)
  }
}
