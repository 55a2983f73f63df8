package import Ports
import SQLite

/// A storage that `createAsyncStorage(name)` of AsyncStorage 3 makes, on either phone: a Room
/// database of its own.
///
/// Make one for each launch of the app. Source: react-native-async-storage 3.0 `shared-storage`,
/// over Room with a driver: an SQLite that the app brings along on iOS, the framework's on Android.
///
/// - A call is one transaction, WAL with NORMAL: a commit survives a kill, not a power cut, until a
///   checkpoint: after every 1,000 pages on iOS, 100 on Android.
/// - A damaged file fails every call on iOS. On Android the framework deletes it: at opening an
///   empty one takes its place; met by a statement, that call and all others of this launch reject.
///
/// The library hands writes to one thread and reads to others, without a queue between them: a read
/// that nobody awaited may overtake a write. Here calls take effect in the order in which they
/// start. Not modelled: Room's lock file beside the database, and that Android's driver switches the
/// journal mode there and back at every opening.
package final class ScopedStorageModule: RoomModule {
  static let table = "entries"

  private var wasOpen = false

  /// On iOS.
  package convenience init(
    _ name: String, in layout: IOSLayout, files: any FileSystem, points: any TracePoint,
    console: any Console
  ) {
    self.init(
      at: layout.scopedStorage(name), files: files, points: points, console: console,
      framework: nil)
  }

  /// On Android.
  package convenience init(
    files: any FileSystem, points: any TracePoint, console: any Console,
    settings: AndroidStorageSettings
  ) {
    self.init(
      at: AndroidLayout.scopedStorage(settings.scopeName), files: files, points: points,
      console: console, framework: settings.roomFramework)
  }

  private init(
    at path: String, files: any FileSystem, points: any TracePoint, console: any Console,
    framework: DatabaseLibrary.Framework?
  ) {
    super.init(
      StorageDatabase(
        at: path, files: files, console: console,
        library: DatabaseLibrary(
          journal: .wal, synchronous: .normal, lockWaitMs: 3000, framework: framework),
        schema: Self.schema),
      points: points)
  }

  private static var schema: StorageDatabase.Schema {
    StorageDatabase.Schema(
      table: table, version: 1
    ) { (connection, version) throws(DatabaseError) in
      guard version == 0 else {
        throw .outsideSQLite(RoomMaster.missingMigration(from: version, to: 1))
      }
      try connection.run(
        "CREATE TABLE IF NOT EXISTS `\(table)` (`key` TEXT NOT NULL, `value` TEXT, "
          + "PRIMARY KEY(`key`))")
      try RoomMaster.write(connection, table)
    }
  }

  /// Room keeps the connection that it once got: one that was closed below it is not replaced.
  override func open() throws(DatabaseError) {
    guard !wasOpen else { return }
    try database.open()
    wasOpen = true
  }
}
