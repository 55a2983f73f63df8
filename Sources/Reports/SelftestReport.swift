package import Chaos
package import JSON
package import Terminal

/// The matrix of a self-test: for people, and `lab.selftest/1` for programs.
package struct SelftestReport {
  package static let schema = "lab.selftest/1"

  private let outcome: Selftest.Outcome
  private let hasMounted: Bool

  /// - Parameters:
  ///   - outcome: What was seen.
  ///   - hasMounted: Whether there was a mounted phone.
  package init(_ outcome: Selftest.Outcome, hasMounted: Bool) {
    self.outcome = outcome
    self.hasMounted = hasMounted
  }

  package var exitCode: ExitCode {
    if outcome.wasInterrupted { return .interrupted }
    return outcome.isRight ? .asExpected : .finding
  }

  // MARK: - For people

  /// A row for each twin: how many crashes and cases it took each engine, and how long.
  ///
  /// - Parameter console: Where it is shown.
  /// - Returns: The lines for stdout.
  package func lines(for console: Console) -> [String] {
    var table = Table(["twin", "shows"] + Selftest.Engine.allCases.map(\.rawValue) + ["witness"])
    for row in outcome.rows {
      table.add(
        [Table.Cell(row.name), Table.Cell(Self.words(row.expected))]
          + Selftest.Engine.allCases.map { cell(row, $0) }
          + [Table.Cell(row.witnessSize.map { "\($0)" } ?? "-")])
    }
    return table.lines(for: console) + [conclusion] + witnesses + misses
  }

  private static func words(_ expected: Selftest.Expected) -> String {
    switch expected {
    case .failure(let failure): failure.rawValue
    case .anyFailure: "any failure"
    case .clean: "nothing"
    }
  }

  private func cell(_ row: Selftest.Row, _ engine: Selftest.Engine) -> Table.Cell {
    guard let look = row.looks.first(where: { $0.engine == engine }) else {
      return Table.Cell(engine == .mounted && !hasMounted ? "not run" : "-")
    }
    let cost = "\(look.caseCount) in \(Self.time(look.milliseconds))"
    if row.wrong.contains(look) {
      return Table.Cell("\(look.hasFound ? "FOUND" : "MISSED") \(cost)", .fail)
    }
    return Table.Cell(cost, .good)
  }

  private static func time(_ milliseconds: Int) -> String {
    if milliseconds < 1000 { return "\(milliseconds)ms" }
    return "\(milliseconds / 1000).\(milliseconds % 1000 / 100)s"
  }

  private var conclusion: String {
    if outcome.wasInterrupted { return "INTERRUPTED. What was looked at so far is above." }
    let twins = outcome.rows.filter { $0.expected != .clean }
    let caught = twins.count(where: \.wrong.isEmpty)
    let controls = outcome.rows.filter { $0.expected == .clean }
    let clean = controls.count(where: \.wrong.isEmpty)
    let good = controls.isEmpty ? "" : ", \(clean) of \(controls.count) good stores clean"
    return "\(caught) of \(twins.count) broken things caught by every engine that ran" + good
  }

  private var witnesses: [String] {
    outcome.witnessSizeMedian.map {
      ["witness: the decisions of the smallest replay that shows it; the median is \($0)"]
    } ?? []
  }

  private var misses: [String] {
    outcome.rows.flatMap { row in
      row.wrong.map { look in
        look.hasFound
          ? "FOUND  \(row.name) by \(look.engine.rawValue): \(Self.words(look.found)) in \(look.place)"
          : "MISSED \(row.name) by \(look.engine.rawValue): \(Self.words(row.expected)) in none of "
            + Counted.words(look.caseCount, "case")
      }
    }
  }

  private static func words(_ found: Set<Verdict>) -> String {
    Verdict.allCases.filter(found.contains).map(\.rawValue).joined(separator: ", ")
  }

  // MARK: - For programs

  /// The document; it holds no time, so that two runs can be compared.
  package var json: JSONValue {
    [
      "schema": .text(Self.schema), "seed": .number(outcome.plan.seed),
      "interrupted": .bool(outcome.wasInterrupted),
      "witnessMedian": outcome.witnessSizeMedian.map { .integer($0) } ?? .null,
      "twins": .list(outcome.rows.filter { $0.expected != .clean }.map(json)),
      "controls": .list(outcome.rows.filter { $0.expected == .clean }.map(json)),
    ]
  }

  /// `engines` says what each found, `null` for one that did not run; `decisions` how many crashes
  /// and cases it took each.
  private func json(_ row: Selftest.Row) -> JSONValue {
    var engines: [JSONObject.Member] = []
    var decisions: [JSONObject.Member] = []
    for engine in Selftest.Engine.allCases {
      let look = row.looks.first { $0.engine == engine }
      let found = look.map { look -> JSONValue in
        .list(Verdict.allCases.filter(look.found.contains).map { .text($0.rawValue) })
      }
      engines.append(.init(key: engine.rawValue, value: found ?? .null))
      guard let look else { continue }
      decisions.append(.init(key: engine.rawValue, value: .integer(look.caseCount)))
    }
    return [
      "name": .text(row.name), "shows": .text(Self.words(row.expected)),
      "asExpected": .bool(row.wrong.isEmpty),
      "witness": row.witnessSize.map { .integer($0) } ?? .null,
      "engines": .object(JSONObject(engines)), "decisions": .object(JSONObject(decisions)),
    ]
  }
}
