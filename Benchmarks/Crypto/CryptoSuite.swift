import Linux

/// AES-256-CTR of every implementation that the machine has, beside the least that its processor
/// needs for it, and what is made of it: envelopes, texts, keys, saves.
///
/// On one processor, by the clock on the wall, in batches that fall between two interruptions by
/// neighbours.
package struct CryptoSuite: Suite {
  package static let name = "crypto"
  package static let summary = "AES of every library here beside bare AES rounds, keys and saves"

  static let seed: UInt64 = 0xAE5_C7F

  package struct Parameters: Sendable {
    package var roundCount: Int
    /// Of messages, in bytes.
    var sizes: [Int]
    /// Of messages that `openssl speed` is asked about, which takes it a second each.
    var speedSizes: [Int]
    /// Of sessions that stores keep.
    var sessionSizes: [Int]
    var batchCount: Int
    /// How many bytes make a batch.
    var batchBytes: Int
    /// How many calls make one, where the work has no size.
    var callCount: Int

    package static let real = Parameters(
      roundCount: 9, sizes: [64, 1 << 10, 2 << 10, 4 << 10, 16 << 10, 1 << 20],
      speedSizes: [4 << 10, 16 << 10, 1 << 20], sessionSizes: [2 << 10, 4 << 10, 8 << 10],
      batchCount: 5, batchBytes: 1 << 19, callCount: 100)
    package static let smoke = Parameters(
      roundCount: 2, sizes: [64, 4 << 10], speedSizes: [4 << 10], sessionSizes: [4 << 10],
      batchCount: 1, batchBytes: 1 << 10, callCount: 2)
  }

  private let parameters: Parameters

  package init(_ parameters: Parameters) { self.parameters = parameters }

  package func run(_ watch: Watch) throws -> Measurements {
    try measuring { machine in try measure(watch, machine) }
  }

  private func measure(_ watch: Watch, _ machine: MachineDescription) throws -> Measurements {
    let implementations = try Implementations()
    defer { implementations.end() }
    let digest = try CipherCheck.check(implementations)
    var rounds = try CryptoRounds(implementations, parameters)
    return try watch.play(&rounds, parameters.roundCount) { played in
      CryptoTables(played.ledger, implementations, parameters).measurements(
        digest: digest, machine: machine)
    }
  }
}
