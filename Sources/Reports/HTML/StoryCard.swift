import Chaos
import Phone
import Session
import Terminal

/// A story of an app with its server as a part of a page: what the person did, what the app showed,
/// and where the fault fell.
struct StoryCard: ReportCard {
  let played: StoryComparison
  var replay: String?
  /// What else is to be known of it.
  var notes: [String] = []

  init(_ played: StoryComparison) { self.played = played }

  private var plan: SessionPlan { played.replay.plan }
  private var one: SessionExplorer.Case { played.shown ?? played.replay.recorded }

  var word: String { one.judgement.verdict.rawValue }
  var title: String { SessionReport.words(one) }
  var phones: [PhoneKind] { [plan.phone] }
  var stores: [String] { [plan.store] }
  var tiers: [Tier] { [.simulated] }

  private var facts: [String] {
    [
      plan.phone.rawValue, "store \(plan.store)", "client \(plan.profile.rawValue) \(plan.sdk)",
      "\(Tier.simulated.rawValue) tier",
    ]
  }

  private var rules: [FindingStory.Rule] {
    one.fault.flatMap(\.kind.ofCatalogue).map { [FindingStory.Rule($0)] } ?? []
  }

  private var mends: [String] {
    guard one.judgement.verdict.isFailure else { return [] }
    let falseMend = one.judgement.verdict.falseMend.map { ["not a fix: \($0)"] } ?? []
    return [FindingsPage.mend(one)] + falseMend
  }

  // MARK: - On a page

  func markup(id: String) -> Markup {
    let isGood = !one.judgement.verdict.isFailure
    return element(
      "article", isGood ? "card good" : "card", id: id, labelledBy: "\(id)-title",
      [
        head(id: id, tone: isGood ? .good : .fail, facts),
        Markup("p", ["class": "sentence"], .text(one.judgement.because)), timeline,
        Markup("p", ["class": "legend-line"], .text(legends.joined(separator: "\n"))),
      ] + reasons(rules) + list("Beside it", notes.map(Markup.text))
        + list("Fix", mends.map(Markup.text)) + command("Replay", replay, id: "\(id)-replay")
        + [issue(markdown, id: id)])
  }

  private var legends: [String] {
    [
      "\(FindingStory.Line.Half.legend)   X fault",
      "beside a fault stands what it met; the next row has what it left",
      "the time is the phone's own, since the story began",
    ] + FindingStory.Line.Half.valueLegend(rows.flatMap { [$0.key, $0.blob] })
  }

  private var timeline: Markup {
    Timeline(
      rows: rows.map { row in
        Timeline.Row(
          number: row.number,
          told: [
            .text(row.line.text),
            Markup(
              "span", ["class": "sees"],
              .text("\(StoryText.time(row.line.milliseconds))  \(row.shows)")),
          ], key: row.key, blob: row.blob, isFault: row.line.isFault)
      }
    ).markup
  }

  private struct Row {
    let number: String
    let line: StoryLine
    let key: FindingStory.Line.Half
    let blob: FindingStory.Line.Half

    var shows: String { line.shows.map { "the app shows: \($0)" } ?? "the app does not run" }
  }

  private var rows: [Row] {
    var keys = FindingStory.Line.Halves("key")
    var blobs = FindingStory.Line.Halves("blob")
    return played.account.enumerated().map { index, line in
      Row(
        number: line.isFault ? "X" : "\(index + 1)", line: line, key: keys.next(line.key),
        blob: blobs.next(line.blob))
    }
  }

  // MARK: - As an issue

  /// The same in Markdown.
  private var markdown: String {
    var lines = [
      "### \("\(word): \(title), \(facts.joined(separator: ", "))".escapedMarkdown)",
      "", one.judgement.because.escapedMarkdown, "",
      "| | what happens | time | the app shows | key half | blob half |",
      "| --- | --- | --- | --- | --- | --- |",
    ]
    lines += rows.map { row in
      let line = row.line
      let cells = [
        row.number, line.text.escapedMarkdown, StoryText.time(line.milliseconds),
        (line.shows ?? "-").escapedMarkdown, row.key.words, row.blob.words,
      ]
      return "| \(cells.joined(separator: " | ")) |"
    }
    lines += [""] + legends.map { "`\($0)`" } + [""]
    lines += rules.map { "- can happen: \($0.name): \($0.sentence)" }
    lines += mends.map { "- fix: \($0)" }
    if let replay { lines += ["", "    \(replay)"] }
    return lines.joined(separator: "\n") + "\n"
  }
}

extension SessionFault.Kind {
  /// What the catalogue of faults has of it.
  fileprivate var ofCatalogue: FaultKind? {
    switch self {
    case .kill: .kill
    case .powerCut: .powerCut
    case .lock: .lock
    case .clock: nil
    case .loseRequest: .loseRequest
    case .loseReply: .loseReply
    case .limit, .failure: .errorReply
    }
  }
}
