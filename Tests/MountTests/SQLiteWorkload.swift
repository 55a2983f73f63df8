import Linux
import SQLite
import Testing

/// What an app does with a database: settings, and transactions with work of SQLite's own between.
struct SQLiteWorkload: Sendable, CustomTestStringConvertible {
  let journal: Connection.JournalMode
  let synchronous: Connection.Synchronous
  var script = Script.mixed
  /// Transactions take turns on this many connections.
  var connectionCount = 1

  struct Script: Sendable {
    let name: String
    /// Bytes of a page of the database.
    let pageBytes: Int
    let steps: [Step]
    /// Whether the recording goes on after the last transaction, to the end of the closing.
    var isClosed = true
  }

  enum Step: Sendable {
    case transaction([RowChange])
    case vacuum
    case checkpoint
  }

  enum RowChange: Sendable {
    case put(Int, markers: Int)
    case remove(Int)
  }

  var testDescription: String {
    let connections = connectionCount == 1 ? "" : ", \(connectionCount) connections"
    return "\(journal.rawValue) + \(synchronous.rawValue), \(script.name)\(connections)"
  }

  /// The name of the database in its folder.
  static let fileName = "app.db"
  /// What an app says at a point of the mount when a COMMIT has returned.
  static let acknowledgement = "committed"

  /// The body of a row repeats a marker that names it and its transaction, so that bytes of another
  /// row, or of the same row at another time, are told apart wherever they appear.
  static let body = "replace(hex(zeroblob(markers)), '00', printf('%03d:%05d,', id, version))"

  /// What is tried: each way of journalling that an app may choose, then what makes them differ.
  static let all: [SQLiteWorkload] = [
    SQLiteWorkload(journal: .delete, synchronous: .off),
    SQLiteWorkload(journal: .delete, synchronous: .normal),
    SQLiteWorkload(journal: .delete, synchronous: .full),
    SQLiteWorkload(journal: .delete, synchronous: .extra),
    SQLiteWorkload(journal: .truncate, synchronous: .normal),
    SQLiteWorkload(journal: .truncate, synchronous: .full),
    SQLiteWorkload(journal: .persist, synchronous: .normal),
    SQLiteWorkload(journal: .persist, synchronous: .full),
    SQLiteWorkload(journal: .wal, synchronous: .off),
    SQLiteWorkload(journal: .wal, synchronous: .normal),
    SQLiteWorkload(journal: .wal, synchronous: .full),
    SQLiteWorkload(journal: .delete, synchronous: .full, script: .shrinking),
    SQLiteWorkload(journal: .delete, synchronous: .extra, script: .shrinking),
    SQLiteWorkload(journal: .wal, synchronous: .normal, script: .growing),
    SQLiteWorkload(journal: .wal, synchronous: .full, script: .growing),
    SQLiteWorkload(journal: .delete, synchronous: .extra, connectionCount: 2),
    SQLiteWorkload(journal: .wal, synchronous: .full, connectionCount: 3),
    SQLiteWorkload(journal: .truncate, synchronous: .full, script: .large),
    SQLiteWorkload(journal: .wal, synchronous: .full, script: .large),
  ]

  private static let schema = [
    "CREATE TABLE item(id INTEGER PRIMARY KEY, version INTEGER, markers INTEGER, body TEXT)",
    "CREATE INDEX item_version ON item(version, id)",
  ]
}

// MARK: - The reference

extension SQLiteWorkload {
  /// What ``contents`` says of a database without a table.
  static let noTable = "no table"

  /// What the database holds before the first transaction and after each, kept without SQLite: the
  /// rows as `id:version×markers`.
  var contents: [String] {
    var rows: [Int: String] = [:]
    var contents = [Self.noTable, ""]
    for case .transaction(let changes) in script.steps {
      for change in changes {
        switch change {
        case .put(let id, let markers): rows[id] = "\(id):\(contents.count)×\(markers)"
        case .remove(let id): rows[id] = nil
        }
      }
      contents.append(rows.sorted { $0.key < $1.key }.map(\.value).joined(separator: " "))
    }
    return contents
  }
}

// MARK: - Running

extension SQLiteWorkload {
  /// Several of a list need an address.
  private final class Client {
    let connection: Connection

    init(_ workload: SQLiteWorkload, in folder: String, seed: UInt64) throws {
      connection = try Connection("\(folder)/\(SQLiteWorkload.fileName)", seed: seed)
      try connection.run("PRAGMA page_size=\(workload.script.pageBytes)")
      try #require(try connection.setJournalMode(workload.journal) == workload.journal)
      try connection.setSynchronous(workload.synchronous)
      // Checkpoints come where the script says.
      try connection.run("PRAGMA wal_autocheckpoint=0")
      try connection.run("PRAGMA temp_store=MEMORY")
    }
  }

  /// Runs on a mount, always with the same bytes. The process must be another one than that which
  /// serves the mount: a page fault in the index of a WAL, which is mapped, holds the lock on the
  /// process's memory while the serving thread, which must answer it, waits for that lock.
  func run(on mount: String) throws {
    let clients = try (0..<connectionCount).map { try Client(self, in: mount, seed: UInt64($0)) }
    try commit(clients[0], on: mount) {
      (connection: borrowing Connection) throws(DatabaseError) in
      for statement in Self.schema { try connection.run(statement) }
    }
    var version = 1
    for (index, step) in script.steps.enumerated() {
      let client = clients[index % clients.count]
      switch step {
      case .vacuum: try client.connection.run("VACUUM")
      case .checkpoint: try client.connection.run("PRAGMA wal_checkpoint(TRUNCATE)")
      case .transaction(let changes):
        version += 1
        try commit(client, on: mount) {
          [version] (connection: borrowing Connection) throws(DatabaseError) in
          for change in changes { try Self.apply(change, version, connection) }
        }
      }
    }
  }

  private func commit(
    _ client: Client, on mount: String,
    _ body: (borrowing Connection) throws(DatabaseError) -> Void
  ) throws {
    try client.connection.transaction(.immediate, body)
    try Files.write("\(mount)/.lab/points", Array(Self.acknowledgement.utf8))
  }

  private static func apply(
    _ change: RowChange, _ version: Int, _ connection: borrowing Connection
  ) throws(DatabaseError) {
    switch change {
    case .put(let id, let markers):
      try connection.run(
        """
        REPLACE INTO item SELECT id, version, markers, \(body)
        FROM (SELECT ? AS id, ? AS version, ? AS markers)
        """, .integer(Int64(id)), .integer(Int64(version)), .integer(Int64(markers)))
    case .remove(let id):
      try connection.run("DELETE FROM item WHERE id = ?", .integer(Int64(id)))
    }
  }
}

// MARK: - Scripts

extension SQLiteWorkload.Script {
  /// Rows of some bytes up to some pages, with a checkpoint of the WAL. Pages of two sectors: the
  /// fewest that can be torn.
  static let mixed = Self(
    name: "mixed", pageBytes: 1_024,
    steps: [
      .transaction([.put(1, markers: 3), .put(2, markers: 300), .put(3, markers: 60)]),
      .transaction([.put(1, markers: 5)]),
      .checkpoint,
      .transaction([.put(2, markers: 280), .remove(3), .put(4, markers: 150), .put(5, markers: 9)]),
      .transaction([.remove(2)]),
      .transaction([.put(6, markers: 30), .put(1, markers: 90)]),
    ])

  /// Without a checkpoint, which closing would make: all that was committed is in the WAL only.
  static let growing = Self(
    name: "growing", pageBytes: 1_024,
    steps: [
      .transaction([.put(1, markers: 3), .put(2, markers: 150)]),
      .transaction([.put(1, markers: 60)]),
      .transaction([.put(3, markers: 200), .remove(2)]),
    ], isClosed: false)

  /// A database that VACUUM makes shorter.
  static let shrinking = Self(
    name: "shrinking", pageBytes: 1_024,
    steps: [
      .transaction([.put(1, markers: 3), .put(2, markers: 300), .put(3, markers: 60)]),
      .transaction([.put(2, markers: 280), .remove(3), .put(4, markers: 150)]),
      .vacuum,
      .transaction([.remove(2)]),
      .vacuum,
    ])

  /// A row of 100 KB comes and goes.
  static let large = Self(
    name: "large", pageBytes: 4_096,
    steps: [
      .transaction([.put(1, markers: 10_000), .put(2, markers: 1)]),
      .transaction([.remove(1), .put(2, markers: 400)]),
    ])
}
