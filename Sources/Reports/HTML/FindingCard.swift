import Chaos
import JSON
import Phone
import Ports
import Terminal

/// A story as a part of a page: what happened, row by row, why it can happen, how to see it again.
struct FindingCard: ReportCard {
  let story: FindingStory
  var replay: String?
  /// The command that prints the steps for a device.
  var device: String?
  /// Other cases of the same cause.
  var alike: [CaseRun] = []
  /// What the same run showed without the fault.
  var control: String?
  /// What a store without a flaw shows there.
  var right: String?
  /// `shrunk: 41 -> 2 decisions`.
  var size: String?
  /// What was recorded and what was shown, of one that was played again.
  var notes: [String] = []
  /// Where it was shown, where the name of its scenario does not say that.
  var place: String?
  /// Whether its file names the loss; only its head is open then.
  var isKnown = false

  private var run: CaseRun { story.run }

  init(story: FindingStory) { self.story = story }

  /// The card of what was found; `folder` has its replay.
  init(_ finding: Finding, replaysIn folder: String) {
    self.init(story: FindingStory(finding.run, of: finding.replay.scenario))
    let tool = finding.run.phone == .ios ? "simctl" : "adb"
    replay = "./lab \(finding.command(in: folder))"
    device = "./lab replay \(folder)/\(finding.replay.name).json --as \(tool)"
    size = finding.sizeWords
  }

  /// The same for a page that goes to others: it does not say where its maker keeps files.
  var portable: FindingCard {
    var card = self
    let (place, name) = (story.scenario.place, ReportPage.portable(story.scenario.place))
    card.replay = replay?.replacing(place, with: name)
    card.device = device?.replacing(place, with: name)
    return card
  }

  var word: String { story.word }
  var title: String { place ?? story.place }
  /// What happened, for somebody who knows the app only. A replay has no story of its own.
  private var sentence: String {
    let scenario = story.scenario
    guard scenario.isReplay, let meaning = run.failure?.meaning else { return scenario.story }
    return meaning.prefix(1).uppercased() + meaning.dropFirst() + "."
  }
  /// Where a replay comes from; nothing of a scenario, whose story is the sentence.
  private var origin: [String] { sentence == story.scenario.story ? [] : [story.scenario.story] }
  var phones: [PhoneKind] { Self.different([run.phone] + alike.map(\.phone)) }
  var stores: [String] { Self.different([run.store] + alike.map(\.store)) }
  var tiers: [Tier] { Self.different([run.tier] + alike.map(\.tier)) }

  private static func different<Value: Equatable>(_ values: [Value]) -> [Value] {
    values.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  private var facts: [String] {
    [run.phone.rawValue, "store \(run.store)", "\(run.tier.rawValue) tier"]
      + (size.map { [$0] } ?? [])
  }

  // MARK: - On a page

  func markup(id: String) -> Markup {
    let sentence = Markup("p", ["class": "sentence"], .text(sentence))
    let told = [timeline, legend] + reasons + operations(id: id)
    let devices = command("Confirm it on a device", device, id: "\(id)-device")
    guard isKnown else {
      return element(
        "article", cardClass, id: id, labelledBy: "\(id)-title",
        [head(id: id, tone: story.tone, facts), sentence] + told
          + command("Replay", replay, id: "\(id)-replay") + devices
          + [issue(markdown, id: id)])
    }
    let fold = Markup(
      "details", ["class": "fold", "id": "\(id)-story"],
      Markup("summary", [:], "Its story, why it can happen, and what mends it"),
      .lines(told + devices))
    return element(
      "article", "card known", id: id, labelledBy: "\(id)-title",
      [
        head(id: id, tone: .fail, facts + ["known and expected: its file says so"]), sentence,
        fold,
      ] + (replay.map { [.command($0, id: "\(id)-replay")] } ?? []))
  }

  private var cardClass: String {
    story.tone == .fail ? "card" : "card \(Markup.className(story.tone))"
  }

  private var legend: Markup {
    Markup("p", ["class": "legend-line"], .text(story.legends.joined(separator: "\n")))
  }

  private var reasons: [Markup] {
    let more =
      [
        (right == story.expected ? nil : right).map { "A store without a flaw shows: \($0)." },
        story.expected.map { "Its file expects: \($0)." },
        control.map { "The same run without the fault: \($0)." }, others,
      ].compactMap(\.self) + origin
      + notes
    let mends =
      [
        story.mend, run.failure?.falseMend.map { "not a fix: \($0)" },
      ].compactMap(\.self)
    return list("What was judged", story.judgements.map(Markup.text))
      + reasons(story.rules) + list("Beside it", more.map(Markup.text))
      + list("Fix", mends.map(Markup.text))
  }

  /// The other cases, those of one store on one phone together.
  var others: String? {
    guard !alike.isEmpty else { return nil }
    var groups: [(of: CaseRun, names: [String])] = []
    for one in alike {
      let place = groups.firstIndex { $0.of.store == one.store && $0.of.phone == one.phone }
      if let place {
        groups[place].names.append(one.name)
      } else {
        groups.append((one, [one.name]))
      }
    }
    let words = groups.map { group in
      let names = group.names.joined(separator: ", ")
      let isHere = group.of.store == run.store && group.of.phone == run.phone
      return isHere ? names : "\(group.of.store) on \(group.of.phone.rawValue): \(names)"
    }
    return "The same in \(Counted.words(alike.count, "more case")): "
      + "\(words.joined(separator: "; "))."
  }

  // MARK: - As an issue

  /// The same in Markdown.
  var markdown: String {
    let head = "\(story.word): \(title), \(facts.joined(separator: ", "))"
    var lines = [
      "### \(head.escapedMarkdown)", "",
      sentence.escapedMarkdown, "", "| | the app | key half | blob half |",
      "| --- | --- | --- | --- |",
    ]
    lines += story.lines.map { line in
      let text = line.text + (line.sees.map { "; the app shows: \($0)" } ?? "")
      return "| \(line.number) | \(text.escapedMarkdown) | \(line.key.words) | \(line.blob.words) |"
    }
    lines += ["", "`\(FindingStory.legend)`", ""]
    lines += story.judgements.map { "- \($0.escapedMarkdown)" }
    lines += story.rules.map { "- can happen: \($0.name): \($0.sentence)" }
    if let expected = story.expected { lines.append("- its file expects: \(expected)") }
    lines += origin.map { "- \($0.escapedMarkdown)" }
    if let replay { lines += ["", "    \(replay)"] }
    return lines.joined(separator: "\n") + "\n"
  }
}
