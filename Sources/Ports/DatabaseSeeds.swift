/// Seeds for the databases that one process opens: another for each opening.
package struct DatabaseSeeds {
  private let seed: UInt64
  private var count = 0

  package init(seed: UInt64) {
    self.seed = seed
  }

  /// The seed of the next opening of a file, by its path on the phone.
  package mutating func next(for path: String) -> UInt64 {
    count += 1
    return SeededEntropy(seed: seed, stream: "database \(count) \(path)").word()
  }
}
