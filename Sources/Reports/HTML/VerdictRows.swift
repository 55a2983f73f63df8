import Chaos
import Phone
import Terminal

/// Every run as a row: what it showed, and whether its file says so.
struct VerdictRows {
  /// What a row can be, in the words of the fragment that filters for it.
  enum Kind: String, CaseIterable {
    case expected, known, unexpected, neverFired
  }

  private let rows: [(run: CaseRun, kind: Kind)]

  init(_ runs: [ScenarioRun]) {
    rows = runs.flatMap(\.all).map { ($0, Self.kind(of: $0)) }
  }

  var count: Int { rows.count }

  func count(_ kind: Kind) -> Int { rows.count { $0.kind == kind } }

  /// The words of each column by which rows can be chosen, in the order of the table.
  func choices(_ key: String) -> [String] {
    let words = rows.flatMap { row -> [String] in
      switch key {
      case "phone": [row.run.phone.rawValue]
      case "store": [row.run.store]
      case "tier": [row.run.tier.rawValue]
      default: row.run.verdicts.map(\.rawValue)
      }
    }
    return words.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  private static func kind(of run: CaseRun) -> Kind {
    switch run.outcome {
    case .asExpected: run.verdicts.contains(where: \.isFailure) ? .known : .expected
    case .unexpected: .unexpected
    case .neverFired: .neverFired
    }
  }

  var markup: Markup {
    let heads = [
      ("scenario", "scenario"), ("case", "case"), ("phone", "phone"), ("store", "store"),
      ("tier", "tier"), ("shows", "shows"), ("outcome", "as its file says"),
    ].map { key, title in
      Markup("th", ["scope": "col", "data-key": key], .text(title))
    }
    return Markup(
      "table", ["class": "runs"],
      .lines([
        Markup("caption", [:], .text("All \(count) runs, controls first")),
        Markup("thead", [:], Markup("tr", [:], heads)),
        Markup("tbody", [:], .lines(rows.map(Self.row))),
      ]))
  }

  private static func row(_ row: (run: CaseRun, kind: Kind)) -> Markup {
    let run = row.run
    let words = run.isControl ? run.name : RunTable.words(run.name, run.parts)
    let (tone, outcome): (Tone, String) =
      switch (row.kind, run.outcome) {
      case (.known, _): (.fail, "yes, fails as known")
      case (.unexpected, .unexpected(let expected)): (.fail, "NO, expected: \(expected)")
      case (.neverFired, _):
        (.neutral, "NEVER FIRED: \(run.faults.neverFired.joined(separator: ", "))")
      default: (RunTable.tone(run.verdicts), "yes")
      }
    return Markup(
      "tr", ["data-is": row.kind.rawValue],
      Markup("th", ["scope": "row"], .text(run.scenario)), Markup("td", [:], .text(words)),
      Markup("td", [:], .text(run.phone.rawValue)), Markup("td", [:], .text(run.store)),
      Markup("td", [:], .text(run.tier.rawValue)),
      Markup("td", ["class": Markup.className(tone)], .text(RunTable.verdicts(run))),
      Markup("td", [:], .text(outcome)))
  }
}
