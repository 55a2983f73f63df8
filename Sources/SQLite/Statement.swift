import CSQLite

/// One compiled statement. Finalized once, when the value goes away.
@safe package struct Statement: ~Copyable {
  private let handle: OpaquePointer
  private let draws: SeededDraws?

  /// The text, with placeholders.
  package let sql: String

  /// Takes over a handle that `sqlite3_prepare_v2` gave.
  @unsafe init(handle: OpaquePointer, sql: String, _ draws: SeededDraws?) {
    unsafe self.handle = handle
    self.sql = sql
    self.draws = draws
  }

  deinit {
    _ = unsafe sqlite3_finalize(handle)
  }

  /// Binds all parameters, from the first.
  ///
  /// - Throws: ``DatabaseError`` with code ``DatabaseError/Code/range`` when the numbers differ.
  package mutating func bind(_ values: [DatabaseValue]) throws(DatabaseError) {
    let wanted = unsafe sqlite3_bind_parameter_count(handle)
    guard wanted == values.count else {
      throw DatabaseError(
        call: "bind", subject: sql, extendedCode: SQLITE_RANGE,
        message: "\(wanted) parameters, \(values.count) values")
    }
    for (index, value) in values.enumerated() {
      let result = bind(value, at: Int32(index + 1))
      guard result == SQLITE_OK else { throw error("bind", result) }
    }
  }

  /// Goes to the next row.
  ///
  /// - Returns: Whether there is one; when not, the statement is reset and can be run again.
  package mutating func step() throws(DatabaseError) -> Bool {
    switch advance() {
    case SQLITE_ROW:
      return true
    case SQLITE_DONE:
      _ = unsafe sqlite3_reset(handle)
      return false
    case let result:
      let failure = error("step", result)
      _ = unsafe sqlite3_reset(handle)
      throw failure
    }
  }

  private func advance() -> Int32 {
    guard let draws else { return unsafe sqlite3_step(handle) }
    // SQLite calls COMMIT read-only, too: it gives no rows, and writes the frames of a WAL.
    let reads = unsafe sqlite3_stmt_readonly(handle) != 0 && sqlite3_column_count(handle) > 0
    return draws.step(mayDraw: !reads) { unsafe sqlite3_step(handle) }
  }

  /// Makes the statement ready to run again; bindings stay.
  package mutating func reset() {
    _ = unsafe sqlite3_reset(handle)
  }

  /// The values of the current row.
  package var row: [DatabaseValue] {
    let count = unsafe sqlite3_column_count(handle)
    return (0..<count).map { value(ofColumn: $0) }
  }

  private func value(ofColumn column: Int32) -> DatabaseValue {
    switch unsafe sqlite3_column_type(handle, column) {
    case SQLITE_INTEGER:
      return .integer(unsafe sqlite3_column_int64(handle, column))
    case SQLITE_FLOAT:
      return .real(unsafe sqlite3_column_double(handle, column))
    case SQLITE_TEXT:
      let text = unsafe sqlite3_column_text(handle, column)
      let count = Int(unsafe sqlite3_column_bytes(handle, column))
      let bytes = unsafe UnsafeBufferPointer(start: text, count: count)
      return .text(unsafe String(decoding: bytes, as: UTF8.self))
    case SQLITE_BLOB:
      let start = unsafe sqlite3_column_blob(handle, column)
      let count = Int(unsafe sqlite3_column_bytes(handle, column))
      return .blob(unsafe Array(UnsafeRawBufferPointer(start: start, count: count)))
    default:
      return .null
    }
  }

  private mutating func bind(_ value: DatabaseValue, at index: Int32) -> Int32 {
    switch value {
    case .null:
      return unsafe sqlite3_bind_null(handle, index)
    case .integer(let number):
      return unsafe sqlite3_bind_int64(handle, index, number)
    case .real(let number):
      return unsafe sqlite3_bind_double(handle, index, number)
    case .text(var text):
      return text.withUTF8 { bytes in
        guard let start = bytes.baseAddress else {
          return unsafe sqlite3_bind_text(handle, index, "", 0, csqlite_copy())
        }
        return unsafe start.withMemoryRebound(to: CChar.self, capacity: bytes.count) { characters in
          unsafe sqlite3_bind_text(
            handle, index, characters, Int32(clamping: bytes.count), csqlite_copy())
        }
      }
    case .blob(let bytes):
      guard !bytes.isEmpty else { return unsafe sqlite3_bind_zeroblob(handle, index, 0) }
      return unsafe bytes.withUnsafeBytes { raw in
        unsafe sqlite3_bind_blob64(
          handle, index, raw.baseAddress, UInt64(raw.count), csqlite_copy())
      }
    }
  }

  private func error(_ call: String, _ result: Int32) -> DatabaseError {
    let text = unsafe sqlite3_errmsg(sqlite3_db_handle(handle))
    let message = if let text = unsafe text { unsafe String(cString: text) } else { "" }
    return DatabaseError(call: call, subject: sql, extendedCode: result, message: message)
  }
}
