import Device
import SQLite

/// A key-value table as AsyncStorage has it: the same row is put again and again.
final class DatabaseWork {
  /// How a phone's libraries set up their database.
  enum Mode: String, CaseIterable {
    case deleteFull = "delete/full"
    case walFull = "wal/full"
    case walNormal = "wal/normal"
  }

  let mode: Mode
  private let implementation: String
  private let connection: Connection
  private var upsert: Statement
  private let values: [DatabaseValue]

  static let valueBytes = 8 << 10

  /// - Parameters:
  ///   - folder: Where the database goes; the caller removes it.
  ///   - mode: Its journal, and when it syncs.
  ///   - implementation: What holds the folder.
  ///   - vfs: The name of a registered VFS that knows the folder; `nil` for the machine's.
  ///   - draws: Where the values come from.
  /// - Throws: `DatabaseError`, also when the file system cannot do what the journal needs.
  init(
    in folder: String, _ mode: Mode, _ implementation: String, vfs: String? = nil, _ draws: Draws
  ) throws {
    self.mode = mode
    self.implementation = implementation
    var draws = draws
    values = (0..<8).map { _ in
      .text(
        String(
          decoding: (0..<Self.valueBytes).map { _ in UInt8(97 + draws.below(26)) },
          as: UTF8.self))
    }
    let path = "\(folder)/\(mode.rawValue.split(separator: "/").joined(separator: "-")).db"
    connection = try Connection(path, vfs: vfs)
    switch mode {
    case .deleteFull: try Self.set(connection, .delete, .full)
    case .walFull: try Self.set(connection, .wal, .full)
    case .walNormal: try Self.set(connection, .wal, .normal)
    }
    try connection.run("CREATE TABLE kv(key TEXT PRIMARY KEY, value TEXT NOT NULL)")
    upsert = try connection.prepare(
      "INSERT INTO kv VALUES('session', ?) ON CONFLICT DO UPDATE SET value = excluded.value")
  }

  private static func set(
    _ connection: borrowing Connection, _ journal: Connection.JournalMode,
    _ synchronous: Connection.Synchronous
  ) throws {
    guard try connection.setJournalMode(journal) == journal else {
      throw BenchmarkError.peer(connection.path, reason: "no \(journal.rawValue) journal there")
    }
    try connection.setSynchronous(synchronous)
  }

  func probe(_ share: Int) -> Probe {
    Probe(mode.rawValue, implementation, bytes: Self.valueBytes, callCount: max(1, share / 2)) {
      [self] number in
      try upsert.bind([values[number % values.count]])
      _ = try upsert.step()
    }
  }

  /// What the table holds.
  func outcome() throws -> [UInt8] {
    Array((try connection.value("SELECT value FROM kv")?.text ?? "").utf8)
  }
}
