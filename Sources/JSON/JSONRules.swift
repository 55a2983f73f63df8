/// Which texts a reader accepts.
package struct JSONRules: Equatable, Sendable {
  package enum Dialect: Equatable, Sendable {
    /// RFC 8259, and nothing beyond it: no byte order mark, no comments, no trailing comma.
    case json
    /// JSON5 1.0: what ECMAScript 5.1 allows in an object literal made of constants.
    case json5
  }

  package enum DuplicateKeys: Equatable, Sendable {
    case refused
    /// The last member wins and takes the place of the first, as in JavaScript's `JSON.parse`.
    case lastWins
  }

  package var dialect: Dialect
  package var duplicateKeys: DuplicateKeys
  /// How many lists and objects may lie inside one another.
  package var depthMax: Int

  package init(
    _ dialect: Dialect, duplicateKeys: DuplicateKeys = .refused, depthMax: Int = 128
  ) {
    self.dialect = dialect
    self.duplicateKeys = duplicateKeys
    self.depthMax = depthMax
  }

  /// Messages and recordings.
  package static let json = JSONRules(.json)
  /// Scenario files.
  package static let json5 = JSONRules(.json5)
}
