import Chaos
import JSON
import Phone
import Terminal

/// Every run as a row: what it showed, and whether its file says so.
struct VerdictRows {
  /// What a row can be, in the words of the fragment that filters for it.
  enum Kind: String, CaseIterable {
    case expected, known, unexpected, neverFired
  }

  /// Runs that one row stands for.
  private struct Row {
    let run: CaseRun
    let kind: Kind
    var cases: [String]
    var tiers: [Tier]
    var phones: [PhoneKind]
    var stores: [String]
    /// How many runs.
    var count: Int

    init(_ run: CaseRun) {
      self.run = run
      kind =
        switch run.outcome {
        case .asExpected: run.failure == nil ? .expected : .known
        case .unexpected: .unexpected
        case .neverFired: .neverFired
        }
      cases = [run.isControl ? run.name : RunTable.words(run.name, run.parts)]
      tiers = [run.tier]
      phones = [run.phone]
      stores = [run.store]
      count = 1
    }

    /// Whether both say the same of a scenario.
    func isLike(_ other: Row) -> Bool {
      kind == other.kind && run.isControl == other.run.isControl
        && run.outcome == other.run.outcome
        && run.faults.neverFired == other.run.faults.neverFired
        && RunTable.verdicts(run) == RunTable.verdicts(other.run)
    }
  }

  private let rows: [Row]

  /// A case that went alike on several tiers is one row, and so are cases of a scenario that went
  /// alike, and as expected, with a store; and both phones, if all of that is alike on them; and
  /// stores that lose nothing, if it is alike with them.
  ///
  /// - Parameter runs: All of them.
  init(_ runs: [ScenarioRun]) {
    rows = Self.folded(runs.flatMap { $0.all.map(Row.init) })
  }

  private static func folded(_ all: [Row]) -> [Row] {
    // Of one scenario, so that few are compared with each other.
    let names = all.map(\.run.scenario).reduce(into: [String]()) {
      if $0.last != $1, !$0.contains($1) { $0.append($1) }
    }
    let groups = Dictionary(grouping: all, by: \.run.scenario)
    return names.flatMap { name in
      let onTiers = folded(groups[name] ?? []) { row, other in
        guard row.stores == other.stores, row.phones == other.phones, row.cases == other.cases,
          row.tiers.allSatisfy({ !other.tiers.contains($0) })
        else { return false }
        row.tiers += other.tiers
        return true
      }
      let together = folded(onTiers) { row, other in
        guard [.expected, .known].contains(row.kind), row.stores == other.stores,
          row.phones == other.phones, row.tiers == other.tiers
        else { return false }
        row.cases += other.cases
        return true
      }
      let onPhones = folded(together) { row, other in
        guard row.stores == other.stores, row.cases == other.cases, row.tiers == other.tiers,
          row.phones != other.phones
        else { return false }
        row.phones += other.phones
        return true
      }
      return folded(onPhones) { row, other in
        guard row.kind == .expected, row.cases == other.cases, row.tiers == other.tiers,
          row.phones == other.phones
        else { return false }
        row.stores += other.stores
        return true
      }
    }
  }

  /// Puts each row into the first that is like it and takes it.
  private static func folded(
    _ all: [Row], _ takes: (_ row: inout Row, _ other: Row) -> Bool
  ) -> [Row] {
    all.reduce(into: []) { rows, row in
      for place in rows.indices where rows[place].isLike(row) {
        guard takes(&rows[place], row) else { continue }
        rows[place].count += row.count
        return
      }
      rows.append(row)
    }
  }

  var count: Int { rows.reduce(0) { $0 + $1.count } }

  func count(_ kind: Kind) -> Int { rows.reduce(0) { $0 + ($1.kind == kind ? $1.count : 0) } }

  /// What any of them showed.
  var verdicts: [Verdict] { rows.flatMap(\.run.verdicts) }

  /// The words of each column by which rows can be chosen, in the order of the table.
  func choices(_ key: String) -> [String] {
    rows.flatMap { row -> [String] in
      switch key {
      case "phone": row.phones.map(\.rawValue)
      case "store": row.stores
      case "tier": row.tiers.map(\.rawValue)
      default: row.run.verdicts.map(\.rawValue)
      }
    }
  }

  /// - Parameter anchors: Where losses are told.
  /// - Returns: The table.
  func markup(linkedTo anchors: CardAnchors?) -> Markup {
    let heads = [
      ("scenario", "scenario"), ("case", "case"), ("phone", "phone"), ("store", "store"),
      ("tier", "tier"), ("shows", "shows"), ("outcome", "as its file says"),
    ].map { key, title in
      Markup("th", ["scope": "col", "data-key": key], .text(title))
    }
    let caption =
      "All \(Counted.words(count, "run"))"
      + (rows.count < count
        ? " in \(Counted.words(rows.count, "row")): those of a scenario that went alike share one"
        : "")
    return Markup(
      "table", ["class": "runs"],
      .lines([
        Markup("caption", [:], .text(caption)),
        Markup("thead", [:], Markup("tr", [:], heads)),
        Markup("tbody", [:], .lines(rows.map { Self.row($0, anchors) })),
      ]))
  }

  private static func row(_ row: Row, _ anchors: CardAnchors?) -> Markup {
    let run = row.run
    let (tone, outcome): (Tone, String) =
      switch (row.kind, run.outcome) {
      case (.known, _): (.fail, "yes, fails as known")
      case (.unexpected, .unexpected(let expected)):
        (RunTable.unexpectedTone(run.verdicts), "NO, expected: \(expected)")
      case (.neverFired, _):
        (.neutral, "NEVER FIRED: \(run.faults.neverFired.joined(separator: ", "))")
      default: (RunTable.tone(run.verdicts), "yes")
      }
    let words = Markup.text(outcome)
    return Markup(
      "tr", ["data-is": row.kind.rawValue, "data-runs": row.count > 1 ? "\(row.count)" : nil],
      Markup("th", ["scope": "row"], .text(run.scenario)),
      Markup("td", [:], .text(row.cases.joined(separator: "; "))),
      Markup("td", [:], .text(row.phones.map(\.rawValue).joined(separator: ", "))),
      Markup("td", [:], .text(row.stores.joined(separator: ", "))),
      Markup("td", [:], .text(row.tiers.map(\.rawValue).joined(separator: ", "))),
      Markup("td", ["class": Markup.className(tone)], .text(RunTable.verdicts(run))),
      Markup(
        "td", [:],
        anchors?[run].map { Markup("a", ["href": "#\($0)"], words) } ?? words))
  }
}
