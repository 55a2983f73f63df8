extension Connection {
  /// The words of `PRAGMA journal_mode`.
  package enum JournalMode: String, Sendable {
    case delete, truncate, persist, memory, wal, off
  }

  /// The words of `PRAGMA synchronous`: when SQLite syncs.
  package enum Synchronous: String, CaseIterable, Sendable {
    /// Never; a power loss may damage the file.
    case off
    /// In WAL mode only at checkpoints: a commit survives a kill, not a power loss.
    case normal
    /// Before each commit returns.
    case full
    case extra
  }

  /// The words of `PRAGMA auto_vacuum`. Takes effect on a database without tables only.
  package enum AutoVacuum: String, Sendable {
    case none, full, incremental
  }

  /// Changes the journal mode, and returns the mode that is in force afterwards, which is the old
  /// one when the file system cannot do what the new one needs.
  @discardableResult
  package func setJournalMode(_ mode: JournalMode) throws(DatabaseError) -> JournalMode? {
    try value("PRAGMA journal_mode=\(mode.rawValue)")?.text.flatMap(JournalMode.init(rawValue:))
  }

  /// The journal mode that is in force.
  package func journalMode() throws(DatabaseError) -> JournalMode? {
    try value("PRAGMA journal_mode")?.text.flatMap(JournalMode.init(rawValue:))
  }

  /// How many bytes of a rollback journal or WAL file stay on disk when it is reset.
  package func setJournalSizeLimit(bytes: Int) throws(DatabaseError) {
    try run("PRAGMA journal_size_limit=\(bytes)")
  }

  /// After how many pages in the WAL a commit starts a checkpoint.
  package func setCheckpointInterval(pages: Int) throws(DatabaseError) {
    try run("PRAGMA wal_autocheckpoint=\(pages)")
  }

  /// Takes effect on a database without tables only.
  package func setPageSize(bytes: Int) throws(DatabaseError) {
    try run("PRAGMA page_size=\(bytes)")
  }

  /// The size that this connection lets the database grow to; a larger one keeps its size. A write
  /// beyond it is ``DatabaseError/Code/full``.
  package func setPageCountMax(_ pages: Int) throws(DatabaseError) {
    try run("PRAGMA max_page_count=\(pages)")
  }

  package func setSynchronous(_ mode: Synchronous) throws(DatabaseError) {
    try run("PRAGMA synchronous=\(mode.rawValue)")
  }

  package func setAutoVacuum(_ mode: AutoVacuum) throws(DatabaseError) {
    try run("PRAGMA auto_vacuum=\(mode.rawValue)")
  }

  /// The number that an application keeps in the file's header.
  package func userVersion() throws(DatabaseError) -> Int64 {
    try value("PRAGMA user_version")?.integer ?? 0
  }

  package func setUserVersion(_ version: Int32) throws(DatabaseError) {
    try run("PRAGMA user_version=\(version)")
  }

  /// What `PRAGMA integrity_check` finds wrong; empty when the database is sound.
  ///
  /// Damage that keeps the check itself from running is a finding too, not an error.
  ///
  /// - Complexity: O(*n* log *n*) for *n* rows; the whole file is read.
  package func integrityProblems() throws(DatabaseError) -> [String] {
    do {
      let texts = try rows("PRAGMA integrity_check").compactMap { $0.first?.text }
      return texts == ["ok"] ? [] : texts
    } catch {
      guard error.isDamage else { throw error }
      return [error.message]
    }
  }
}
