package import Chaos
import Ports
import Terminal

/// A crash map on a page: a table for each step, an operation a row, and in each cell the mark, what
/// was shown and in how many states.
package struct CrashMapSection {
  private let map: CrashMap
  /// Told with each table where a page has several maps: ` (durable on ios)`.
  private let subject: String

  /// - Parameters:
  ///   - map: The map.
  ///   - subject: Whose it is, where a page has several.
  package init(_ map: CrashMap, of subject: String? = nil) {
    self.map = map
    self.subject = subject.map { " (\($0))" } ?? ""
  }

  /// The tables and their legend; nothing for an empty map.
  package var parts: [Markup] {
    let steps = CrashMapStep.all(of: map)
    guard !steps.isEmpty else { return [] }
    return [
      Markup(
        "p", [:],
        .text(
          "A row is an operation of a step. A cell is what the app showed, and in how many states, "
            + "when it was disturbed just after that operation, or by the refusal of it; two cold "
            + "starts follow. Neighbours with the same marks share a row. In the sums a state that "
            + "several places lead to counts for each.")),
      CrashMapMark.list(
        impossible: CrashMapMark.impossibleWords(map),
        [Markup("li", [:], Markup("b", [:], "(drawn)"), " not all survivors were tried")]
          + map.kinds.compactMap { kind in
            kind.meaning.map {
              Markup("li", [:], Markup("b", [:], .text(kind.name)), .text(" \($0)"))
            }
          }),
      totals,
    ] + steps.flatMap(tables)
  }

  private var totals: Markup {
    let rows = map.kinds.map { kind -> [Markup] in
      let total = map.total(kind)
      return [
        Markup("th", ["scope": "row"], .text(kind.name)),
        Self.number(map.places.count { $0.tallies[kind] != nil }), Self.number(total.stateCount),
        Self.number(total.failureCount), Self.cell(total),
      ]
    }
    return .table(
      "All places together\(subject)",
      heads: ["fault", "places", "states", "failed", "outcomes"].map(Self.head), rows: rows)
  }

  private func tables(_ step: CrashMapStep) -> [Markup] {
    let folded = step.folded
    guard folded.count < step.places.count else {
      return [table(step, step.places, caption: step.title + subject, name: "operation")]
    }
    let title = "\(step.title)\(subject): all \(step.places.count) places"
    return [
      table(step, folded, caption: step.title + subject, name: "operations"),
      Markup(
        "details", [:],
        .lines([
          Markup("summary", [:], .text(title)),
          table(step, step.places, caption: title, name: "operation"),
        ])),
    ]
  }

  private func table(
    _ step: CrashMapStep, _ runs: [CrashMapRun], caption: String, name: String
  ) -> Markup {
    let rows = runs.map { run -> [Markup] in
      let cells = step.kinds.map { kind in
        Self.cell(run.tally(kind), isDrawn: kind == .powerCut && run.isSampled)
      }
      let points = run.points.map(\.nameAndWords).joined(separator: ", ")
      return [Markup("th", ["scope": "row"], .text(run.words))] + cells
        + [Markup("td", [:], .text(points))]
    }
    return .table(
      caption, heads: ([name] + step.kinds.map(\.name) + ["just behind"]).map(Self.head),
      rows: rows)
  }

  private static func head(_ title: String) -> Markup {
    Markup("th", ["scope": "col"], .text(title))
  }

  private static func number(_ count: Int) -> Markup {
    Markup("td", ["class": "number"], .text("\(count)"))
  }

  private static func cell(_ tally: StateTally?, isDrawn: Bool = false) -> Markup {
    CrashMapMark(tally).cell(words: (tally?.words ?? "") + (isDrawn ? " (drawn)" : ""))
  }
}

extension CrashMapMark {
  /// A cell with the mark and what it stands for.
  func cell(words: String) -> Markup {
    Markup(
      "td", ["class": className], Markup("b", [:], .text(letter)),
      .text(words.isEmpty ? "" : " " + words))
  }

  private var className: String { tone.map(Markup.className) ?? "none" }

  /// The legend; `impossible` says what the mark of an empty cell means.
  static func list(impossible: String, _ more: [Markup] = []) -> Markup {
    let items = legend(impossible: impossible).map { mark, words in
      Markup(
        "li", ["class": mark.className], Markup("b", [:], .text(mark.letter)), .text(" \(words)"))
    }
    return Markup("ul", ["class": "legend"], .lines(items + more))
  }
}

extension Markup {
  /// Names, and what belongs to each.
  static func definitions(_ rows: [(name: String, value: String)]) -> Markup {
    Markup(
      "dl", [:],
      .lines(
        rows.map { name, value in
          .list([Markup("dt", [:], .text(name)), Markup("dd", [:], .text(value))])
        }))
  }
}
