import Machine
import Ports

/// Clocks and random bytes: the machine's, or the lab's when it wants equal runs.
enum Inputs {
  static func entropy(seed: UInt64?, stream: String) -> any Entropy {
    if let seed { SeededEntropy(seed: seed, stream: stream) } else { SystemEntropy() }
  }

  static func clock(startMs: Int64?) -> any WallClock {
    if let startMs { FixedClock(startMs: startMs) } else { MachineClock() }
  }
}
