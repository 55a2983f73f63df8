import CSQLite

/// One open database. Closed once, when the value goes away.
///
/// Every pragma that decides about durability is set by its user: SQLite's defaults differ between
/// Debian and the phones (WAL means FULL here, and NORMAL there).
@safe package struct Connection: ~Copyable {
  private let handle: OpaquePointer
  private let draws: SeededDraws?
  private let kept = KeptStatements()

  /// The path as given, for errors.
  package let path: String

  /// Opens a database file. Nothing is read from it yet: a damaged file is found by the first use.
  ///
  /// - Parameters:
  ///   - path: The file, in the terms of the VFS.
  ///   - vfs: The name of a registered VFS, or `nil` for SQLite's default.
  ///   - mode: Read and write, and create the file, unless said otherwise.
  ///   - seed: Where the random numbers that this connection writes come from; `nil` is the system.
  /// - Throws: ``DatabaseError`` with call `open`; no handle is left open.
  package init(
    _ path: String, vfs: String? = nil, mode: OpenMode = [.readWrite, .create],
    seed: UInt64? = nil
  ) throws(DatabaseError) {
    Library.isReady
    self.path = path
    draws = seed.map(SeededDraws.init)
    var opened: OpaquePointer?
    let flags = mode.rawValue | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOMUTEX
    let result = unsafe sqlite3_open_v2(path, &opened, flags, vfs)
    guard result == SQLITE_OK, let handle = unsafe opened else {
      let message = unsafe Self.message(of: opened, for: result)
      _ = unsafe sqlite3_close_v2(opened)
      throw DatabaseError(call: "open", subject: path, extendedCode: result, message: message)
    }
    unsafe self.handle = handle
  }

  deinit {
    kept.statements = [:]
    // Statements that outlive the connection keep it as a zombie until they go.
    _ = unsafe sqlite3_close_v2(handle)
  }

  /// Compiles one statement.
  ///
  /// - Throws: ``DatabaseError`` with call `prepare` when the text is empty or not valid.
  package func prepare(_ sql: String) throws(DatabaseError) -> Statement {
    var compiled: OpaquePointer?
    let result = unsafe sqlite3_prepare_v2(handle, sql, -1, &compiled, nil)
    guard result == SQLITE_OK else {
      throw error("prepare", sql, result)
    }
    guard let statement = unsafe compiled else {
      throw DatabaseError(
        call: "prepare", subject: sql, extendedCode: SQLITE_MISUSE, message: "no statement")
    }
    return unsafe Statement(handle: statement, sql: sql, draws)
  }

  /// Runs a statement to its end and throws its rows away.
  ///
  /// - Returns: How many rows the last INSERT, UPDATE or DELETE of this connection changed.
  @discardableResult
  package func run(_ sql: String, _ values: DatabaseValue...) throws(DatabaseError) -> Int {
    _ = try rows(sql, values)
    return Int(unsafe sqlite3_changes(handle))
  }

  /// The rows that a statement gives.
  package func rows(
    _ sql: String, _ values: [DatabaseValue] = []
  ) throws(DatabaseError) -> [[DatabaseValue]] {
    var statement = try prepare(sql)
    try statement.bind(values)
    var rows: [[DatabaseValue]] = []
    while try statement.step() {
      rows.append(statement.row)
    }
    return rows
  }

  /// The rows that a query gives, by a statement that is kept for the next time.
  ///
  /// For queries only: some pragmas act when they are compiled.
  package func rows(
    of query: String, _ values: [DatabaseValue]
  ) throws(DatabaseError) -> [[DatabaseValue]] {
    let compiled: KeptStatements.Kept
    if let known = kept.statements[query] {
      compiled = known
    } else {
      compiled = KeptStatements.Kept(try prepare(query))
      kept.statements[query] = compiled
    }
    return try compiled.rows(values)
  }

  /// The first value of the first row, or `nil` when there is no row.
  package func value(
    _ sql: String, _ values: DatabaseValue...
  ) throws(DatabaseError) -> DatabaseValue? {
    try rows(sql, values).first?.first
  }

  /// How long a call waits for another connection's lock before it is ``DatabaseError/Code/busy``.
  package func waitForLocks(milliseconds: Int32) {
    _ = unsafe sqlite3_busy_timeout(handle, milliseconds)
  }

  /// Makes closing leave a WAL as the end of a process leaves it: no checkpoint, no file removed.
  package func keepWALOnClose() {
    let result = unsafe csqlite_keep_wal(handle)
    precondition(result == SQLITE_OK, "an open connection takes the setting")
  }

  /// Whether no transaction is open.
  package var isAutocommitting: Bool { unsafe sqlite3_get_autocommit(handle) != 0 }

  private func error(_ call: String, _ subject: String, _ result: Int32) -> DatabaseError {
    let message = unsafe Self.message(of: handle, for: result)
    return DatabaseError(call: call, subject: subject, extendedCode: result, message: message)
  }

  private static func message(of handle: OpaquePointer?, for result: Int32) -> String {
    let text =
      unsafe handle == nil ? unsafe sqlite3_errstr(result) : unsafe sqlite3_errmsg(handle)
    guard let text = unsafe text else { return "code \(result)" }
    return unsafe String(cString: text)
  }
}
