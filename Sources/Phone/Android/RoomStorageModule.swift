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
package final class RoomStorageModule: RoomModule {
  static let table = "Storage"
  private static let version: Int32 = 2

  let files: any FileSystem
  let entropy: any Entropy
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
    let upgrades = files.kind(of: AndroidLayout.rkStorage) != nil
    self.upgrades = upgrades
    super.init(
      StorageDatabase(
        at: AndroidLayout.asyncStorage, files: files, console: console,
        library: settings.roomLibrary,
        schema: Self.schema(upgrades: upgrades)),
      points: points)
  }

  override func open() throws(DatabaseError) {
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
  fileprivate var roomLibrary: DatabaseLibrary {
    switch roomJournal {
    case .wal: .framework(.wal, .normal, roomFramework)
    case .truncate: .framework(.truncate, .full, roomFramework)
    }
  }

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
