import Crypto
import SQLite

/// The table in which Room remembers which schema a database was made for.
enum RoomMaster {
  /// Writes the table and its one row, with a hash that is made like Room's and not equal to it.
  static func write(_ connection: borrowing Connection, _ table: String) throws(DatabaseError) {
    try connection.run(
      "CREATE TABLE IF NOT EXISTS room_master_table (id INTEGER PRIMARY KEY,identity_hash TEXT)")
    try connection.run(
      "INSERT OR REPLACE INTO room_master_table (id,identity_hash) VALUES(42, ?)",
      .text(try hash(of: table)))
  }

  private static func hash(of table: String) throws(DatabaseError) -> String {
    do {
      return Hexadecimal.encode(try md5(Array(table.utf8)))
    } catch {
      throw .outsideSQLite("\(error)")
    }
  }

  static func missingMigration(from: Int64, to version: Int32) -> String {
    "A migration from \(from) to \(version) was required but not found. Please provide the "
      + "necessary Migration path via RoomDatabase.Builder.addMigration(Migration ...) or allow for "
      + "destructive migrations via one of the RoomDatabase.Builder.fallbackToDestructiveMigration* "
      + "methods."
  }
}
