import Device
import Ports
import SQLite
import Simulation
import Testing

/// A simulated device with a database for one process after the other.
struct VFSTestPhone {
  static let path = "/data/app.db"
  /// Fills three pages, so that a save is more than one write.
  static let length = 9_000

  let box: DeviceBox

  init(_ device: StorageDevice = StorageDevice(DeviceSetup())) {
    box = DeviceBox(device) { 1_700_000_000_123_456_789 }
  }

  func files(_ process: Int32) -> DeviceFileSystem {
    DeviceFileSystem(box, process: ProcessNumber(process))
  }

  func connect(
    _ process: Int32, _ journal: Journaling? = nil
  ) throws(DatabaseError) -> Connection {
    // The name of the VFS goes with the files; an open connection does without.
    let files = files(process)
    defer { withExtendedLifetime(files) {} }
    let location = files.database(at: Self.path)
    let connection = try Connection(location.path, vfs: location.vfs)
    try journal?.apply(to: connection)
    return connection
  }

  /// A phone on which generation 1 is stored, and durable.
  static func withFirstGeneration(
    _ journal: Journaling, _ profile: PersistenceProfile = .ordered
  ) throws -> VFSTestPhone {
    var setup = DeviceSetup()
    setup.restProfile = profile
    let phone = VFSTestPhone(StorageDevice(setup))
    try phone.files(1).makeDirectory("/data", permissions: 0o755)
    let connection = try phone.connect(1, journal)
    try connection.run("CREATE TABLE t(k TEXT PRIMARY KEY, v BLOB)")
    try Self.save(1, connection)
    connection.keepWALOnClose()
    phone.box.device.settle()
    return phone
  }

  /// One upsert of a value that shows its generation in every byte.
  static func save(_ generation: UInt8, _ connection: borrowing Connection) throws(DatabaseError) {
    let value = [UInt8](repeating: generation, count: length)
    try connection.run("INSERT OR REPLACE INTO t VALUES('session', ?)", .blob(value))
  }

  /// The generation that is stored; `nil` when there is none, or the database is damaged.
  static func generation(_ connection: borrowing Connection) -> UInt8? {
    do {
      guard try connection.integrityProblems().isEmpty,
        let value = try connection.value("SELECT v FROM t")?.blob, let first = value.first
      else { return nil }
      return value == [UInt8](repeating: first, count: length) ? first : nil
    } catch {
      return nil
    }
  }

  /// The same for a new process, which recovers first.
  func generation(_ process: Int32 = 9) throws -> UInt8? {
    Self.generation(try connect(process))
  }

  /// A copy of this phone.
  func fork() -> VFSTestPhone { VFSTestPhone(box.device) }
}

/// A journal mode and how far it syncs, as the phones use them.
struct Journaling: Equatable, CustomTestStringConvertible, Sendable {
  var mode: Connection.JournalMode
  var synchronous: Connection.Synchronous

  var testDescription: String { "\(mode.rawValue) \(synchronous.rawValue)" }

  static let truncateFull = Journaling(mode: .truncate, synchronous: .full)
  static let deleteFull = Journaling(mode: .delete, synchronous: .full)
  static let persistFull = Journaling(mode: .persist, synchronous: .full)
  static let walNormal = Journaling(mode: .wal, synchronous: .normal)
  static let walFull = Journaling(mode: .wal, synchronous: .full)

  static let all = [truncateFull, deleteFull, persistFull, walNormal, walFull]

  func apply(to connection: borrowing Connection) throws(DatabaseError) {
    try connection.setJournalMode(mode)
    try connection.setSynchronous(synchronous)
  }
}
