import Chaos
package import Crypto
import JSON
import Phone
import Terminal

/// An exploration as one page of HTML.
package struct ExplorePage {
  private let report: ExploreReport
  /// Where the replays were written.
  private let folder: String
  /// Of the lab.
  private let version: String

  package init(_ report: ExploreReport, replaysIn folder: String, version: String) {
    self.report = report
    self.folder = folder
    self.version = version
  }

  private var found: Exploration { report.found }

  /// The whole page.
  ///
  /// - Throws: `CryptoError` when the library lacks the digest by which the page knows its script.
  package func html() throws(CryptoError) -> String {
    var page = ReportPage(
      heading: report.conclusion, maker: "lab explore", facts: ["lab \(version)"] + report.facts,
      seed: found.plan.seed, data: report.json)
    if !found.isExhaustive { page.notices = [report.coverage] }
    page.counts = found.outcomes.map { verdict, count in
      .init(
        words: "\(count) \(verdict?.rawValue ?? "quiet")",
        tone: verdict.map { Markup.className(Tone($0)) } ?? "none")
    }
    page.findings = report.causes.compactMap(card)
    let map = CrashMapSection(found.map).parts
    if !map.isEmpty { page.sections.append(("map", "Crash map", map)) }
    let unshown = found.causes.filter { $0.replay.shown == nil }
    if !unshown.isEmpty {
      page.sections.append(("unshown", "Causes without a replay", [.list(unshown.map(told))]))
    }
    page.verdicts =
      found.images.flatMap(\.judgements).map(\.verdict) + found.causes.map(\.failure)
    page.stores = [found.plan.store]
    page.proof = proof
    return try page.html()
  }

  // MARK: - Causes

  private func card(_ cause: Exploration.Cause) -> FindingCard? {
    guard let finding = cause.replay.shown else { return nil }
    var card = FindingCard(finding, replaysIn: folder)
    card.place = report.place(of: cause)
    card.notes = [
      "Seen: \(report.place(of: cause)), \(Counted.words(cause.occurrenceCount, "time")), in "
        + "\(Counted.words(cause.images.count, "image")) of storage.",
      "The replay shows it again.",
    ]
    return card
  }

  private func told(_ cause: Exploration.Cause) -> Markup {
    Markup(
      "p", [:],
      .text("\(cause.failure.rawValue), \(report.place(of: cause)): \(cause.because)"))
  }

  // MARK: - Proof

  private var proof: [(name: String, value: String)] {
    let plan = found.plan
    return [
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
      ("tier", (plan.foreign == nil ? Tier.simulated : .mounted).rawValue),
      ("profile", report.profile), ("settings", "\(plan.settings)"),
      ("seed", "\(plan.seed)"), ("lab", version),
    ]
  }
}
