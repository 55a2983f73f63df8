package import Chaos
import Linux

/// What it takes a store to save, read and remove a session for good: in memory, on a mounted phone,
/// and on the disk of this machine.
///
/// The same native modules and the same service stand on three kinds of storage. Everything runs on
/// one processor, and each round goes through all of it in turn. A call is timed from the command to
/// the app's answer, when the store's promise has resolved and what it stores is as durable as it
/// makes it.
package struct StorageSuite: Suite {
  package static let name = "storage"
  package static let summary = "what a session write costs: every store, phone and kind of storage"

  static let seed: UInt64 = 0x5_E551_0117
  static let sessionBytes = 4 << 10

  package struct Parameters: Sendable {
    package var roundCount: Int
    /// How often a round makes each call.
    var callCount: Int

    package static let real = Parameters(roundCount: 9, callCount: 8)
    package static let smoke = Parameters(roundCount: 2, callCount: 2)
  }

  private let parameters: Parameters
  private let programs: PhoneHost.Programs?

  /// - Parameters:
  ///   - parameters: How much to do.
  ///   - programs: Where the programs of a mounted phone are; `nil` to do without one.
  package init(_ parameters: Parameters, programs: PhoneHost.Programs?) {
    self.parameters = parameters
    self.programs = programs
  }

  package func run(_ watch: Watch) throws -> Measurements {
    try measuring { machine in try measure(watch, machine) }
  }

  private func measure(_ watch: Watch, _ machine: MachineDescription) throws -> Measurements {
    let places = try StoragePlaces(programs)
    defer { places.end() }
    var rounds = StorageRounds(places.all, callCount: parameters.callCount)
    return try watch.play(&rounds, parameters.roundCount) { played in
      StorageTables(played.ledger, places).measurements(
        digest: played.digest, roundCount: parameters.roundCount, machine: machine)
    }
  }
}
