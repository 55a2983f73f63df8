/// A failed SQLite call: which call, on which statement or file, and SQLite's own codes.
///
/// Bound values never appear: the subject is the text of a statement with its placeholders, the
/// name of a file, or empty.
package struct DatabaseError: Error, Equatable, Sendable {
  /// The part of SQLite that failed: `open`, `prepare`, `bind`, `step`.
  package var call: String
  package var subject: String
  /// SQLite's extended result code.
  package var extendedCode: Int32
  /// SQLite's text for the failure. It may name tables and columns.
  package var message: String

  package init(call: String, subject: String, extendedCode: Int32, message: String) {
    self.call = call
    self.subject = subject
    self.extendedCode = extendedCode
    self.message = message
  }

  /// The primary result code.
  package var code: Code { Code(rawValue: extendedCode & 0xff) }

  /// A primary result code of SQLite.
  package struct Code: RawRepresentable, Equatable, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) {
      self.rawValue = rawValue
    }

    package static let error = Code(rawValue: 1)
    package static let busy = Code(rawValue: 5)
    package static let locked = Code(rawValue: 6)
    package static let readOnly = Code(rawValue: 8)
    package static let inputOutput = Code(rawValue: 10)
    package static let corrupt = Code(rawValue: 11)
    package static let full = Code(rawValue: 13)
    package static let cannotOpen = Code(rawValue: 14)
    /// Also a row that does not fit where its reader wants it.
    package static let tooBig = Code(rawValue: 18)
    package static let constraint = Code(rawValue: 19)
    package static let misuse = Code(rawValue: 21)
    package static let range = Code(rawValue: 25)
    package static let notADatabase = Code(rawValue: 26)
  }

  /// The extended code of a broken UNIQUE index.
  package static let uniqueConstraint: Int32 = 19 | 8 << 8
}

extension DatabaseError {
  /// Whether the file is damaged, or no database at all.
  package var isDamage: Bool { code == .corrupt || code == .notADatabase }

  /// The name of the code in SQLite's header, such as `SQLITE_IOERR_WRITE`; of an extended code
  /// without a name here that of its primary one.
  package var codeName: String {
    if code == .inputOutput, let detail = Self.inputOutputNames[extendedCode >> 8] {
      return "SQLITE_IOERR_\(detail)"
    }
    return Self.primaryNames[code.rawValue].map { "SQLITE_\($0)" } ?? "SQLITE_UNKNOWN"
  }

  private static let primaryNames: [Int32: String] = [
    1: "ERROR", 2: "INTERNAL", 3: "PERM", 4: "ABORT", 5: "BUSY", 6: "LOCKED", 7: "NOMEM",
    8: "READONLY", 9: "INTERRUPT", 10: "IOERR", 11: "CORRUPT", 12: "NOTFOUND", 13: "FULL",
    14: "CANTOPEN", 15: "PROTOCOL", 17: "SCHEMA", 18: "TOOBIG", 19: "CONSTRAINT", 20: "MISMATCH",
    21: "MISUSE", 22: "NOLFS", 23: "AUTH", 25: "RANGE", 26: "NOTADB",
  ]

  private static let inputOutputNames: [Int32: String] = [
    1: "READ", 2: "SHORT_READ", 3: "WRITE", 4: "FSYNC", 5: "DIR_FSYNC", 6: "TRUNCATE", 7: "FSTAT",
    8: "UNLOCK", 9: "RDLOCK", 10: "DELETE", 12: "NOMEM", 13: "ACCESS", 14: "CHECKRESERVEDLOCK",
    15: "LOCK", 16: "CLOSE", 18: "SHMOPEN", 19: "SHMSIZE", 20: "SHMLOCK", 21: "SHMMAP",
    22: "SEEK", 23: "DELETE_NOENT", 24: "MMAP", 33: "CORRUPTFS",
  ]
}

extension DatabaseError: CustomStringConvertible {
  package var description: String {
    let place = subject.isEmpty ? call : "\(call) of \(subject)"
    return "sqlite: \(place) failed: \(message) (code \(extendedCode))"
  }
}
