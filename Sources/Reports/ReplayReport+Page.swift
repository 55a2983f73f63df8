import Chaos
package import Crypto
import JSON
import Phone
import Terminal

extension ReplayReport {
  /// The replays as one page of HTML.
  ///
  /// - Parameters:
  ///   - version: Of the lab.
  ///   - wasInterrupted: Whether some were not played.
  /// - Returns: The whole page.
  /// - Throws: `CryptoError` when the library lacks the digest by which the page knows its script.
  package func page(version: String, wasInterrupted: Bool) throws(CryptoError) -> String {
    var page = ReportPage(
      heading: wasInterrupted ? "Interrupted: the others were not played" : conclusion,
      maker: "lab replay", facts: ["lab \(version)"], data: json)
    let same = played.joined().count(where: \.isSame) + stories.count(where: \.isSame)
    let other = played.joined().count + stories.count - same
    page.counts = [
      .init(words: "\(same) as recorded", tone: same == 0 ? "none" : "good"),
      .init(words: "\(other) NOT as recorded", tone: other == 0 ? "none" : "fail"),
    ]
    page.findings = played.compactMap(card)
    page.sections = [("replays", "Replays", [table])]
    if !stories.isEmpty {
      let cards = stories.enumerated().map { index, story in
        Self.card(of: story).markup(id: "story-\(index + 1)")
      }
      page.sections.insert(("stories", "Stories", cards), at: 0)
    }
    let runs = played.joined().map(\.shown.run)
    page.verdicts =
      runs.flatMap(\.verdicts) + stories.compactMap { $0.shown?.judgement.verdict }
    page.stores = Set(runs.map(\.store) + stories.map(\.replay.plan.store)).sorted()
    page.proof = [("Lab", version)]
    return try page.html()
  }

  private func card(_ one: [ReplayComparison]) -> FindingCard? {
    guard let first = one.first else { return nil }
    let replay = first.replay
    var card = FindingCard(story: FindingStory(first.shown.run, of: replay.scenario))
    let file = ReportPage.portable(replay.file ?? "\(replay.name).json")
    card.replay = "./lab replay \(file)"
    card.device = "./lab replay \(file) --as \(replay.history.phone == .ios ? "simctl" : "adb")"
    card.size = Counted.words(replay.choices.count, "decision")
    card.notes = Self.sentences(one.flatMap(Self.lines) + Self.comparison(of: one))
    return card
  }

  private static func card(of story: StoryComparison) -> StoryCard {
    var card = StoryCard(story)
    let replay = story.replay
    card.replay = "./lab replay \(ReportPage.portable(replay.file ?? "\(replay.name).json"))"
    card.notes = ["Found by \(replay.foundBy)."] + sentences(StoryText(story).comparison)
    return card
  }

  /// Lines of the terminal without their wrapping.
  private static func sentences(_ lines: [String]) -> [String] {
    lines.reduce(into: []) { sentences, line in
      let depth = line.prefix { $0 == " " }.count
      let text = line.dropFirst(depth)
      if depth > 4, let last = sentences.popLast() {
        sentences.append("\(last) \(text)")
      } else {
        sentences.append(String(text))
      }
    }
  }

  private var table: Markup {
    var table = Table(
      "replay", "phone", "store", "tier", "decisions", "shows", "as recorded")
    for one in played.joined() {
      table.add(
        Table.Cell(one.replay.name), Table.Cell(one.replay.history.phone.rawValue),
        Table.Cell(one.replay.history.store), Table.Cell(one.shown.run.tier.rawValue),
        Table.Cell("\(one.replay.choices.count)"), Table.Cell(RunTable.verdicts(one.shown.run)),
        Table.Cell(one.isSame ? "yes" : "NO", one.isSame ? .good : .fail))
    }
    for one in stories {
      table.add(
        Table.Cell(one.replay.name), Table.Cell(one.replay.plan.phone.rawValue),
        Table.Cell(one.replay.plan.store), "simulated", "-",
        Table.Cell(one.shown?.judgement.verdict.rawValue ?? "the fault fell nowhere"),
        Table.Cell(one.isSame ? "yes" : "NO", one.isSame ? .good : .fail))
    }
    return .table("Each replay on each tier", table)
  }
}
