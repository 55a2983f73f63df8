/// Statements that a connection keeps compiled, by their text.
final class KeptStatements {
  var statements: [String: Kept] = [:]

  final class Kept {
    private var statement: Statement

    init(_ statement: consuming Statement) {
      self.statement = statement
    }

    /// Runs it from its start to its end.
    func rows(_ values: [DatabaseValue]) throws(DatabaseError) -> [[DatabaseValue]] {
      try statement.bind(values)
      var rows: [[DatabaseValue]] = []
      while try statement.step() { rows.append(statement.row) }
      return rows
    }
  }
}
