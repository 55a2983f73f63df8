package import Ports
import SQLite

/// The calls of AsyncStorage 3 over a Room database. What differs between its kinds is when the
/// database is opened: ``open()``.
package class RoomModule: PlainStorage {
  let database: StorageDatabase
  private let points: any TracePoint

  init(_ database: StorageDatabase, points: any TracePoint) {
    self.database = database
    self.points = points
  }

  /// Opens the database before a call, where it is not open.
  func open() throws(DatabaseError) {
    if !database.isOpen { try database.open() }
  }

  package final func item(_ name: String) async throws(NativeError) -> String? {
    try await multiGet([name]).first?.value
  }

  package final func setItem(_ name: String, to value: String) async throws(NativeError) {
    try await multiSet([(name, value)])
  }

  package final func removeItem(_ name: String) async throws(NativeError) {
    try await multiRemove([name])
  }

  /// The values of keys: first those that are stored, sorted, and then the others.
  package final func multiGet(
    _ keys: [String]
  ) async throws(NativeError) -> [(key: String, value: String?)] {
    try perform { (database) throws(DatabaseError) in try database.values(of: keys) }
  }

  package final func multiSet(
    _ pairs: [(key: String, value: String)]
  ) async throws(NativeError) {
    points.reach(.beforeBlob)
    try perform { (database) throws(DatabaseError) in try database.set(pairs) }
    points.reach(.blobWritten)
  }

  package final func multiRemove(_ keys: [String]) async throws(NativeError) {
    try perform { (database) throws(DatabaseError) in try database.remove(keys) }
  }

  package final func allKeys() async throws(NativeError) -> [String] {
    try perform { (database) throws(DatabaseError) in try database.keys() }
  }

  package final func clear() async throws(NativeError) {
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
}
