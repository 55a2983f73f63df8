import Device
package import Ports

/// Entropy from a seed, for runs that must be the same again. Never for a real key.
package final class DrawnEntropy: Entropy {
  private var draws: Draws

  /// - Parameter stream: A named consumer; another one shifts none of its draws.
  package init(seed: UInt64, stream: String) {
    draws = Draws(seed: stream.utf8.reduce(seed) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 })
  }

  package func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: draws.next() >> 32) }
  }
}
