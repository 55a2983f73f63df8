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
    let intro = [
      "# Findings", "",
      "What the published two-half store and a faithful client lose, each fault at each place of",
      "\(SessionStory.allCases.count) stories (`lab explore --client seed --store recipe`). With "
        + "`--client hardened --store durable`",
      "the same faults lose nothing.", "",
      "Generated; to renew it: `LAB_WRITE_PAGES=1 ./lab test --filter FindingsPageTests`.", "",
    ]
    return (intro + mends + [""] + causes).joined(separator: "\n") + "\n"
  }

  /// The file of each cause's first case: what belongs into the folder `findings`.
  package var replays: [StoryReplay] { rows.map { $0.report.replay($0.cause.first) } }

  private typealias Row = (report: SessionReport, cause: SessionReport.Cause)

  /// Worst first.
  private var rows: [Row] {
    let rows = reports.flatMap { report in
      report.causes.map { (report: report, cause: $0) }
    }
    return rows.enumerated().sorted {
      let one = $0.element.cause.first.judgement.verdict.severity
      let other = $1.element.cause.first.judgement.verdict.severity
      return one == other ? $0.offset < $1.offset : one < other
    }.map(\.element)
  }

  /// What to do, the mend of the worst failure first.
  private var mends: [String] {
    var mends: [(mend: String, worst: Verdict, causeCount: Int, runCount: Int)] = []
    for row in rows {
      let mend = Self.mend(row.cause.first)
      let index = mends.firstIndex { $0.mend == mend } ?? mends.count
      if index == mends.count { mends.append((mend, row.cause.first.judgement.verdict, 0, 0)) }
      mends[index].causeCount += 1
      mends[index].runCount += row.cause.count
    }
    return ["| mend | causes | runs | worst failure |", "| --- | ---: | ---: | --- |"]
      + mends.map { "| \($0.mend) | \($0.causeCount) | \($0.runCount) | \($0.worst.rawValue) |" }
  }

  /// Each cause with its first case.
  private var causes: [String] {
    [
      "Worst first; `./lab replay Faults/findings/FILE` plays a row's first case again.", "",
      "| what | phone | where | runs | mend | replay |", "| --- | --- | --- | --- | --- | --- |",
    ]
      + rows.map { row in
        let first = row.cause.first
        let name = row.report.replay(first).name
        return "| \(first.judgement.verdict.rawValue) | \(row.report.phone.rawValue) "
          + "| \(SessionReport.words(first)) | \(row.cause.count) | \(Self.mend(first)) "
          + "| [\(name)](findings/\(name).json) |"
      }
  }

  static func mend(_ one: SessionExplorer.Case) -> String {
    let isChallenge = one.story == .challenge
    return switch (one.judgement.verdict, one.fault?.kind) {
    case (.guardBroken, _) where isChallenge:
      "when the levels of a session cannot be asked for, go by what it says of itself"
    case (.falseSignOut, .lock) where isChallenge,
      (.falseSignOut, _) where one.call.hasSuffix("/user"):
      "stay at the challenge when the factors cannot be fetched"
    case (.falseSignOut, .limit), (.falseSignOut, .failure):
      "keep the session unless the server says that it is over"
    case (.falseSignOut, .lock): "tell a locked keychain from an empty one, and try again later"
    case (let verdict, _): verdict.mend ?? "see the hazards that the hardened client mends"
    }
  }
}
