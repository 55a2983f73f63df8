import Device
import Linux

/// The simulated tier: what a crash state costs, a check of one, a save and a recovery.
///
/// On one processor and one thread, whose own time counts, so that neighbours do not, but for the
/// saves, which are compared with those of a mounted phone by the clock on the wall.
package struct ExplorationSuite: Suite {
  package static let name = "exploration"
  package static let summary = "crash states, SQLite checks, saves and recoveries in the simulator"

  static let seed: UInt64 = 0xC0_57A7E

  package struct Parameters: Sendable {
    package var roundCount: Int
    /// Saves whose changes are all pending, for the comparison with the naive replay.
    var saveCount: Int
    /// The same for the long walk, and how many of its states are visited.
    var longSaveCount: Int
    var longStateCount: Int
    var drawCount: Int
    /// Numbers of saves by which the cost is seen to grow.
    var lengths: [Int]
    var databaseStateMax: Int
    var batchCount: Int
    var share: Int
    var depthMax: Int
    /// Up to how many writers save at once, and how many choices they look at for a moment: they come
    /// to many more moments.
    var writerMax: Int
    var writerCutCountMax: Int
    /// In how many of the rounds there are explorations, and how many choices they look at for a
    /// moment.
    var explorationCount: Int
    var cutCountMax: Int

    package static let real = Parameters(
      roundCount: 9, saveCount: 2, longSaveCount: 3, longStateCount: 1 << 20, drawCount: 4_096,
      lengths: [4, 8, 16, 32], databaseStateMax: 200, batchCount: 5, share: 10, depthMax: 2,
      writerMax: 3, writerCutCountMax: 4,
      explorationCount: 3, cutCountMax: 256)
    package static let smoke = Parameters(
      roundCount: 2, saveCount: 1, longSaveCount: 2, longStateCount: 1 << 8, drawCount: 16,
      lengths: [1, 2], databaseStateMax: 8, batchCount: 1, share: 1, depthMax: 1, writerMax: 2,
      writerCutCountMax: 1,
      explorationCount: 1, cutCountMax: 1)
  }

  private let parameters: Parameters
  private let executable: String?

  /// - Parameters:
  ///   - parameters: How much to do.
  ///   - executable: The lab's own program, which mounts a phone to compare with; `nil` to do
  ///     without.
  package init(_ parameters: Parameters, executable: String?) {
    self.parameters = parameters
    self.executable = executable
  }

  package func run(_ watch: Watch) throws -> Measurements {
    return try measuring { machine in try measure(watch, machine) }
  }

  private func measure(
    _ watch: Watch, _ machine: MachineDescription
  ) throws -> Measurements {
    var rounds = try ExplorationRounds(parameters, executable: executable)
    defer { rounds.end() }
    let digest = rounds.digest
    return try watch.play(&rounds, parameters.roundCount) { played in
      ExplorationTables(played.ledger, parameters, hasMount: executable != nil).measurements(
        digest: digest, machine: machine)
    }
  }
}
