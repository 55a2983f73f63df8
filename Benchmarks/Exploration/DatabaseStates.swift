import Device
import Linux
import Ports
import SQLite
import Simulation

/// Crash states of one save into a database, each of them asked what it holds.
///
/// Writes arrive whole: a kept connection is of no use where the first page is torn.
final class DatabaseStates {
  enum Journal: String, CaseIterable {
    case rollback = "rollback journal"
    case wal = "WAL"

    /// The check with a kept connection has to be so many times faster.
    var demand: Double { self == .rollback ? 10 : 4 }

    var mode: Connection.JournalMode { self == .rollback ? .delete : .wal }
  }

  let journal: Journal
  let states: [StorageDevice]
  private let checkCount: Int
  private let probe: VFSProbe

  private static let path = "/kv.db"
  private static let question = "SELECT k, length(v) FROM kv"
  private static let nowNs: Int64 = 1_700_000_000_000_000_000

  /// - Parameters:
  ///   - journal: Which one the database has. With a rollback journal, the states are those after
  ///     which none is left.
  ///   - stateMax: How many states are looked at, and how many checks are a measurement.
  /// - Throws: `DatabaseError` when the save fails; ``BenchmarkError/differentWork(_:)`` when no
  ///   state is found.
  init(_ journal: Journal, stateMax: Int) throws {
    self.journal = journal
    var setup = DeviceSetup()
    setup.restProfile = .posixWeak
    let box = DeviceBox(StorageDevice(setup)) { Self.nowNs }
    let files = DeviceFileSystem(box, process: ProcessNumber(1))
    let location = files.database(at: Self.path)
    let connection = try Connection(location.path, vfs: location.vfs)
    _ = try connection.setJournalMode(journal.mode)
    try connection.setSynchronous(.full)
    try connection.setCheckpointInterval(pages: 1_000)
    try connection.run("CREATE TABLE kv(k TEXT PRIMARY KEY, v BLOB)")
    try connection.run("INSERT INTO kv VALUES('session', ?)", .blob(Self.value(1)))
    box.device.settle()
    var moments: [StorageDevice] = []
    box.onOperation = { [unowned box] _ in moments.append(box.device) }
    try connection.run("UPDATE kv SET v = ?", .blob(Self.value(2)))
    box.onOperation = nil
    moments.append(box.device)
    withExtendedLifetime(files) {}
    let states = Self.states(of: moments, stateMax) { device in
      journal == .wal || device.live.resolve(Self.path + "-journal") == nil
    }
    guard let first = states.first else { throw BenchmarkError.differentWork("the walk") }
    self.states = states
    checkCount = stateMax
    probe = VFSProbe(Self.path, Self.question, on: first, nowNs: Self.nowNs)
  }

  private static func value(_ byte: UInt8) -> [UInt8] {
    [UInt8](repeating: byte, count: DatabaseWork.valueBytes)
  }

  private static func states(
    of moments: [StorageDevice], _ stateMax: Int, where isWanted: (StorageDevice) -> Bool
  ) -> [StorageDevice] {
    var known: Set<ImageDigest> = []
    var states: [StorageDevice] = []
    for device in moments {
      var walk = CutWalk(
        device, tears: .none, countMax: 1 << 10, seed: ExplorationSuite.seed)
      while states.count < stateMax, let digest = walk.next() {
        guard known.insert(digest).inserted else { continue }
        let state = device.crashState(walk.survivors)
        if isWanted(state) { states.append(state) }
      }
    }
    return states
  }

  /// Nanoseconds of one check on a kept connection.
  func kept() -> Double {
    measure { _ = probe.answer(on: $0) }
  }

  /// Nanoseconds of one check on a connection that is opened for it.
  func opened() -> Double {
    measure { state in
      _ = VFSProbe(Self.path, Self.question, on: state, nowNs: Self.nowNs).answer(on: state)
    }
  }

  /// Goes through the states again until there are as many checks as states were asked for: with a
  /// rollback journal there are two, and two checks are over before the processor has their code.
  private func measure(_ check: (StorageDevice) -> Void) -> Double {
    let passCount = max(1, checkCount / states.count)
    let start = Clocks.threadNs
    for _ in 0..<passCount {
      for state in states { check(state) }
    }
    return Double(Clocks.threadNs - start) / Double(passCount * states.count)
  }

  /// Whether both ways give one answer in every state.
  func agrees() -> Bool {
    states.allSatisfy { state in
      let anew = VFSProbe(Self.path, Self.question, on: state, nowNs: Self.nowNs).answer(on: state)
      return switch (anew, probe.answer(on: state)) {
      case (.success(let left), .success(let right)): left == right
      case (.failure(let left), .failure(let right)): left == right
      default: false
      }
    }
  }
}
