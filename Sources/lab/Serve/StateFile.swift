import JSON
import SQLite

/// What servers remember, in one SQLite file: a document for each kind of server.
final class StateFile {
  private static let version: Int32 = 1

  private let connection: Connection
  private let kind: String
  private var saved: String?

  /// Opens the file, or makes it.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - kind: Whose document it is about.
  /// - Throws: ``StateFileError`` or `DatabaseError` for a file that is none of these; it is as before.
  init(_ path: String, kind: String) throws {
    self.kind = kind
    connection = try Connection(path)
    switch try connection.userVersion() {
    case Int64(Self.version): break
    case 0:
      guard try connection.value("SELECT count(*) FROM sqlite_schema") == 0 else {
        throw StateFileError.foreign(path: path)
      }
      try connection.run("CREATE TABLE state (kind TEXT PRIMARY KEY, document TEXT NOT NULL)")
      try connection.setUserVersion(Self.version)
    case let version: throw StateFileError.unknownVersion(path: path, version: version)
    }
    try connection.setJournalMode(.delete)
    try connection.setSynchronous(.full)
  }

  /// The document as it was saved last; `nil` when there is none yet.
  func load() throws -> JSONNode? {
    let text = try connection.value("SELECT document FROM state WHERE kind = ?", .text(kind))?.text
    saved = text
    return try text.map { try JSONReader.read($0) }
  }

  /// Keeps a document, if it is not the one that was saved last. Durable when this returns.
  func save(_ document: JSONValue) throws(DatabaseError) {
    let text = JSONWriter.text(of: document)
    guard text != saved else { return }
    try connection.run(
      "INSERT OR REPLACE INTO state (kind, document) VALUES (?, ?)", .text(kind), .text(text))
    saved = text
  }
}

/// A file that is not one of ours.
enum StateFileError: Error, Equatable, CustomStringConvertible {
  case foreign(path: String)
  case unknownVersion(path: String, version: Int64)

  var description: String {
    switch self {
    case .foreign(let path): "\(path): a database of something else"
    case .unknownVersion(let path, let version): "\(path): version \(version) is not known here"
    }
  }
}
