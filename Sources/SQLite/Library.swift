import CSQLite

/// SQLite's settings for the whole process.
enum Library {
  /// Made before anything else of SQLite is used.
  ///
  /// Nobody asks how much memory it has, so that it need not count. No process of a phone is root's, and
  /// none gives a file to another owner; with this the lab's do not either, whoever runs them.
  static let isReady: Void = {
    // Where another user of SQLite in this process has come first, it goes on counting.
    _ = csqlite_count_no_memory()
    let result = csqlite_leave_owners()
    precondition(result == SQLITE_OK, "SQLite's VFS for Unix has a call to change owners")
  }()
}
