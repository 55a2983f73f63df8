package import Chaos
package import JSON
import Phone
package import Terminal

/// Stores against faults: tables for people, and `lab.compare/1` for programs.
package struct CompareReport {
  package static let schema = "lab.compare/1"

  let plan: Comparison.Plan
  private let tallies: [Comparison.Unit: StateTally]
  private let wasInterrupted: Bool

  /// - Parameters:
  ///   - plan: What was compared.
  ///   - tallies: What was counted, by the numbers of the units.
  ///   - wasInterrupted: Whether some are missing because somebody wanted to stop.
  package init(
    _ plan: Comparison.Plan, _ tallies: [Int: StateTally], wasInterrupted: Bool = false
  ) {
    self.plan = plan
    self.wasInterrupted = wasInterrupted
    self.tallies = plan.units.enumerated().reduce(into: [:]) { $0[$1.element] = tallies[$1.offset] }
  }

  package var exitCode: ExitCode { wasInterrupted ? .interrupted : .asExpected }

  // MARK: - Sums

  func tally(_ phone: PhoneKind, _ store: String, _ fault: FaultKind) -> StateTally? {
    tallies[Comparison.Unit(phone: phone, store: store, fault: fault)]
  }

  func total(_ phone: PhoneKind, _ store: String) -> StateTally {
    plan.faults.reduce(into: StateTally()) { sum, fault in
      if let one = tally(phone, store, fault) { sum += one }
    }
  }

  private var totals: [StateTally] {
    plan.phones.flatMap { phone in plan.stores.map { total(phone, $0) } }
  }

  /// The verdicts that occur.
  var verdicts: [Verdict] {
    Verdict.allCases.filter { verdict in totals.contains { $0[verdict] > 0 } }
  }

  /// In how many of its states each store failed, the largest share first.
  private var failures: [(store: String, count: Int, states: Int)] {
    plan.stores.map { store in
      let all = plan.phones.map { total($0, store) }
      return (
        store, all.reduce(0) { $0 + $1.failureCount }, all.reduce(0) { $0 + $1.stateCount }
      )
    }.filter { $0.2 > 0 }.sorted { $0.1 * $1.2 > $1.1 * $0.2 }
  }

  /// What it all comes to.
  var conclusion: String {
    if wasInterrupted, stateCount == 0 { return "INTERRUPTED: no state was counted." }
    let begin = wasInterrupted ? "INTERRUPTED: what was counted so far.  " : ""
    guard failures.contains(where: { $0.count > 0 }) else {
      return begin + "No store failed in any state."
    }
    let shares = failures.map { "\($0.store) in \($0.count) of \($0.states)" }
    return begin + "failed states: \(shares.joined(separator: ", "))"
  }

  /// What was looked at, in short pieces.
  var facts: [String] {
    [
      plan.stores.joined(separator: " "), plan.phones.map(\.rawValue).joined(separator: " and "),
      Counted.words(plan.faults.count, "fault"), "depth \(plan.depth)", "simulated tier",
    ]
  }

  var headline: String {
    "\(Counted.words(stateCount, "state")): \(Counted.words(plan.stores.count, "store")) x "
      + "\(Counted.words(plan.faults.count, "fault")) on \(plan.phones.map(\.rawValue).joined(separator: " and ")), "
      + "depth \(plan.depth), seed \(plan.seed)"
  }

  private var stateCount: Int { totals.reduce(0) { $0 + $1.stateCount } }

  /// Why faults cannot happen, each reason once for a phone.
  var impossible: [String] {
    plan.phones.flatMap { phone in
      plan.faults.compactMap { fault in
        let reason = plan.stores.lazy.compactMap { tally(phone, $0, fault)?.impossible }.first
        return reason.map { "\(fault.rawValue), not on \(phone.rawValue): \($0)" }
      }
    }
  }

  /// Where not all survivors of a power cut were looked at.
  var bounds: [String] {
    let drawn = totals.reduce(0) { $0 + $1.sampledMomentCount }
    guard drawn > 0 else { return [] }
    return [
      "power-cut: at \(Counted.words(drawn, "moment")) there were more than \(plan.cutCountMax) choices of survivors; "
        + "as many were drawn"
    ]
  }

  /// What the numbers rest on.
  var proof: [(name: String, value: String)] {
    let drawn = totals.reduce(0) { $0 + $1.sampledMomentCount }
    return [
      (
        "coverage",
        wasInterrupted
          ? "interrupted: what was counted so far"
          : drawn == 0
            ? "exhaustive: nothing was left out"
            : "not exhaustive: at \(Counted.words(drawn, "moment")) drawn"
      ),
      ("bound", "\(plan.cutCountMax) choices of survivors at one moment"),
      ("power cuts in a row", "\(plan.depth)"), ("tier", "simulated"), ("seed", "\(plan.seed)"),
    ]
  }

  // MARK: - For people

  /// All lines.
  package func lines(for console: Console) -> [String] {
    var lines = ["\(headline)   workload: sign-in, refresh, refresh"]
    for phone in plan.phones {
      lines += verdictTable(on: phone).lines(for: console)
      lines += faultTable(on: phone).lines(for: console)
    }
    lines += TextLayout.wrap(
      "A cell of a fault: \(Self.cellWords); 0/n: looked at n, none failed; -: cannot happen, or makes "
        + "no state there.",
      width: console.columnCount - 2
    ).map { "  \($0)" }
    for note in bounds + impossible {
      lines += TextLayout.paragraph(note, width: console.columnCount, indent: 2)
    }
    return lines + TextLayout.wrap(conclusion, width: console.columnCount) + next
  }

  /// What a cell of a fault says.
  static let cellWords =
    "the failure that most of its states show, or without one what most show, and in how many of them "
    + "the store failed"

  private var next: [String] {
    guard !wasInterrupted else { return [] }
    return [
      exploration.map { "next: \($0)   (where, with a replay of each cause)" }
        ?? "next: ./lab chaos"
    ]
  }

  /// The command that shows where the store with the most failures has most of them.
  var exploration: String? {
    guard let store = failures.first, store.count > 0 else { return nil }
    let phone = plan.phones.max { one, other in
      total(one, store.store).failureCount < total(other, store.store).failureCount
    }
    let place = phone.map { " --phone \($0.rawValue)" } ?? ""
    return "./lab explore --store \(store.store)\(place)"
  }

  func verdictTable(on phone: PhoneKind) -> Table {
    var table = Table(
      [Table.Column("on \(phone.rawValue)")]
        + plan.stores.map { Table.Column($0, isRightAligned: true) })
    let totals = plan.stores.map { total(phone, $0) }
    table.add([Table.Cell("states")] + totals.map { Table.Cell(String($0.stateCount)) })
    for verdict in verdicts {
      table.add(
        [Table.Cell(verdict.rawValue, Tone(verdict))]
          + totals.map {
            $0[verdict] == 0 ? Table.Cell(".") : Table.Cell(String($0[verdict]), Tone(verdict))
          })
    }
    let quiet = totals.map(\.quietCount)
    if quiet.contains(where: { $0 > 0 }) {
      table.add([Table.Cell("no session yet")] + quiet.map { Table.Cell(String($0)) })
    }
    return table
  }

  private func faultTable(on phone: PhoneKind) -> Table {
    var table = Table(["on \(phone.rawValue)"] + plan.stores)
    for fault in plan.faults {
      table.add(
        [Table.Cell(fault.rawValue)] + plan.stores.map { cell(tally(phone, $0, fault)) })
    }
    return table
  }

  private func cell(_ tally: StateTally?) -> Table.Cell {
    guard let tally else { return Table.Cell("not run") }
    guard tally.stateCount > 0 else { return Table.Cell("-") }
    return Table.Cell(Self.words(tally), tally.worst.map(Tone.init))
  }

  /// `falseSignOut 29/118`.
  static func words(_ tally: StateTally) -> String {
    "\(tally.worst?.rawValue ?? "quiet") \(tally.failureCount)/\(tally.stateCount)"
  }

  // MARK: - For programs

  /// `lab.compare/1`. Two runs of one plan give the same text.
  package var json: JSONValue {
    [
      "schema": .text(Self.schema), "seed": .number(plan.seed), "depth": .integer(plan.depth),
      "bound": .integer(plan.cutCountMax), "interrupted": .bool(wasInterrupted),
      "phones": .list(plan.phones.map { .text($0.rawValue) }),
      "stores": .list(plan.stores.map(JSONValue.text)),
      "faults": .list(plan.faults.map { .text($0.rawValue) }),
      "totals": .list(
        plan.phones.flatMap { phone in
          plan.stores.map { store in
            .object(Self.fields(total(phone, store), phone: phone, store: store))
          }
        }),
      "rows": .list(plan.units.compactMap(row)),
    ]
  }

  private func row(_ unit: Comparison.Unit) -> JSONValue? {
    guard let tally = tallies[unit] else { return nil }
    var fields = Self.fields(tally, phone: unit.phone, store: unit.store)
    fields["fault"] = .text(unit.fault.rawValue)
    fields["worst"] = tally.worst.map { .text($0.rawValue) }
    fields["impossible"] = tally.impossible.map(JSONValue.text)
    fields["exhaustive"] = .bool(tally.sampledMomentCount == 0 && !tally.isPartial)
    return .object(fields)
  }

  private static func fields(
    _ tally: StateTally, phone: PhoneKind, store: String
  ) -> JSONObject {
    JSONObject([
      .init(key: "phone", value: .text(phone.rawValue)), .init(key: "store", value: .text(store)),
      .init(key: "states", value: .integer(tally.stateCount)),
      .init(key: "failures", value: .integer(tally.failureCount)),
      .init(key: "outcomes", value: tally.outcomes),
    ])
  }
}

extension Tone {
  init(_ verdict: Verdict) {
    self =
      switch verdict {
      case .keep, .recover: .good
      case .defer, .cleanOut, .reject: .wait
      case .falseSignOut, .resurrection, .garbageAccepted, .dataDeleted, .secretLeft,
        .plaintextLeaked, .keyReused, .limitExceeded, .hang, .crashLoop, .requestStorm,
        .neverConverged, .guardBroken:
        .fail
      }
  }
}
