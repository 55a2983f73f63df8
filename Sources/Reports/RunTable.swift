package import Chaos
import Ports
package import Terminal

/// The cases of one scenario against the stores, as people see it.
package struct RunTable {
  private let runs: [ScenarioRun]

  /// - Parameter runs: Runs of one scenario on one phone, one for each store, in the order of the
  ///   columns.
  package init(_ runs: [ScenarioRun]) {
    self.runs = runs
  }

  private static let legend = [
    "* fails, as its file says", "- not reached, or not for this store", "! not expected",
  ]

  /// What the marks mean: on one line where that fits.
  package static func legend(width: Int) -> [String] {
    let line = legend.joined(separator: "   ")
    return line.count <= width ? [line] : legend
  }

  /// What the numbers behind verdicts mean, as far as there are any: one line.
  package static func numberLegend(of cases: [CaseRun]) -> [String] {
    let isOld = cases.contains { one in one.judgements.contains { $0.generationsBehind > 0 } }
    let isRepeated = cases.contains { one in
      zip(words(one), words(one).dropFirst()).contains(where: ==)
    }
    let parts = [
      isOld ? "-1 one generation older than the newest that was saved" : nil,
      isRepeated ? "x2 at two launches in a row" : nil,
    ].compactMap(\.self)
    return parts.isEmpty ? [] : [parts.joined(separator: "   ")]
  }

  private var stores: [String] { runs.map(\.store) }

  /// The names of all cases, in the order in which they first occur.
  private var cases: [(name: String, parts: [String])] {
    var names: [(name: String, parts: [String])] = []
    for one in runs.flatMap(\.cases) where !names.contains(where: { $0.name == one.name }) {
      names.append((one.name, one.parts))
    }
    return names
  }

  package var table: Table { table { _ in nil } }

  /// The same, with links.
  ///
  /// - Parameter place: Where on a page a run is told.
  /// - Returns: The table.
  func table(linkedTo place: (CaseRun) -> String?) -> Table {
    var table = Table(["case"] + stores)
    for row in rows(stores: stores, linkedTo: place) {
      table.add([Table.Cell(row.name)] + row.cells)
    }
    return table
  }

  /// One case against the stores.
  struct Row {
    let name: String
    /// Whether the scenario has no other case.
    let isOnly: Bool
    let cells: [Table.Cell]
    /// Whether a store failed in it, expected or not.
    let hasLoss: Bool
  }

  /// One row for each case.
  ///
  /// - Parameters:
  ///   - stores: The columns.
  ///   - isShort: Whether of several verdicts only the first is named, and clients that show the same
  ///     share a row.
  ///   - place: Where on a page a run is told.
  /// - Returns: The rows, in the order in which their cases first occur.
  func rows(
    stores: [String], isShort: Bool = false, linkedTo place: (CaseRun) -> String? = { _ in nil }
  ) -> [Row] {
    guard isShort else { return cases.map { row($0, stores, isShort: false, place) } }
    return Self.shared(cases.map { ($0.parts, row($0, stores, isShort: true, place)) })
  }

  /// What follows from the clients' own parts is left out where all of them show the same.
  private static func shared(_ all: [(parts: [String], row: Row)]) -> [Row] {
    let clients = ScenarioSettings.client.values
    var rows: [Row] = []
    for (parts, row) in all {
      let others = parts.filter { !clients.contains($0) }
      let kin = all.filter { $0.parts.filter { !clients.contains($0) } == others }
      guard kin.count > 1, kin.allSatisfy({ $0.row.cells == row.cells }) else {
        rows.append(row)
        continue
      }
      guard kin.first?.parts == parts else { continue }
      rows.append(
        Row(
          name: words("all", others), isOnly: others.isEmpty, cells: row.cells,
          hasLoss: row.hasLoss))
    }
    return rows
  }

  private func row(
    _ one: (name: String, parts: [String]), _ stores: [String], isShort: Bool,
    _ place: (CaseRun) -> String?
  ) -> Row {
    let hits = stores.map { store in
      runs.flatMap(\.cases).first { $0.name == one.name && $0.store == store }
    }
    return Row(
      name: Self.words(one.name, one.parts), isOnly: one.parts.isEmpty,
      cells: hits.map { hit in
        guard let hit else { return Table.Cell("-") }
        var cell = Self.cell(hit, isShort)
        cell.link = place(hit)
        return cell
      },
      hasLoss: hits.contains { hit in
        hit.map { $0.outcome != .asExpected || $0.verdicts.contains(where: \.isFailure) } ?? false
      })
  }

  /// A point always stands with its words.
  package static func words(_ name: String, _ parts: [String]) -> String {
    guard !parts.isEmpty else { return name }
    return parts.map { part in
      let word = part.split(separator: "#").first.map(String.init) ?? part
      return LogicalPoint(rawValue: word).map { "\(part) (\($0.words))" } ?? part
    }.joined(separator: ", ")
  }

  private static func cell(_ one: CaseRun, _ isShort: Bool) -> Table.Cell {
    let words = isShort ? shortVerdicts(one) : verdicts(one)
    switch one.outcome {
    case .asExpected:
      let isKnownBad = one.verdicts.contains(where: \.isFailure)
      let mark = isShort ? "*" : " *"
      return Table.Cell(isKnownBad ? words + mark : words, tone(one.verdicts))
    case .unexpected: return Table.Cell("! \(words)", unexpectedTone(one.verdicts))
    case .neverFired: return Table.Cell("! never fired", .fail)
    }
  }

  package static func verdicts(_ one: CaseRun) -> String {
    let words = folded(words(one))
    return words.isEmpty ? "quiet" : words.joined(separator: ", ")
  }

  private static func shortVerdicts(_ one: CaseRun) -> String {
    let words = words(one)
    guard let first = words.first, words.contains(where: { $0 != first }) else {
      return verdicts(one)
    }
    return "\(first) +\(words.count - 1)"
  }

  private static func words(_ one: CaseRun) -> [String] {
    one.judgements.map { judgement in
      judgement.generationsBehind > 0
        ? "\(judgement.verdict.rawValue) -\(judgement.generationsBehind)"
        : judgement.verdict.rawValue
    }
  }

  /// `keep x2` for two equal words in a row.
  private static func folded(_ words: [String]) -> [String] {
    var groups: [(word: String, count: Int)] = []
    for word in words {
      if groups.last?.word == word {
        groups[groups.count - 1].count += 1
      } else {
        groups.append((word, 1))
      }
    }
    return groups.map { $0.count == 1 ? $0.word : "\($0.word) x\($0.count)" }
  }

  /// Of what nobody expected: in its own class, and nothing at all is no good answer.
  static func unexpectedTone(_ verdicts: [Verdict]) -> Tone {
    verdicts.isEmpty ? .fail : tone(verdicts)
  }

  static func tone(_ verdicts: [Verdict]) -> Tone {
    if verdicts.contains(where: \.isFailure) { return .fail }
    let isWaiting = verdicts.contains { [.defer, .reject, .cleanOut].contains($0) }
    return isWaiting ? .wait : .good
  }
}
