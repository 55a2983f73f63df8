import Chaos
import Phone
import Terminal

/// An exploration as one page of HTML.
package struct ExplorePage {
  private let report: ExploreReport
  /// Where the replays were written.
  private let folder: String

  package init(_ report: ExploreReport, replaysIn folder: String) {
    self.report = report
    self.folder = folder
  }

  private var found: Exploration { report.found }

  /// The whole page.
  package var html: String {
    let map = CrashMapSection(found.map).parts
    return HTMLPage(
      report.conclusion, maker: "lab explore",
      lead: report.headline.map { line in
        Markup("p", [:], .text(String(line.drop { $0 == " " }).replacing("   ", with: ", ")))
      }, skipTarget: "causes",
      parts: [Markup("h2", ["id": "causes"], "Causes"), causes]
        + (map.isEmpty ? [] : [Markup("h2", ["id": "map"], "Crash map")] + map) + [
          Markup("h2", ["id": "proof"], "Proof"), proof,
          Markup("h2", ["id": "words"], "The words"), Markup("dl", [:], .lines(words)),
        ]
    ).html
  }

  // MARK: - Causes

  private var causes: Markup {
    guard !found.causes.isEmpty else {
      let doubt = found.isExhaustive ? "" : " Not all of them were looked at: see the proof."
      return Markup("p", [:], .text("No state shows a failure." + doubt))
    }
    return .lines(report.causes.map(card))
  }

  private func card(_ cause: Exploration.Cause) -> Markup {
    let title = Markup(
      "h3", [:], Markup("span", ["class": "fail"], .text(cause.failure.rawValue)),
      .text(": " + report.place(of: cause)))
    let size = cause.replay.finding.map {
      "Shrunk: \($0.foundChoiceCount) -> \($0.replay.choices.count) decisions."
    }
    let facts = [
      "Seen \(ExploreReport.count(cause.occurrenceCount, "time")), in "
        + "\(ExploreReport.count(cause.images.count, "image")).", size,
      cause.replay.isConfirmed ? "The replay shows it again." : ExploreReport.doubt + ".",
    ].compactMap { $0 }.joined(separator: " ")
    let command = cause.replay.finding.map { "./lab \($0.command(in: folder))" }
    return Markup(
      "article", [:],
      .lines(
        [
          title, Markup("p", [:], .text(cause.because)), Markup("p", [:], .text(facts)),
        ] + (command.map { [Markup("p", [:], "replay: ", Markup("code", [:], .text($0)))] } ?? [])))
  }

  // MARK: - Proof

  private var proof: Markup {
    let plan = found.plan
    let rows: [(name: String, value: String)] = [
      ("coverage", report.coverage),
      ("bound", "\(plan.cutCountMax) choices of survivors at one moment, bytes of one file"),
      ("orders", "\(plan.orderCountMax) of overlapping calls at most, \(found.orderCount) played"),
      ("crashes in a row", "\(plan.depth); the map shows the first"),
      ("calls at once", "\(plan.writerCount) saving, \(plan.readerCount) reading"),
      ("tried", plan.dangers.map(\.rawValue).sorted().joined(separator: ", ")),
      ("origins", "\(found.originCount): moments times what each may leave"),
      ("images", "\(found.images.count) that differ, \(found.recoveredCount) of them recovered"),
      ("outcomes", report.outcomeCounts),
      (
        "replays",
        "\(found.causes.count { $0.replay.isConfirmed }) of \(found.causes.count) show their "
          + "violation again"
      ),
      ("tier", "simulated"), ("profile", report.profile), ("settings", "\(plan.settings)"),
      ("seed", "\(plan.seed)"),
    ]
    return .definitions(rows)
  }

  private var words: [Markup] {
    let shown = Set(found.images.flatMap(\.judgements).map(\.verdict) + found.causes.map(\.failure))
    return Verdict.allCases.filter(shown.contains).map { verdict in
      .list([
        Markup("dt", ["class": Markup.className(Tone(verdict))], .text(verdict.rawValue)),
        Markup("dd", [:], .text(verdict.meaning)),
      ])
    }
  }
}
