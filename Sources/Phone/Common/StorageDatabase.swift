import Ports
import SQLite

/// A database of AsyncStorage: one table of keys and values, in a file with a version.
///
/// Stands for `SQLiteOpenHelper` and `SQLiteDatabase` of Android, and for Room above them or above
/// an SQLite of its own.
///
/// - Every write is one transaction: after a throw the rows are as before.
/// - What is durable after a write, the ``DatabaseLibrary`` decides: with TRUNCATE and FULL all of
///   it; with WAL and NORMAL nothing is before the next checkpoint.
/// - Damage that opening meets is replaced by an empty database, and damage that a statement meets
///   fails that call and deletes the files, where the library has an error handler. A BEGIN or
///   COMMIT that meets damage only fails: Android asks the handler for statements alone.
/// - Letting go of the value leaves the files as the end of the process does: a WAL stays, and what
///   it holds is not durable.
///
/// Not modelled: more than one connection. Room reads through others, which sees the same rows.
final class StorageDatabase {
  /// The table, and how a file comes to have it.
  struct Schema {
    var table: String
    var version: Int32
    /// Brings a file of another version to this one, inside a transaction; version 0 is new.
    var migrate: (_ connection: borrowing Connection, _ from: Int64) throws(DatabaseError) -> Void
  }

  /// More keys than this take more than one statement.
  static let keysMax = 999

  let path: String
  let library: DatabaseLibrary
  private let files: any FileSystem
  private let console: any Console
  private let schema: Schema
  private var opened: Opened?

  private final class Opened {
    let connection: Connection

    init(_ connection: consuming Connection) {
      self.connection = connection
    }
  }

  init(
    at path: String, files: any FileSystem, console: any Console, library: DatabaseLibrary,
    schema: Schema
  ) {
    self.path = path
    self.files = files
    self.console = console
    self.library = library
    self.schema = schema
  }

  var isOpen: Bool { opened != nil }

  // MARK: The file

  /// Opens the database, makes it when it is missing, and brings it to the schema's version.
  ///
  /// - Throws: `DatabaseError`; the database is closed then, and what was committed stays.
  func open() throws(DatabaseError) {
    guard opened == nil else { return }
    makeDirectory()
    let database = Opened(try connectOrReplace())
    let version = try database.connection.userVersion()
    if version != schema.version {
      try change(database) { (connection) throws(DatabaseError) in
        try self.schema.migrate(connection, version)
        try connection.setUserVersion(self.schema.version)
      }
    }
    opened = database
  }

  private func connectOrReplace() throws(DatabaseError) -> Connection {
    let location = files.database(at: path)
    do {
      return try library.connect(to: location)
    } catch {
      guard error.isDamage, library.framework?.deletesDamaged == true else { throw error }
      console.error("Database corruption detected in open()")
      delete()
      return try library.connect(to: files.database(at: path))
    }
  }

  /// A directory that cannot be made is only logged: SQLite fails to open the file then.
  private func makeDirectory() {
    let directory = Path.directory(of: path)
    do {
      try files.makeDirectories(directory, permissions: 0o771)
    } catch {
      console.warn("Failed to ensure \(directory): \(error)")
    }
  }

  /// Closes the database and deletes its files; those that cannot be deleted stay.
  func delete() {
    opened = nil
    for suffix in ["", "-journal", "-shm", "-wal"] { unlink(path + suffix) }
  }

  @discardableResult
  private func unlink(_ path: String) -> Bool {
    do {
      try files.unlink(path)
      return true
    } catch {
      return false
    }
  }

  /// The size that the database may grow to.
  func limit(toBytes bytes: Int) throws(DatabaseError) {
    try current().connection.setPageCountMax(bytes / DatabaseLibrary.pageBytes)
  }

  // MARK: Rows

  /// The values of keys. Those of one statement come in the order of the table's index, and after
  /// them the keys of that statement that are missing, in the order in which they were asked for.
  func values(
    of keys: [String]
  ) throws(DatabaseError) -> [(key: String, value: String?)] {
    var values: [(key: String, value: String?)] = []
    for part in Self.parts(of: keys) {
      let rows = try read(
        "SELECT key, value FROM \(schema.table) WHERE key IN (\(Self.marks(part.count)))",
        part.map(DatabaseValue.text))
      var missing = part
      for row in rows {
        guard let key = row[0].text else { continue }
        values.append((key, row[1].text))
        missing.removeAll { $0 == key }
      }
      values += missing.map { ($0, nil) }
    }
    return values
  }

  func keys() throws(DatabaseError) -> [String] {
    try read("SELECT key FROM \(schema.table)", []).compactMap(\.first?.text)
  }

  /// Runs a query whose rows all have to fit into the framework's window.
  private func read(
    _ sql: String, _ values: [DatabaseValue]
  ) throws(DatabaseError) -> [[DatabaseValue]] {
    let database = try current()
    let rows: [[DatabaseValue]]
    do {
      rows = try database.connection.rows(sql, values)
    } catch {
      discardIfDamaged(by: error)
      throw error
    }
    if let window = library.framework?.cursorWindowBytes { try Self.check(rows, fit: window) }
    return rows
  }

  /// What a row takes of a `CursorWindow`: its texts with their ends, 16 bytes for each column and
  /// a few for itself; makers of phones may have changed that.
  ///
  /// - Parameter texts: How long the text of each column is; `nil` for none.
  /// - Returns: Bytes.
  static func rowBytes(_ texts: [Int?]) -> Int {
    texts.reduce(8) { $0 + 16 + ($1.map { $0 + 1 } ?? 0) }
  }

  /// What `CursorWindow` says.
  private static func check(
    _ rows: [[DatabaseValue]], fit windowBytes: Int
  ) throws(DatabaseError) {
    for (position, row) in rows.enumerated() {
      guard rowBytes(row.map { $0.text?.utf8.count }) > windowBytes else { continue }
      // The first filling counts all rows, a later one stops at the row that it needs.
      let total = position == 0 ? rows.count : position + 1
      throw DatabaseError(
        call: "read", subject: "", extendedCode: DatabaseError.Code.tooBig.rawValue,
        message: "Row too big to fit into CursorWindow requiredPos=\(position), totalRows=\(total)")
    }
  }

  /// Stores pairs in their order.
  func set(_ pairs: [(key: String, value: String)]) throws(DatabaseError) {
    try change { (connection) throws(DatabaseError) in
      for (key, value) in pairs { try self.set(key, value, connection) }
    }
  }

  private func set(
    _ key: String, _ value: String, _ connection: borrowing Connection
  ) throws(DatabaseError) {
    try connection.run(
      "INSERT OR REPLACE INTO \(schema.table) VALUES (?, ?)", .text(key), .text(value))
  }

  /// Replaces values by what `change` makes of the stored ones. A throw of it leaves all as before.
  func replace(
    _ pairs: [(key: String, value: String)],
    by change: (_ stored: String?, _ given: String) throws(DatabaseError) -> String
  ) throws(DatabaseError) {
    try self.change { (connection) throws(DatabaseError) in
      for (key, value) in pairs {
        let stored = try connection.value(
          "SELECT value FROM \(self.schema.table) WHERE key = ?", .text(key))
        try self.set(key, try change(stored?.text, value), connection)
      }
    }
  }

  func remove(_ keys: [String]) throws(DatabaseError) {
    try change { (connection) throws(DatabaseError) in
      for part in Self.parts(of: keys) {
        _ = try connection.rows(
          "DELETE FROM \(self.schema.table) WHERE key IN (\(Self.marks(part.count)))",
          part.map(DatabaseValue.text))
      }
    }
  }

  func removeAll() throws(DatabaseError) {
    try change { (connection) throws(DatabaseError) in
      try connection.run("DELETE FROM \(self.schema.table)")
    }
  }

  private func change(
    _ body: (borrowing Connection) throws(DatabaseError) -> Void
  ) throws(DatabaseError) {
    try change(try current(), body)
  }

  private func change(
    _ database: Opened, _ body: (borrowing Connection) throws(DatabaseError) -> Void
  ) throws(DatabaseError) {
    var failure: DatabaseError?
    do throws(DatabaseError) {
      try database.connection.transaction(.exclusive) { (connection) throws(DatabaseError) in
        do throws(DatabaseError) {
          try body(connection)
        } catch {
          failure = error
          throw error
        }
      }
    } catch {
      if let failure { discardIfDamaged(by: failure) }
      throw error
    }
  }

  /// What the error handler does when a statement meets damage.
  private func discardIfDamaged(by error: DatabaseError) {
    guard error.isDamage, library.framework?.deletesDamaged == true else { return }
    console.error("Corruption reported by sqlite on database: \(path)")
    delete()
  }

  private func current() throws(DatabaseError) -> Opened {
    guard let opened else {
      throw .outsideSQLite("attempt to re-open an already-closed object: SQLiteDatabase: \(path)")
    }
    return opened
  }

  private static func parts(of keys: [String]) -> [[String]] {
    stride(from: 0, to: keys.count, by: keysMax).map { start in
      Array(keys[start..<min(start + keysMax, keys.count)])
    }
  }

  private static func marks(_ count: Int) -> String {
    Array(repeating: "?", count: count).joined(separator: ", ")
  }
}
