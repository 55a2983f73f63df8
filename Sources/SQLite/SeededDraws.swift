import CSQLite
import Synchronization

/// What one connection draws from SQLite's generator of random numbers: the salts of a WAL, the
/// nonces of journals.
///
/// The generator belongs to the whole process. So it starts anew at each step that may draw, from a
/// number that follows from the connection's seed and the count of its steps, and no other seeded
/// connection steps meanwhile: two equal runs write equal bytes, whoever else runs in this process.
/// (A connection without a seed takes no turn; what it draws within such a step is drawn from it.)
final class SeededDraws {
  private var state: UInt64
  private static let turn = Mutex(())

  init(seed: UInt64) {
    state = seed
  }

  /// Takes a step, with the generator at the start of the connection's next numbers.
  ///
  /// - Parameters:
  ///   - mayDraw: Whether the step can write. One that only reads draws nothing, and waits for nobody;
  ///     it counts all the same.
  ///   - body: The step.
  /// - Returns: What the step returned.
  func step(mayDraw: Bool, _ body: () -> Int32) -> Int32 {
    // SplitMix64 (Steele, Lea, Flood 2014).
    state &+= 0x9e37_79b9_7f4a_7c15
    guard mayDraw else { return body() }
    var word = state
    word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
    // Zero would mean: from the system.
    let start = Int32(bitPattern: UInt32(truncatingIfNeeded: word ^ (word >> 31)) | 1)
    return Self.turn.withLock { _ in
      _ = csqlite_seed(start)
      return body()
    }
  }
}
