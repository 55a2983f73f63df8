import Glibc
import JSON
import Linux
import SQLite
import Terminal

/// What a server remembers, as a document in an SQLite file.
final class StateFile {
  private static let version: Int32 = 1

  private let connection: Connection
  private let path: String
  private let kind: String
  private var saved: String?

  /// Opens the file, or makes it.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - kind: Whose document it is about.
  /// - Throws: ``StateFileError`` for a file that is none of these, `Failure` for one of another kind
  ///   of server; it is as before.
  init(_ path: String, kind: String) throws {
    self.path = path
    self.kind = kind
    do {
      connection = try Self.open(path)
      try refuseAnother()
    } catch let error as DatabaseError where error.code == .busy {
      throw StateFileError(path: path, reason: "another server has it open")
    } catch let error as DatabaseError {
      throw StateFileError(path: path, reason: "\(error)")
    }
  }

  private static func open(_ path: String) throws -> Connection {
    if !Files.exists(path) {
      // It holds the server's key: SQLite would let everybody read it.
      _ = try Descriptor.open(path, O_WRONLY | O_CREAT | O_EXCL, permissions: 0o600)
    } else if try !Files.status(path).isRegular {
      throw StateFileError(path: path, reason: "no regular file")
    }
    let connection = try Connection(path)
    switch try connection.userVersion() {
    case Int64(version): break
    case 0:
      guard try connection.value("SELECT count(*) FROM sqlite_schema") == 0 else {
        throw StateFileError(path: path, reason: "a database of something else")
      }
      try connection.setJournalMode(.delete)
      try connection.transaction(.immediate) { connection throws(DatabaseError) in
        try connection.run("CREATE TABLE state (kind TEXT PRIMARY KEY, document TEXT NOT NULL)")
        try connection.setUserVersion(version)
      }
    case let other:
      throw StateFileError(path: path, reason: "version \(other) is not known here")
    }
    try connection.setSynchronous(.full)
    // Kept until the end: each server holds all that it remembers, and writes it whole.
    _ = try connection.value("PRAGMA locking_mode = EXCLUSIVE")
    try connection.transaction(.immediate) { connection throws(DatabaseError) in
      try connection.setUserVersion(version)
    }
    return connection
  }

  /// Two servers in one file are two that somebody mixed up. (An earlier lab may have put both there.)
  private func refuseAnother() throws {
    let sql =
      "SELECT min(kind) FROM state WHERE NOT EXISTS (SELECT 1 FROM state WHERE kind = ?)"
    guard let other = try connection.value(sql, .text(kind))?.text else { return }
    throw Failure.couldNotRun(
      "\(path): it holds what a \(other) server remembers, not a \(kind) one",
      do: "lab serve --kind \(other) --state \(path), or name another file")
  }

  /// What was saved last; `nil` when nothing was.
  ///
  /// - Parameter read: Makes it of its document.
  /// - Returns: What `read` made.
  /// - Throws: ``StateFileError`` when the document cannot be read.
  func load<Value>(_ read: (JSONNode) throws(JSONError) -> Value) throws -> Value? {
    do {
      saved = try connection.value("SELECT document FROM state WHERE kind = ?", .text(kind))?.text
      return try saved.map { try read(JSONReader.read($0)) }
    } catch {
      throw StateFileError(path: path, reason: "\(error)")
    }
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

/// Why a file cannot be used.
struct StateFileError: Error, Equatable, CustomStringConvertible {
  var path: String
  var reason: String

  var description: String { "\(path): \(reason)" }
}
