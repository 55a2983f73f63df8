import Crypto
import Ports
import SQLite

/// `keychain-2.db`: one table of generic passwords, for all apps of the phone.
///
/// The columns `acct`, `svce` and `gena` hold digests of the attributes (SHA-256 here), and the
/// real ones are encrypted in `data`. WAL, so that writers and readers do not wait for each other;
/// a commit is durable as `PRAGMA synchronous` says.
struct KeychainDatabase: ~Copyable {
  private static let schemaVersion: (major: Int64, minor: Int64) = (12, 11)

  struct Row {
    var number: Int64
    var accessibility: String
    var accessGroup: String
    var account: [UInt8]
    var service: [UInt8]
    var data: [UInt8]
  }

  private let connection: Connection

  /// Opens the database, and makes it when it is missing or empty.
  ///
  /// - Throws: `DatabaseError`; a schema that was half made is not committed.
  init(
    at location: DatabaseLocation, synchronous: Connection.Synchronous
  ) throws(DatabaseError) {
    let connection = try Connection(location.path, vfs: location.vfs, seed: location.seed)
    connection.waitForLocks(milliseconds: 5000)
    try connection.setAutoVacuum(.incremental)
    try connection.setJournalMode(.wal)
    try connection.setSynchronous(synchronous)
    if try connection.value("SELECT 1 FROM sqlite_schema WHERE name = 'genp'") == nil {
      try Self.makeSchema(connection)
    }
    self.connection = connection
  }

  private static func makeSchema(_ connection: borrowing Connection) throws(DatabaseError) {
    try connection.transaction(.exclusive) { (connection) throws(DatabaseError) in
      try connection.run(genp)
      try connection.run("CREATE INDEX genpsync ON genp(sync)")
      try connection.run("CREATE INDEX genpmusr ON genp(musr)")
      try connection.run(
        "CREATE TABLE tversion(rowid INTEGER PRIMARY KEY AUTOINCREMENT, version INTEGER, "
          + "minor INTEGER, UNIQUE(version, minor))")
      try connection.run(
        "INSERT INTO tversion(version, minor) VALUES(?, ?)",
        .integer(schemaVersion.major), .integer(schemaVersion.minor))
    }
  }

  private static let genp = """
    CREATE TABLE genp(rowid INTEGER PRIMARY KEY AUTOINCREMENT, cdat REAL, mdat REAL, desc BLOB, \
    icmt BLOB, crtr INTEGER, type INTEGER, scrp INTEGER, labl BLOB, alis BLOB, invi INTEGER, \
    nega INTEGER, cusi INTEGER, prot BLOB, acct BLOB NOT NULL DEFAULT '', \
    svce BLOB NOT NULL DEFAULT '', gena BLOB, data BLOB, agrp TEXT NOT NULL DEFAULT '', \
    pdmn TEXT, sync INTEGER NOT NULL DEFAULT 0, tomb INTEGER NOT NULL DEFAULT 0, sha1 BLOB, \
    vwht TEXT NOT NULL DEFAULT '', tkid TEXT NOT NULL DEFAULT '', \
    musr BLOB NOT NULL DEFAULT x'', UUID TEXT, sysb INTEGER DEFAULT 0, pcss INTEGER, pcsk BLOB, \
    pcsi BLOB, persistref BLOB NOT NULL, clip INTEGER NOT NULL DEFAULT 0, \
    ggrp TEXT NOT NULL DEFAULT '', \
    UNIQUE(acct, svce, agrp, sync, vwht, tkid, musr, ggrp))
    """

  /// Runs a write in the one transaction that a request is.
  func write<Result>(
    _ body: (borrowing KeychainDatabase) throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    try connection.transaction(.exclusive) { (_) throws(DatabaseError) in try body(self) }
  }

  /// The columns of a new row that only securityd knows.
  struct Origin {
    /// Seconds since 2001, as Core Foundation counts.
    var seconds: Double
    var uuid: String
    var persistentReference: [UInt8]
  }

  /// Adds a row.
  ///
  /// - Returns: `false` when there is one with the same primary key; nothing was changed then.
  func insert(
    _ query: Digests, accessibility: Accessibility, data: [UInt8], origin: Origin
  ) throws(DatabaseError) -> Bool {
    do {
      try connection.run(
        "INSERT INTO genp(cdat, mdat, acct, svce, gena, data, agrp, pdmn, UUID, persistref) "
          + "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        .real(origin.seconds), .real(origin.seconds), .blob(query.account), .blob(query.service),
        .blob(query.generic), .blob(data), .text(query.accessGroup),
        .text(accessibility.rawValue), .text(origin.uuid), .blob(origin.persistentReference))
      return true
    } catch {
      guard error.extendedCode == DatabaseError.uniqueConstraint else { throw error }
      return false
    }
  }

  /// The row that a query picks. The columns of the primary key pick one at most.
  func row(_ query: Digests) throws(DatabaseError) -> Row? {
    try rows(
      "WHERE acct = ? AND svce = ? AND gena = ? AND agrp = ? AND tomb = 0",
      [.blob(query.account), .blob(query.service), .blob(query.generic), .text(query.accessGroup)]
    ).first
  }

  /// All rows, in the order of their making.
  func allRows() throws(DatabaseError) -> [Row] {
    try rows("WHERE tomb = 0", [])
  }

  private func rows(
    _ condition: String, _ values: [DatabaseValue]
  ) throws(DatabaseError) -> [Row] {
    let columns = "rowid, pdmn, agrp, acct, svce, data"
    return try connection.rows(
      of: "SELECT \(columns) FROM genp \(condition) ORDER BY rowid", values
    ).map { row in
      Row(
        number: row[0].integer ?? 0, accessibility: row[1].text ?? "",
        accessGroup: row[2].text ?? "", account: row[3].blob ?? [], service: row[4].blob ?? [],
        data: row[5].blob ?? [])
    }
  }

  func update(
    _ row: Int64, data: [UInt8], accessibility: Accessibility, seconds: Double
  ) throws(DatabaseError) {
    try connection.run(
      "UPDATE genp SET data = ?, pdmn = ?, mdat = ? WHERE rowid = ?", .blob(data),
      .text(accessibility.rawValue), .real(seconds), .integer(row))
  }

  func delete(_ row: Int64) throws(DatabaseError) {
    try connection.run("DELETE FROM genp WHERE rowid = ?", .integer(row))
  }

  /// Whether the file is damaged, as far as SQLite can tell.
  func isDamaged() throws(DatabaseError) -> Bool {
    try !connection.integrityProblems().isEmpty
  }

  /// The searchable form of a query.
  struct Digests {
    var account: [UInt8]
    var service: [UInt8]
    var generic: [UInt8]
    var accessGroup: String

    init(_ query: SecItemQuery) throws(CryptoError) {
      account = try sha256(Array(query.account.utf8))
      service = try sha256(Array(query.service.utf8))
      generic = try sha256(Array(query.generic.utf8))
      accessGroup = query.accessGroup
    }
  }
}
