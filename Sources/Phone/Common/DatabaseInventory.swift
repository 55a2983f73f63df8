import Ports
import SQLite

/// What the databases of AsyncStorage hold.
struct DatabaseInventory {
  private(set) var blobs: [Inventory.BlobItem] = []
  private(set) var indexes: [Inventory.Index] = []

  /// Adds the rows of a database, table after table, and what state it is in.
  ///
  /// The database is opened as the next launch opens it: a journal that a killed process left is
  /// rolled back. `files` has to lead SQLite to a copy.
  mutating func add(_ path: String, tables: [String], _ files: any FileSystem) {
    let name = Path.name(of: path)
    guard let bytes = Self.size(of: path, files) else {
      indexes.append(Inventory.Index(name: name, state: .missing))
      return
    }
    var isSound = false
    do {
      let location = files.database(at: path)
      let connection = try Connection(location.path, vfs: location.vfs, mode: .readWrite)
      isSound = try connection.integrityProblems().isEmpty
      for table in tables { try add(table, of: path, connection) }
    } catch {
      // Rows that were read before the damage was met are kept.
      isSound = false
    }
    indexes.append(
      Inventory.Index(name: name, state: isSound ? .sound(bytes: bytes) : .damaged(bytes: bytes)))
  }

  private mutating func add(
    _ table: String, of path: String, _ connection: borrowing Connection
  ) throws(DatabaseError) {
    let found = try connection.value(
      "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", .text(table))
    guard found != nil else { return }
    var rows = try connection.prepare("SELECT key, value FROM \(table) ORDER BY key")
    while try rows.step() {
      let row = rows.row
      blobs.append(
        Inventory.BlobItem(name: row[0].text, file: path, value: row[1].text.map { Array($0.utf8) })
      )
    }
  }

  /// Adds the databases that `createAsyncStorage` made below a directory.
  mutating func addScoped(below directory: String, _ files: any FileSystem) {
    let names: [String]
    do { names = try files.list(directory) } catch { return }
    for name in names {
      add("\(directory)/\(name)/\(name).sqlite", tables: [ScopedStorageModule.table], files)
    }
  }

  private static func size(of path: String, _ files: any FileSystem) -> Int? {
    do { return try files.status(path).sizeBytes } catch { return nil }
  }
}
