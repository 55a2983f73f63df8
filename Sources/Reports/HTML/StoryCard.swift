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
        Markup("p", ["class": "legend-line"], .text(Self.legend)),
      ] + reasons(rules) + list("Beside it", notes.map(Markup.text))
        + list("Fix", mends.map(Markup.text)) + command("Replay", replay, id: "\(id)-replay")
        + [issue(markdown, id: id)])
  }

  private static let legend = "X fault   the time is the phone's own, since the story began"

  private var timeline: Markup {
    let heads = Markup(
      "li", ["class": "heads", "aria-hidden": "true"], Markup("span", [:], []),
      Markup("span", [:], "what happens"), Markup("span", [:], "time"),
      Markup("span", [:], "the app shows"))
    let rows = numbered.map { number, line in
      Markup(
        "li", ["class": line.isFault ? "fault" : nil],
        Markup(
          "span", ["class": "number"], Markup("span", ["aria-hidden": "true"], .text(number)),
          line.isFault ? Markup("span", ["class": "sr"], "fault: ") : .list([])),
        Markup("div", [:], .text(line.text)),
        lane("time", StoryText.time(line.milliseconds)),
        lane("the app shows", line.shows ?? "nothing: it does not run"))
    }
    return Markup("ol", ["class": "story"], .lines([heads] + rows))
  }

  private var numbered: [(number: String, line: StoryLine)] {
    played.account.enumerated().map { ($1.isFault ? "X" : "\($0 + 1)", $1) }
  }

  private func lane(_ name: String, _ value: String) -> Markup {
    Markup(
      "span", ["class": "lane"], Markup("span", ["class": "label"], .text("\(name): ")),
      .text(value))
  }

  // MARK: - As an issue

  /// The same in Markdown.
  private var markdown: String {
    var lines = [
      "### \("\(word): \(title), \(facts.joined(separator: ", "))".escapedMarkdown)",
      "", one.judgement.because.escapedMarkdown, "", "| | what happens | time | the app shows |",
      "| --- | --- | --- | --- |",
    ]
    lines += numbered.map { number, line in
      "| \(number) | \(line.text.escapedMarkdown) | \(StoryText.time(line.milliseconds)) | "
        + "\((line.shows ?? "-").escapedMarkdown) |"
    }
    lines += [""] + rules.map { "- can happen: \($0.name): \($0.sentence)" }
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
