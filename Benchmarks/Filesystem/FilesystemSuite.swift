package import Chaos
import Device
import Linux
import Mount

/// The mounted tier: what a call costs on our mount, beside the least that two processes need to
/// talk, a file system in memory, and any other FUSE mount.
///
/// Everything runs on one processor, as the lanes of a campaign do: the client, the phone and the
/// workers. Rounds go through all cases in turn, so that a neighbour slows all of them alike.
package struct FilesystemSuite: Suite {
  package static let name = "filesystem"
  package static let summary = "calls, SQLite, mounts, cases and injections on a mounted phone"

  static let seed: UInt64 = 0x1AB_F11E

  package struct Parameters: Sendable {
    package var roundCount: Int
    /// Batches in a round, of which the best counts. The first are slow: who has kept the processor
    /// busy before, as every cached call does, is owed none of it, and then does not run at once when
    /// it is answered. That is over after 6 ms, 600 writes.
    var batchCount: Int
    /// Scales the calls of a batch.
    var share: Int
    /// Injections of each kind in a round.
    var injectionCount: Int

    package static let real = Parameters(
      roundCount: 9, batchCount: 20, share: 10, injectionCount: 24)
    package static let smoke = Parameters(
      roundCount: 2, batchCount: 1, share: 1, injectionCount: 1)
  }

  private let parameters: Parameters
  private let executable: String
  private let programs: PhoneHost.Programs
  private let peer: String?

  /// - Parameters:
  ///   - parameters: How much to do.
  ///   - executable: The lab's own program, which mounts the phone.
  ///   - programs: Where the phone's programs are.
  ///   - peer: A folder on another file system to measure as well.
  package init(
    _ parameters: Parameters, executable: String, programs: PhoneHost.Programs, peer: String? = nil
  ) {
    self.parameters = parameters
    self.executable = executable
    self.programs = programs
    self.peer = peer
  }

  package func run(_ watch: Watch) throws -> Measurements {
    try FuseDevice.check()
    return try measuring { machine in try measure(watch, machine) }
  }

  private func measure(
    _ watch: Watch, _ machine: MachineDescription
  ) throws -> Measurements {
    let bench = try Workbench(executable, programs, peer: peer, seed: Self.seed)
    defer { bench.end() }
    var rounds = try FilesystemRounds(bench, parameters)
    return try watch.play(&rounds, parameters.roundCount) { played in
      // What interrupts us may have ended the phone, too.
      FilesystemTables(played.ledger, bench.implementations).measurements(
        digest: played.wasInterrupted ? "unfinished" : try bench.digest(),
        roundCount: parameters.roundCount, machine: machine, notes: bench.notes)
    }
  }
}
