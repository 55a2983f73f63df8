package import Chaos
import Phone
import Session

/// The page of what an app as it is mostly written loses, worst first, with what would mend it.
package struct FindingsPage {
  private let reports: [SessionReport]

  /// - Parameter outcomes: One exploration for each phone.
  package init(_ outcomes: [SessionExplorer.Outcome]) {
    reports = outcomes.map(SessionReport.init)
  }

  /// In Markdown.
  package var text: String {
    var lines = [
      "# Findings", "",
      "What the published two-half store and a faithful client lose, each fault at each place of four",
      "stories (`lab explore --client seed --store recipe`), worst first. With `--client hardened",
      "--store durable` the same faults lose nothing. Each row shows its first case; the command plays it",
      "again.", "",
      "Generated; to renew it: `LAB_WRITE_PAGES=1 ./lab test --filter FindingsPageTests`.", "",
      "| what | phone | where | runs | mend | again |", "| --- | --- | --- | --- | --- | --- |",
    ]
    let rows = reports.flatMap { report in
      report.causes.map { (report: report, cause: $0) }
    }
    let severe = rows.enumerated().sorted {
      let (one, other) = (Self.severity($0.element.cause), Self.severity($1.element.cause))
      return one == other ? $0.offset < $1.offset : one < other
    }
    for (_, row) in severe {
      let first = row.cause.first
      lines.append(
        "| \(first.judgement.verdict.rawValue) | \(row.report.phone.rawValue) "
          + "| \(SessionReport.words(first)) | \(row.cause.count) | \(Self.mend(first)) "
          + "| `./lab \(row.report.command(first))` |")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// From what opens an app to somebody else, to what only is untidy.
  private static let order: [Verdict] = [
    .guardBroken, .resurrection, .plaintextLeaked, .garbageAccepted, .falseSignOut, .dataDeleted,
    .neverConverged, .hang, .crashLoop, .requestStorm, .keyReused, .limitExceeded, .secretLeft,
  ]

  private static func severity(_ cause: SessionReport.Cause) -> Int {
    order.firstIndex(of: cause.first.judgement.verdict) ?? order.count
  }

  private static func mend(_ one: SessionExplorer.Case) -> String {
    switch (one.judgement.verdict, one.fault?.kind) {
    case (.guardBroken, _): "mark the recovery before its session is saved, and wait for the mark"
    case (.requestStorm, _):
      "let tokens expire by the device's own clock, counted from their receipt"
    case (.falseSignOut, .limit), (.falseSignOut, .failure):
      "keep the session unless the server says that it is over"
    case (.falseSignOut, .lock): "tell a locked keychain from an empty one, and try again later"
    case (.falseSignOut, _): "let a save touch one half only: keep the key, replace the blob"
    case (.secretLeft, _): "remove both halves when one of them is useless"
    default: "see the hazards that the hardened client mends"
    }
  }
}
