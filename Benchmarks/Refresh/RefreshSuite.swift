import Linux

/// When and how often a fleet refreshes, in virtual time; and a refresh by the clock, on loopback.
///
/// The fleet is played by ``RefreshModel``, which tests hold against the client itself. Its figures
/// are the same in each round and on each machine; only its speed is measured.
package struct RefreshSuite: Suite {
  package static let name = "refresh"
  package static let summary =
    "a fleet that refreshes its sessions, in virtual time, and a served one"

  package struct Parameters: Sendable {
    package var roundCount: Int
    package var deviceCount: Int
    package var dayCount: Int
    package var seed: UInt64 = 0xF1EE7
    /// Refreshes of a round against a served server, and sleeps.
    var refreshCount: Int
    var sleepCount: Int
    /// How many attempts fail before one gets through.
    var failureCount: Int

    package static let real = Parameters(
      roundCount: 9, deviceCount: 1_000, dayCount: 30, refreshCount: 100, sleepCount: 50,
      failureCount: 4)
    package static let smoke = Parameters(
      roundCount: 2, deviceCount: 20, dayCount: 3, refreshCount: 3, sleepCount: 2,
      failureCount: 1)
  }

  private let parameters: Parameters

  package init(_ parameters: Parameters) { self.parameters = parameters }

  package func run(_ watch: Watch) throws -> Measurements {
    try measuring { machine in try measure(watch, machine) }
  }

  private func measure(_ watch: Watch, _ machine: MachineDescription) throws -> Measurements {
    var rounds = RefreshRounds(parameters)
    let results = rounds.results
    return try watch.play(&rounds, parameters.roundCount) { played in
      RefreshTables(results, played, parameters).measurements(machine)
    }
  }
}
