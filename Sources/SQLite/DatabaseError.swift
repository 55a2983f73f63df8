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
    package static let constraint = Code(rawValue: 19)
    package static let misuse = Code(rawValue: 21)
    package static let range = Code(rawValue: 25)
    package static let notADatabase = Code(rawValue: 26)
  }

  /// The extended code of a broken UNIQUE index.
  package static let uniqueConstraint: Int32 = 19 | 8 << 8
}

extension DatabaseError: CustomStringConvertible {
  package var description: String {
    let place = subject.isEmpty ? call : "\(call) of \(subject)"
    return "sqlite: \(place) failed: \(message) (code \(extendedCode))"
  }
}
