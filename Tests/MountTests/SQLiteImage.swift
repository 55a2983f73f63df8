import Device
import Foundation
import Linux
import SQLite

/// A folder in memory in which the files of one crash state after the other are opened by SQLite.
final class SQLiteImage {
  private let folder: String

  enum Outcome: Hashable {
    /// The rows, as the reference writes them; one with a damaged body has a `!`.
    case content(String)
    case unsound(String)
  }

  struct File {
    let name: String
    let bytes: [UInt8]
  }

  init() throws {
    let place = Files.exists("/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()
    folder = "\(place)/lab-sqlite-\(UUID().uuidString)"
    try Files.makeDirectory(folder)
  }

  deinit {
    do {
      try Files.removeTree(folder)
    } catch {
      print("left behind: \(folder): \(error)")
    }
  }

  /// Opens the database of these files as the app would at its next start.
  func open(_ files: [File]) throws -> Outcome {
    for name in try Files.list(folder) { try Files.remove("\(folder)/\(name)") }
    for file in files { try Files.write("\(folder)/\(file.name)", file.bytes) }
    do {
      return try outcome(try Connection("\(folder)/\(SQLiteWorkload.fileName)"))
    } catch {
      return .unsound("\(error)")
    }
  }

  private func outcome(_ connection: consuming Connection) throws(DatabaseError) -> Outcome {
    let problems = try connection.integrityProblems()
    guard problems.isEmpty else { return .unsound(problems.joined(separator: "; ")) }
    let tables = try connection.value("SELECT count(*) FROM sqlite_schema WHERE name = 'item'")
    guard tables?.integer == 1 else { return .content(SQLiteWorkload.noTable) }
    let rows = try connection.value(
      """
      SELECT group_concat(row, ' ') FROM (
        SELECT id || ':' || version || '×' || markers
          || iif(body = \(SQLiteWorkload.body), '', '!') AS row
        FROM item ORDER BY id)
      """)
    return .content(rows?.text ?? "")
  }
}

extension Volume {
  /// What SQLite reads when it starts. The first to open the index of a WAL empties it, so what a
  /// crash left of that does not count.
  var databaseFiles: [SQLiteImage.File] {
    list(.root).compactMap { entry in
      let name = entry.name.description
      guard let inode = self[entry.inode], !name.hasSuffix("-shm") else { return nil }
      return SQLiteImage.File(name: name, bytes: inode.read(at: 0, count: inode.sizeBytes))
    }
  }
}

extension [SQLiteImage.File] {
  /// A digest for this process: `Volume.digest()` of an unoptimised build takes longer than SQLite.
  var digest: Int {
    var hasher = Hasher()
    for file in self {
      hasher.combine(file.name)
      hasher.combine(file.bytes.count)
      unsafe file.bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
    return hasher.finalize()
  }
}
