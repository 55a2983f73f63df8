import Ports
import SQLite

/// `persistent.sqlite` of keystore2: keys, their wrapped blobs and parameters, for all apps.
///
/// The tables and columns are those of its schema 2. Domain and namespace pick the keys of one app.
/// Every change is one transaction, synced before it returns (`synchronous` is SQLite's default,
/// FULL). Blobs of deleted keys go at once; keystore2 leaves them to a garbage collector.
final class KeystoreDatabase {
  struct Key {
    var id: Int64
    var blob: [UInt8]
    /// The authenticator that the key is bound to: `nil` for none, 0 for one that is gone.
    var authenticator: Int64?
  }

  /// The tags of KeyMint that are stored with a key; its authorizations.
  private enum Tag: Int64 {
    case algorithm = 0x1000_0002
    case keySize = 0x3000_0003
    case blockMode = 0x2000_0004
    case padding = 0x2000_0006
    case noAuthenticationRequired = 0x7000_01f7
    case secureUserID = 0xa000_01f6
  }

  /// The columns of a key that the service decides on.
  struct NewKey {
    var id: Int64
    var alias: String
    var blob: [UInt8]
    var requiresAuthentication: Bool
    var createdMs: Int64
  }

  private static let appDomain = 0
  private static let appUserID = 10123
  private static let clientKey = 0
  private static let live = 1
  /// Of the trusted environment.
  private static let securityLevel: Int64 = 1
  private static let creationDate = 1

  private let connection: Connection

  /// Opens the database, and makes it when it is missing or empty.
  ///
  /// - Throws: `DatabaseError`; a schema that was half made is not committed.
  init(
    at location: DatabaseLocation, journal: KeystoreSettings.Journal
  ) throws(DatabaseError) {
    let connection = try Connection(location.path, vfs: location.vfs, seed: location.seed)
    try connection.setAutoVacuum(.full)
    switch journal {
    case .delete: try connection.setJournalMode(.delete)
    case .wal: try connection.setJournalMode(.wal)
    }
    try connection.setSynchronous(.full)
    if try connection.value("SELECT 1 FROM sqlite_schema WHERE name = 'keyentry'") == nil {
      try connection.transaction(.immediate) { (connection) throws(DatabaseError) in
        for statement in Self.schema { try connection.run(statement) }
      }
    }
    self.connection = connection
  }

  private static let schema = [
    "CREATE TABLE keyentry (id INTEGER UNIQUE, key_type INTEGER, domain INTEGER, "
      + "namespace INTEGER, alias BLOB, state INTEGER, km_uuid BLOB)",
    "CREATE INDEX keyentry_id_index ON keyentry(id)",
    "CREATE INDEX keyentry_domain_namespace_index ON keyentry(domain, namespace, alias)",
    "CREATE INDEX keyentry_state_index ON keyentry(state)",
    "CREATE TABLE blobentry (id INTEGER PRIMARY KEY, subcomponent_type INTEGER, "
      + "keyentryid INTEGER, blob BLOB, state INTEGER DEFAULT 0)",
    "CREATE INDEX blobentry_keyentryid_index ON blobentry(keyentryid)",
    "CREATE INDEX blobentry_state_index ON blobentry(subcomponent_type, state)",
    "CREATE TABLE blobmetadata (id INTEGER PRIMARY KEY, blobentryid INTEGER, tag INTEGER, "
      + "data ANY, UNIQUE (blobentryid, tag))",
    "CREATE INDEX blobmetadata_blobentryid_index ON blobmetadata(blobentryid)",
    "CREATE TABLE keyparameter (keyentryid INTEGER, tag INTEGER, data ANY, "
      + "security_level INTEGER)",
    "CREATE INDEX keyparameter_keyentryid_index ON keyparameter(keyentryid)",
    "CREATE TABLE keymetadata (keyentryid INTEGER, tag INTEGER, data ANY, "
      + "UNIQUE (keyentryid, tag))",
    "CREATE INDEX keymetadata_keyentryid_index ON keymetadata(keyentryid)",
    "CREATE TABLE grant (id INTEGER UNIQUE, grantee INTEGER, keyentryid INTEGER, "
      + "access_vector INTEGER)",
  ]

  /// The live key of an alias.
  func key(_ alias: String) throws(DatabaseError) -> Key? {
    let rows = try connection.rows(
      of: "SELECT keyentry.id, blob, (SELECT data FROM keyparameter "
        + "WHERE keyentryid = keyentry.id AND tag = ?) FROM keyentry JOIN blobentry ON keyentryid = keyentry.id "
        + "WHERE domain = ? AND namespace = ? AND alias = ? AND keyentry.state = ?",
      [
        .integer(Tag.secureUserID.rawValue), Self.integer(Self.appDomain),
        Self.integer(Self.appUserID), .text(alias), Self.integer(Self.live),
      ])
    return rows.first.map { row in
      Key(id: row[0].integer ?? 0, blob: row[1].blob ?? [], authenticator: row[2].integer)
    }
  }

  /// The aliases of the app's keys, in the order of their making.
  func aliases() throws(DatabaseError) -> [String] {
    try connection.rows(
      of: "SELECT alias FROM keyentry WHERE domain = ? AND namespace = ? AND state = ? "
        + "ORDER BY rowid",
      [Self.integer(Self.appDomain), Self.integer(Self.appUserID), Self.integer(Self.live)]
    ).compactMap { $0.first?.text }
  }

  /// Adds a key; one of the same alias goes in the same transaction. `authenticator` is what a key
  /// is bound to that requires authentication.
  func insert(_ key: NewKey, authenticator: Int64) throws(DatabaseError) {
    try connection.transaction(.immediate) { (connection) throws(DatabaseError) in
      try removeKeys("alias = ?", [.text(key.alias)])
      let uuid = [UInt8](repeating: 0, count: 15) + [UInt8(Self.securityLevel)]
      try connection.run(
        "INSERT INTO keyentry(id, key_type, domain, namespace, alias, state, km_uuid) "
          + "VALUES(?, ?, ?, ?, ?, ?, ?)",
        .integer(key.id), Self.integer(Self.clientKey), Self.integer(Self.appDomain),
        Self.integer(Self.appUserID), .text(key.alias), Self.integer(Self.live), .blob(uuid))
      try connection.run(
        "INSERT INTO blobentry(subcomponent_type, keyentryid, blob) VALUES(0, ?, ?)",
        .integer(key.id), .blob(key.blob))
      let authorization: (Tag, Int64) =
        key.requiresAuthentication
        ? (.secureUserID, authenticator) : (.noAuthenticationRequired, 1)
      for (tag, value) in [
        (.algorithm, 32), (.keySize, 256), (.blockMode, 32), (.padding, 1), authorization,
      ] {
        try connection.run(
          "INSERT INTO keyparameter(keyentryid, tag, data, security_level) VALUES(?, ?, ?, ?)",
          .integer(key.id), .integer(tag.rawValue), .integer(value),
          .integer(Self.securityLevel))
      }
      try connection.run(
        "INSERT INTO keymetadata(keyentryid, tag, data) VALUES(?, ?, ?)", .integer(key.id),
        Self.integer(Self.creationDate), .integer(key.createdMs))
    }
  }

  /// Removes a key.
  ///
  /// - Returns: Whether there was one.
  func delete(_ alias: String) throws(DatabaseError) -> Bool {
    try connection.transaction(.immediate) { (_) throws(DatabaseError) in
      try removeKeys("alias = ?", [.text(alias)])
    }
  }

  /// Removes all keys of the app.
  func clear() throws(DatabaseError) {
    try connection.transaction(.immediate) { (_) throws(DatabaseError) in
      _ = try removeKeys("TRUE", [])
    }
  }

  /// Binds all keys that require authentication to an authenticator that does not exist.
  func invalidateAuthenticated() throws(DatabaseError) {
    try connection.run(
      "UPDATE keyparameter SET data = 0 WHERE tag = ?", .integer(Tag.secureUserID.rawValue))
  }

  @discardableResult
  private func removeKeys(
    _ condition: String, _ values: [DatabaseValue]
  ) throws(DatabaseError) -> Bool {
    let ids = try connection.rows(
      "SELECT id FROM keyentry WHERE domain = ? AND namespace = ? AND \(condition)",
      [Self.integer(Self.appDomain), Self.integer(Self.appUserID)] + values)
    for id in ids.compactMap(\.first) {
      for table in ["keyparameter", "keymetadata", "blobentry", "grant"] {
        try connection.run("DELETE FROM \(table) WHERE keyentryid = ?", id)
      }
      try connection.run("DELETE FROM keyentry WHERE id = ?", id)
    }
    return !ids.isEmpty
  }

  private static func integer(_ value: Int) -> DatabaseValue { .integer(Int64(value)) }
}
