package import Ports
import SQLite

/// The default export of AsyncStorage 3 on Android: a Room database, `AsyncStorage`.
///
/// Make one for each launch of the app. Source: react-native-async-storage 3.0
/// `LegacyStorageSupplier.kt`, over Room's support helper and Android's SQLite.
///
/// - A call is one transaction. WAL with NORMAL: a commit survives a kill, not a power cut, until a
///   checkpoint, which comes after every 100 pages.
/// - The first launch after an update from 2.x takes over `RKStorage`: see
///   ``prepareFile()``. `RKStorage` stays, and so does its table inside the copy: what an app
///   removes or replaces later, both still have.
/// - When opening fails, it is tried once more (after 500 ms, which pass at once here), and the
///   call rejects; nothing is deleted.
///
/// The library runs its calls on a pool of threads without a queue, so that two writes that nobody
/// awaited may commit in either order. Here they commit in the order in which they start.
package final class RoomStorageModule: PlainStorage {
  static let table = "Storage"
  private static let version: Int32 = 2

  let files: any FileSystem
  let entropy: any Entropy
  private let points: any TracePoint
  private let database: StorageDatabase
  /// Whether there was an `RKStorage` when the module was made: only then does it know how to
  /// migrate.
  let upgrades: Bool
  private var isFilePrepared = false

  package init(
    files: any FileSystem, entropy: any Entropy, points: any TracePoint, console: any Console,
    settings: AndroidStorageSettings
  ) {
    self.files = files
    self.entropy = entropy
    self.points = points
    let upgrades = files.kind(of: AndroidLayout.rkStorage) != nil
    self.upgrades = upgrades
    database = StorageDatabase(
      at: AndroidLayout.asyncStorage, files: files, console: console,
      library: .framework(.wal, .normal, settings.roomFramework),
      schema: Self.schema(upgrades: upgrades))
  }

  package func item(_ name: String) async throws(NativeError) -> String? {
    try await multiGet([name]).first?.value
  }

  package func setItem(_ name: String, to value: String) async throws(NativeError) {
    try await multiSet([(name, value)])
  }

  package func removeItem(_ name: String) async throws(NativeError) {
    try await multiRemove([name])
  }

  /// The values of keys: first those that are stored, sorted, and then the others.
  package func multiGet(
    _ keys: [String]
  ) async throws(NativeError) -> [(key: String, value: String?)] {
    try perform { (database) throws(DatabaseError) in try database.values(of: keys) }
  }

  package func multiSet(_ pairs: [(key: String, value: String)]) async throws(NativeError) {
    points.reach(.beforeBlob)
    try perform { (database) throws(DatabaseError) in try database.set(pairs) }
    points.reach(.blobWritten)
  }

  package func multiRemove(_ keys: [String]) async throws(NativeError) {
    try perform { (database) throws(DatabaseError) in try database.remove(keys) }
  }

  package func allKeys() async throws(NativeError) -> [String] {
    try perform { (database) throws(DatabaseError) in try database.keys() }
  }

  package func clear() async throws(NativeError) {
    try perform { (database) throws(DatabaseError) in try database.removeAll() }
  }

  private func perform<Result>(
    _ body: (StorageDatabase) throws(DatabaseError) -> Result
  ) throws(NativeError) -> Result {
    do {
      try open()
      return try body(database)
    } catch {
      throw NativeError(
        code: "AsyncStorageError", message: database.library.message(of: error))
    }
  }

  private func open() throws(DatabaseError) {
    guard !database.isOpen else { return }
    if !isFilePrepared {
      do {
        try prepareFile()
      } catch {
        throw .outsideSQLite("Unable to copy database file.")
      }
      isFilePrepared = true
    }
    do {
      try database.open()
    } catch {
      try database.open()
    }
  }
}

extension AndroidStorageSettings {
  var roomFramework: DatabaseLibrary.Framework {
    DatabaseLibrary.Framework(
      cursorWindowBytes: cursorWindowBytes, deletesDamaged: roomCorruption == .byHelper)
  }
}

// MARK: - The schema

extension RoomStorageModule {
  private static func schema(upgrades: Bool) -> StorageDatabase.Schema {
    StorageDatabase.Schema(
      table: table, version: version
    ) { (connection, from) throws(DatabaseError) in
      try connection.run(
        "CREATE TABLE IF NOT EXISTS `\(table)` (`key` TEXT NOT NULL, `value` TEXT, "
          + "PRIMARY KEY(`key`))")
      switch from {
      case 0: break
      case 1 where upgrades: try moveRows(connection)
      default:
        throw .outsideSQLite(RoomMaster.missingMigration(from: from, to: version))
      }
      try RoomMaster.write(connection, table)
    }
  }

  /// The old table stays, with all its rows.
  private static func moveRows(_ connection: borrowing Connection) throws(DatabaseError) {
    let old = RKStorageModule.table
    try connection.run("DELETE FROM \(old) WHERE `key` IS NULL")
    try connection.run(
      "INSERT INTO \(table) (`key`, `value`) SELECT `key`, `value` FROM \(old)")
  }
}
