import CSQLite

/// SQLite's own generator of random numbers, one for the whole process.
package enum Generator {
  /// Makes the generator start from `seed` at its next use, so that two equal runs write equal
  /// bytes (the salt of a WAL is drawn from it). Zero means: seeded by the system again.
  package static func seed(_ seed: UInt32) {
    _ = csqlite_seed(Int32(bitPattern: seed))
  }
}
