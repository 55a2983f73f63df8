import Chaos
package import Crypto
import Phone
import Terminal

/// A comparison as one page of HTML.
package struct ComparePage {
  private let report: CompareReport
  /// Of the lab.
  private let version: String

  package init(_ report: CompareReport, version: String) {
    self.report = report
    self.version = version
  }

  /// The whole page.
  ///
  /// - Throws: `CryptoError` when the library lacks the digest by which the page knows its script.
  package func html() throws(CryptoError) -> String {
    var page = ReportPage(
      heading: report.conclusion, maker: "lab compare",
      facts: ["lab \(version)"] + report.facts, seed: report.plan.seed, data: report.json)
    page.counts = report.verdicts.map { verdict in
      let count = totals.reduce(0) { $0 + $1[verdict] }
      return .init(words: "\(count) \(verdict.rawValue)", tone: Self.className(verdict))
    }
    if quietCount > 0 {
      page.counts.append(.init(words: "\(quietCount) no session yet", tone: "none"))
    }
    let workload = Markup("p", [:], "Workload: sign-in, refresh, refresh, on the simulated tier.")
    let faults = [
      Markup(
        "p", [:],
        .text("A cell is a mark; \(CompareReport.cellWords). "), Markup("b", [:], "0/n"),
        ": looked at n, none failed."),
      CrashMapMark.list(impossible: "cannot happen, or makes no state there"),
    ]
    page.sections =
      [
        (
          "verdicts", "What became of the session",
          [workload] + report.plan.phones.map(verdictTable)
        ),
        ("faults", "By fault", faults + report.plan.phones.map(faultTable) + again),
      ] + notes + [
        (
          "catalogue", "The faults",
          [.definitions(report.plan.faults.map { ($0.rawValue, $0.summary) })]
        )
      ]
    page.verdicts = report.verdicts
    page.stores = report.plan.stores
    page.proof = report.proof + [("lab", version)]
    return try page.html()
  }

  private var totals: [StateTally] {
    report.plan.phones.flatMap { phone in report.plan.stores.map { report.total(phone, $0) } }
  }

  private var quietCount: Int { totals.reduce(0) { $0 + $1.quietCount } }

  // MARK: - Tables

  private func verdictTable(on phone: PhoneKind) -> Markup {
    .table(
      "In how many states each store did what on \(phone.rawValue): a column adds up to its states",
      report.verdictTable(on: phone))
  }

  private func faultTable(on phone: PhoneKind) -> Markup {
    let rows = report.plan.faults.map { fault -> [Markup] in
      let cells = report.plan.stores.map { store -> Markup in
        guard let tally = report.tally(phone, store, fault) else {
          return Markup("td", [:], "not run")
        }
        return CrashMapMark(tally, naming: tally.worst).cell(
          words: tally.stateCount > 0 ? CompareReport.words(tally) : "")
      }
      return [Markup("th", ["scope": "row"], .text(fault.rawValue))] + cells
    }
    return .table(
      "Each fault on \(phone.rawValue)",
      heads: [Self.head("fault")] + report.plan.stores.map(Self.head), rows: rows)
  }

  private var notes: [(id: String, title: String, parts: [Markup])] {
    let notes = report.bounds + report.impossible
    guard !notes.isEmpty else { return [] }
    let list = Markup("ul", [:], .lines(notes.map { Markup("li", [:], .text($0)) }))
    return [("unseen", "Not looked at", [list])]
  }

  /// How to see where a failure comes from.
  private var again: [Markup] {
    guard let command = report.exploration else { return [] }
    return [
      Markup("p", [:], "Where that comes from, with a replay of each cause:"),
      .command(command, id: "next"),
    ]
  }

  // MARK: - Parts

  private static func head(_ title: String) -> Markup {
    Markup("th", ["scope": "col"], .text(title))
  }

  private static func className(_ verdict: Verdict) -> String {
    Markup.className(Tone(verdict))
  }
}
