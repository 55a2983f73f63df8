import CSQLite

/// What one connection draws from SQLite's generator of random numbers: the salts of a WAL, the
/// nonces of journals.
///
/// The generator belongs to the whole process. So it starts anew at each step of a statement, from a
/// number that follows from the connection's seed and the count of its steps: two equal runs write
/// equal bytes, whoever else draws in this process or does not.
final class SeededDraws {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  /// Makes the generator start from the next number.
  func startStep() {
    // SplitMix64 (Steele, Lea, Flood 2014).
    state &+= 0x9e37_79b9_7f4a_7c15
    var word = state
    word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
    // Zero would mean: from the system.
    _ = csqlite_seed(Int32(bitPattern: UInt32(truncatingIfNeeded: word ^ (word >> 31)) | 1))
  }
}
