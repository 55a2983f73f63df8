extension Connection {
  /// Which lock a transaction takes when it begins.
  package enum TransactionKind: String, Sendable {
    case deferred = "DEFERRED"
    case immediate = "IMMEDIATE"
    case exclusive = "EXCLUSIVE"
  }

  /// Runs `body` inside one transaction, and commits it.
  ///
  /// - Throws: What `body` or the commit threw. The transaction is rolled back then, and the
  ///   database is as before.
  @discardableResult
  package func transaction<Result>(
    _ kind: TransactionKind, _ body: (borrowing Connection) throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    try run("BEGIN \(kind.rawValue)")
    do {
      let result = try body(self)
      try run("COMMIT")
      return result
    } catch {
      rollBack()
      throw error
    }
  }

  /// SQLite rolls back by itself after some errors; then there is nothing left to do.
  private func rollBack() {
    guard !isAutocommitting else { return }
    do {
      try run("ROLLBACK")
    } catch {
      // The caller gets the first failure; closing the connection rolls back in any case.
      assert(!isAutocommitting, "a failed rollback leaves the transaction open")
    }
  }
}
