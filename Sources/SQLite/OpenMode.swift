import CSQLite

/// How a database file is opened.
package struct OpenMode: OptionSet, Sendable {
  package let rawValue: Int32

  package init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  package static let readOnly = OpenMode(rawValue: SQLITE_OPEN_READONLY)
  package static let readWrite = OpenMode(rawValue: SQLITE_OPEN_READWRITE)
  /// Together with ``readWrite``: make the file when it is missing.
  package static let create = OpenMode(rawValue: SQLITE_OPEN_CREATE)
}
