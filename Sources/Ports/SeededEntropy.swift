/// Bytes that depend on a seed and a name only, the same on every machine and on both tiers.
///
/// For replay and chaos; nobody's secret may come from it elsewhere. The generator is SplitMix64
/// (Steele, Lea, Flood 2014), read as little-endian words. A named stream keeps a new consumer
/// from shifting the draws of the others.
package final class SeededEntropy: Entropy {
  private var state: UInt64

  package init(seed: UInt64, stream: String) {
    // FNV-1a over the name, so that streams of one seed differ.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in stream.utf8 {
      hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
    }
    state = seed ^ hash
    state = word()
  }

  package func bytes(_ count: Int) -> [UInt8] {
    precondition(count >= 0, "a draw has no negative length")
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 7)
    while bytes.count < count {
      let word = word()
      for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: word >> (8 * UInt64(shift)))) }
    }
    bytes.removeLast(bytes.count - count)
    return bytes
  }

  /// The next eight bytes, as a number.
  package func word() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var word = state
    word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
    return word ^ (word >> 31)
  }
}
