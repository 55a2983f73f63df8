import Ports
import SQLite

/// What stands between AsyncStorage and the file of a database.
struct DatabaseLibrary: Equatable {
  var journal: Connection.JournalMode
  var synchronous: Connection.Synchronous
  /// How long a call waits for the lock of another process.
  var lockWaitMs: Int32
  /// `nil` for an SQLite that the app brings along, as Room's bundled driver on iOS: no limit of a
  /// row, and nobody deletes a damaged file.
  var framework: Framework?

  /// The classes of `android.database.sqlite`.
  struct Framework: Equatable {
    /// What one row of a result may take.
    var cursorWindowBytes: Int
    /// Whether its error handler deletes a damaged file, as the default one does.
    var deletesDamaged: Bool
  }

  /// As the framework opens databases by itself, with its own waiting time.
  static func framework(
    _ journal: Connection.JournalMode, _ synchronous: Connection.Synchronous,
    _ framework: Framework
  ) -> DatabaseLibrary {
    DatabaseLibrary(
      journal: journal, synchronous: synchronous, lockWaitMs: 2500, framework: framework)
  }

  /// Opens a file and makes every setting that decides about durability.
  ///
  /// The order of Android's `SQLiteConnection.open`. Its journal size limit and its interval of
  /// checkpoints are not SQLite's own. An app's databases are never closed in order: its process is
  /// killed when it has long been in the background.
  func connect(to location: DatabaseLocation) throws(DatabaseError) -> Connection {
    let connection = try Connection(location.path, vfs: location.vfs, seed: location.seed)
    connection.keepWALOnClose()
    connection.waitForLocks(milliseconds: lockWaitMs)
    try connection.setPageSize(bytes: Self.pageBytes)
    if try connection.journalMode() != journal { try connection.setJournalMode(journal) }
    try connection.setSynchronous(synchronous)
    guard framework != nil else { return connection }
    try connection.setJournalSizeLimit(bytes: 524_288)
    try connection.setCheckpointInterval(pages: 100)
    try Self.setLocale(connection)
    return connection
  }

  static let pageBytes = 4096

  /// The framework keeps the locale that its collations were built for in every database.
  private static func setLocale(_ connection: borrowing Connection) throws(DatabaseError) {
    try connection.run("CREATE TABLE IF NOT EXISTS android_metadata (locale TEXT)")
    let stored = try connection.value(
      "SELECT locale FROM android_metadata UNION SELECT NULL ORDER BY locale DESC LIMIT 1")
    guard stored != .text("en_US") else { return }
    try connection.transaction(.deferred) { (connection) throws(DatabaseError) in
      try connection.run("DELETE FROM android_metadata")
      try connection.run("INSERT INTO android_metadata (locale) VALUES(?)", .text("en_US"))
    }
  }

  /// The message of the exception that an error becomes.
  func message(of error: DatabaseError) -> String {
    guard framework != nil else {
      return "Error code: \(error.code.rawValue), message: \(error.message)"
    }
    guard error.extendedCode != 0, error.code != .tooBig else { return error.message }
    let text = "\(error.message) (code \(error.extendedCode) \(error.codeName))"
    return error.call == "prepare" ? "\(text): , while compiling: \(error.subject)" : text
  }
}

extension DatabaseError {
  /// An exception that does not come from SQLite: its message stands for itself.
  static func outsideSQLite(_ message: String) -> DatabaseError {
    DatabaseError(call: "", subject: "", extendedCode: 0, message: message)
  }
}
