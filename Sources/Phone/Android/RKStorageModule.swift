import JSON
package import Ports
import SQLite

/// AsyncStorage 2 on Android: one SQLite database, `RKStorage`.
///
/// Make one for each launch of the app. A call runs to its end before the next one starts, on the
/// module's serial executor. Source: react-native-async-storage 2.2 `AsyncStorageModule.java`,
/// `ReactDatabaseSupplier.java`.
///
/// - A call is one transaction: after a rejection the old rows are there.
/// - When opening fails, whatever the reason, the database is deleted and opened anew: a passing
///   fault takes all data. When that fails too, the exception escapes: the call never settles, and
///   the app crashes. The 30 ms that the module waits after each failure pass at once here.
/// - A value that is longer than a row of a result may be is written, and cannot be read.
///
/// Not modelled: that the database is closed with the last activity, the error `Database Error`
/// after the host was torn down, and pairs that are no pairs, which never settle either.
package final class RKStorageModule: PlainStorage {
  static let table = "catalystLocalStorage"

  let files: any FileSystem
  let console: any Console
  private let points: any TracePoint
  private let crashes: any CrashHandler
  private let database: StorageDatabase
  private let bytesMax: Int

  /// Launches the module: takes over a database that an older Expo client left, if there is no
  /// `RKStorage` yet.
  package init(
    files: any FileSystem, points: any TracePoint, console: any Console,
    crashes: any CrashHandler, settings: AndroidStorageSettings
  ) {
    self.files = files
    self.points = points
    self.console = console
    self.crashes = crashes
    bytesMax = settings.sizeMiB << 20
    database = StorageDatabase(
      at: AndroidLayout.rkStorage, files: files, console: console,
      library: settings.rkStorageLibrary, schema: Self.schema)
    takeOverScopedExperience()
  }

  private static var schema: StorageDatabase.Schema {
    StorageDatabase.Schema(
      table: table, version: 1
    ) { (connection, version) throws(DatabaseError) in
      guard version == 0 else {
        throw .outsideSQLite("Can't downgrade database from version \(version) to 1")
      }
      try connection.run(
        "CREATE TABLE \(table) (key TEXT PRIMARY KEY, value TEXT NOT NULL)")
    }
  }

  // MARK: One key

  package func item(_ name: String) async throws(NativeError) -> String? {
    let value = try await multiGet([name]).first?.value
    // The JavaScript asks whether the value is truthy.
    return value == "" ? nil : value
  }

  package func setItem(_ name: String, to value: String) async throws(NativeError) {
    try await multiSet([(name, value)])
  }

  package func removeItem(_ name: String) async throws(NativeError) {
    try await multiRemove([name])
  }

  // MARK: Many keys

  /// The values of keys: in every 999 keys first those that are stored, sorted, and then the others.
  package func multiGet(
    _ keys: [String]
  ) async throws(NativeError) -> [(key: String, value: String?)] {
    try perform { (database) throws(DatabaseError) in try database.values(of: keys) }
  }

  package func multiSet(_ pairs: [(key: String, value: String)]) async throws(NativeError) {
    points.reach(.beforeBlob)
    guard !pairs.isEmpty else { return }
    try perform { (database) throws(DatabaseError) in try database.set(pairs) }
    points.reach(.blobWritten)
  }

  package func multiRemove(_ keys: [String]) async throws(NativeError) {
    guard !keys.isEmpty else { return }
    try perform { (database) throws(DatabaseError) in try database.remove(keys) }
  }

  /// Merges objects into stored ones; one that cannot be merged leaves all as they were.
  package func mergeAll(_ pairs: [(key: String, value: String)]) async throws(NativeError) {
    try perform { (database) throws(DatabaseError) in
      try database.replace(pairs) { (stored, given) throws(DatabaseError) in
        guard let stored else { return given }
        let old = try Self.object(stored)
        return JSONWriter.text(of: .object(old.merged(with: try Self.object(given))))
      }
    }
  }

  /// The real message has the value in it.
  private static func object(_ text: String) throws(DatabaseError) -> JSONObject {
    let refusal = DatabaseError.outsideSQLite(
      "Value of type java.lang.String cannot be converted to JSONObject")
    do {
      guard let object = try JSONReader.read(text, .json).value.object else { throw refusal }
      return object
    } catch {
      throw refusal
    }
  }

  package func allKeys() async throws(NativeError) -> [String] {
    try perform { (database) throws(DatabaseError) in try database.keys() }
  }

  package func clear() async throws(NativeError) {
    try perform { (database) throws(DatabaseError) in try database.removeAll() }
  }

  // MARK: The database

  private func perform<Result>(
    _ body: (StorageDatabase) throws(DatabaseError) -> Result
  ) throws(NativeError) -> Result {
    do {
      try ensureDatabase()
    } catch {
      let message = database.library.message(of: error)
      crashes.crash("android.database.sqlite.SQLiteException: \(message)")
      throw NativeError(message: message)
    }
    do {
      return try body(database)
    } catch {
      throw NativeError(message: database.library.message(of: error))
    }
  }

  /// Opens the database; deletes it and tries once more when that fails.
  func ensureDatabase() throws(DatabaseError) {
    guard !database.isOpen else { return }
    do {
      try database.open()
    } catch {
      database.delete()
      try database.open()
    }
    try database.limit(toBytes: bytesMax)
  }
}

extension AndroidStorageSettings {
  fileprivate var rkStorageLibrary: DatabaseLibrary {
    let framework = DatabaseLibrary.Framework(
      cursorWindowBytes: cursorWindowBytes, deletesDamaged: true)
    return switch journal {
    case .truncate: .framework(.truncate, syncs ? .full : .off, framework)
    case .wal: .framework(.wal, syncs ? .normal : .off, framework)
    case .walFull: .framework(.wal, syncs ? .full : .off, framework)
    case .persist: .framework(.persist, syncs ? .full : .off, framework)
    }
  }
}
