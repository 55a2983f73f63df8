import Chaos
package import Crypto
import JSON
import Phone
import Terminal

extension ChaosReport {
  /// The campaign as one page of HTML.
  ///
  /// - Parameters:
  ///   - version: Of the lab.
  ///   - missingTier: Why one was left out; `nil` when all that were wanted ran.
  /// - Returns: The whole page.
  /// - Throws: `CryptoError` when the library lacks the digest by which the page knows its script.
  package func page(
    version: String, missingTier: String?
  ) throws(CryptoError) -> String {
    let rows = VerdictRows(outcome.gallery)
    let (causes, losses) = (verdict.causes, verdict.knownLosses)
    let anchors = CardAnchors(findings: causes, losses: losses)
    let phones = phones.map(\.rawValue).joined(separator: " and ")
    var page = ReportPage(
      heading: heading, maker: "lab chaos",
      facts: ["lab \(version)", phones, "\(tiers.joined(separator: " and ")) tier", canaryWords]
        + ReportPage.program(outcome.plan.foreign),
      seed: seed, data: json)
    page.notices = (missingTier.map { [$0] } ?? []) + notices
    page.counts = rows.counts
    page.findings = cards
    page.losses = verdict.pageCards(losses, seed: seed, areKnown: true)
    page.sections = [
      ("stores", "Stores side by side", galleryParts(anchors)),
      ("explored", "Explored", explorationParts + maps),
    ]
    page.rows = rows
    page.anchors = anchors
    page.verdicts = rows.verdicts
    page.stores = rows.choices("store")
    page.proof =
      facts.map { name, value in
        (name.prefix(1) + name.dropFirst().lowercased(), value)
      } + tierProof + [("Seed", "\(seed)"), ("Lab", version)]
    return try page.html()
  }

  /// Both tiers must show the same of each run of the gallery.
  private var tierProof: [(name: String, value: String)] {
    guard tiers.count > 1 else { return [] }
    let rows = RunJSON.rows(outcome.gallery)
    let same = rows.count { $0["tiers"]?.list?.count == tiers.count }
    return [("Tiers", "\(same) of \(rows.count) runs showed the same, and left the same, on both")]
  }

  private var heading: String {
    let words = cards.map(\.word) + unconfirmed.map(\.cause.failure.rawValue)
    guard !outcome.wasInterrupted, let text = ReportPage.heading(words) else { return conclusion }
    return text
  }

  private var notices: [String] {
    var notices = neverFiredSentences + verdict.rowsWithoutCase.map(\.words)
    if exitCode != .asExpected, exitCode != .finding { notices.append(conclusion) }
    return notices
  }

  // MARK: - Findings

  private var cards: [FindingCard] {
    verdict.pageCards(verdict.causes, seed: seed)
      + (outcome.findings + causes.compactMap(\.cause.finding)).map {
        FindingCard($0, replaysIn: folder)
      }
  }

  private var unconfirmed: [(exploration: ExplorationSummary, cause: ExplorationSummary.Cause)] {
    causes.filter { $0.cause.finding == nil }
  }

  // MARK: - Tables

  private func galleryParts(_ anchors: CardAnchors) -> [Markup] {
    let tables = galleryTables(showsAll: true, linkedTo: { anchors[$0] }).map { part in
      let titles = part.table.columns.map(\.title)
      let stores = titles.dropFirst().joined(separator: ", ")
      return Markup.table("The gallery \(titles[0]): \(stores)", part.table)
    }
    let legend = RunTable.legend(width: .max) + numberLegend
    return [Markup("p", ["class": "legend-line"], .text(legend.joined(separator: "\n")))] + tables
  }

  private var explorationParts: [Markup] {
    var table = Table([
      Table.Column("store"), Table.Column("phone"),
      Table.Column("kills and power cuts", isRightAligned: true),
      Table.Column("images", isRightAligned: true),
      Table.Column("outcomes", isRightAligned: true),
      Table.Column("violations", isRightAligned: true), Table.Column("coverage"),
    ])
    for one in outcome.explorations {
      table.add(
        Table.Cell(one.store), Table.Cell(one.phone.rawValue), Table.Cell("\(one.originCount)"),
        Table.Cell("\(one.imageCount)"), Table.Cell("\(one.outcomes.count)"),
        Table.Cell("\(one.violationCount)", one.violationCount == 0 ? .good : .fail),
        Table.Cell(one.isExhaustive ? "exhaustive" : "survivors drawn"))
    }
    let open = unconfirmed.map { exploration, cause in
      Markup(
        "li", [:],
        .text(
          "\(cause.failure.rawValue), \(cause.place), store \(exploration.store) on "
            + "\(exploration.phone.rawValue): \(cause.because). "
            + "NOT CONFIRMED: there is no replay that shows it."))
    }
    return [.table("Every moment of a save, with all or some choices of survivors", table)]
      + (open.isEmpty ? [] : [Markup("ul", [:], .lines(open))])
  }

  /// The whole map of each exploration, folded.
  private var maps: [Markup] {
    outcome.explorations.compactMap { one in
      let subject = "\(one.store) on \(one.phone.rawValue)"
      let parts = CrashMapSection(one.map, of: subject).parts
      guard !parts.isEmpty else { return nil }
      return Markup(
        "details", ["id": "map-\(one.store)-\(one.phone.rawValue)"],
        Markup(
          "summary", [:],
          .text("Crash map of \(subject): every operation, and what came of a crash there")),
        .lines(parts))
    }
  }
}
