import Chaos
import Phone
import Ports

/// A story as a part of a page: what happened, row by row, why it can happen, how to see it again.
struct FindingCard {
  let story: FindingStory
  /// The command that shows it again; `nil` when there is none.
  var replay: String?
  /// The command that prints the steps for a device.
  var device: String?
  /// Names of other cases of the same cause.
  var alike: [String] = []
  /// What the same run showed without the fault.
  var control: String?
  /// What a store without a flaw shows there.
  var right: String?
  /// `shrunk: 41 -> 2 decisions`.
  var size: String?
  /// What was recorded and what was shown, of one that was played again.
  var notes: [String] = []
  var isGood = false

  private var run: CaseRun { story.run }

  init(story: FindingStory) { self.story = story }

  /// The card of what was found; `folder` has its replay.
  init(_ finding: Finding, replaysIn folder: String) {
    self.init(story: FindingStory(finding.run, of: finding.replay.scenario))
    let tool = finding.run.phone == .ios ? "simctl" : "adb"
    replay = "./lab \(finding.command(in: folder))"
    device = "./lab replay \(folder)/\(finding.replay.name).json --as \(tool)"
    size = "shrunk: \(finding.foundChoiceCount) -> \(finding.replay.choices.count) decisions"
  }

  private var facts: [String] {
    [run.phone.rawValue, "store \(run.store)", "\(run.tier.rawValue) tier"]
      + (size.map { [$0] } ?? [])
  }

  // MARK: - On a page

  /// An article; its parts have ids that begin with its own.
  func markup(id: String) -> Markup {
    Markup(
      "article",
      [
        "class": isGood ? "card good" : "card", "id": id, "aria-labelledby": "\(id)-title",
        "data-phone": run.phone.rawValue, "data-store": run.store, "data-tier": run.tier.rawValue,
        "data-verdict": story.word,
      ],
      .lines(
        [
          Markup(
            "div", ["class": "telling"],
            Markup(
              "h3", ["id": "\(id)-title", "tabindex": "-1"],
              Markup("span", ["class": isGood ? "word good" : "word fail"], .text(story.word)),
              .text("  \(story.place)")),
            Markup("p", ["class": "aside"], .text(facts.joined(separator: ", ")))),
          Markup("p", ["class": "sentence"], .text(story.scenario.story)), timeline,
          Markup(
            "p", ["class": "legend-line"],
            .text("\(FindingStory.legend)\n\(FindingStory.valueLegend)")),
        ] + reasons + operations(id: id) + ending(id: id)))
  }

  private var timeline: Markup {
    let heads = Markup(
      "li", ["class": "heads", "aria-hidden": "true"], Self.gap,
      Markup("span", [:], "the app"), Markup("span", [:], "key half"),
      Markup("span", [:], "blob half"))
    return Markup("ol", ["class": "story"], .lines([heads] + story.lines.map(row)))
  }

  private func row(_ line: FindingStory.Line) -> Markup {
    let name = line.isFailure ? "wrong" : line.isFault ? "fault" : nil
    let points = story.operations(of: line).compactMap(\.point).map {
      "\($0.rawValue) (\($0.words))"
    }
    let hit = story.operations(of: line).first { $0.fault != nil }
    var told: [Markup] = [.text(line.text)]
    if line.isFault, !points.isEmpty {
      told.append(
        Markup("span", ["class": "reached"], .text("reached: \(points.joined(separator: ", "))")))
    }
    if let hit, let fault = hit.fault, hit.point == nil {
      told.append(Markup("span", ["class": "reached"], .text("\(fault) fell on: \(hit.words)")))
    }
    if let sees = line.sees {
      told.append(Markup("span", ["class": "sees"], .text("the app shows: \(sees)")))
    }
    return Markup(
      "li", ["class": name],
      Markup(
        "span", ["class": "number"], Markup("span", ["aria-hidden": "true"], .text(line.number)),
        Markup("span", ["class": "sr"], .text(Self.spoken(line)))),
      Markup("div", [:], told), lane("key half", line.key), lane("blob half", line.blob))
  }

  /// A column of a head that has no name.
  private static let gap = Markup("span", [:], [])

  private static func spoken(_ line: FindingStory.Line) -> String {
    (line.isFault ? "fault: " : "") + (line.isFailure ? "goes wrong here: " : "")
  }

  private func lane(_ name: String, _ half: FindingStory.Line.Half) -> Markup {
    let isVolatile = half.value != nil && !half.isDurable
    let classes =
      [
        "lane", half.value == nil ? "absent" : isVolatile ? "volatile" : nil,
        half.isNew ? "new" : nil,
      ]
      .compactMap(\.self).joined(separator: " ")
    let label = Markup("span", ["class": "label"], .text("\(name): "))
    guard let value = half.value else {
      return Markup("span", ["class": classes], label, Self.mark("-", "nothing"))
    }
    return Markup(
      "span", ["class": classes], label, .text("\(value) "),
      Self.mark(half.isDurable ? "#" : "~", half.isDurable ? "durable" : "volatile"))
  }

  /// A mark for the eye, and its word for the ear.
  private static func mark(_ mark: String, _ word: String) -> Markup {
    .list([
      Markup("span", ["aria-hidden": "true", "title": word], .text(mark)),
      Markup("span", ["class": "sr"], .text(word)),
    ])
  }

  private var reasons: [Markup] {
    var parts: [Markup] = []
    func add(_ title: Markup, _ items: [Markup]) {
      guard !items.isEmpty else { return }
      parts.append(Markup("h4", [:], title))
      parts.append(Markup("ul", [:], .lines(items.map { Markup("li", [:], $0) })))
    }
    add("What was judged", story.judgements.map(Markup.text))
    add(
      "Why this can happen",
      story.rules.map { rule in
        .list([
          Markup("b", [:], .text(rule.name)),
          .text(rule.isSynthetic ? ": \(rule.sentence). " : " (legal): \(rule.sentence). "),
          Markup(
            "cite", [:], .text(rule.source.map { "Source: \($0)." } ?? "An assumption of the lab.")),
        ])
      })
    let cases = alike.count == 1 ? "case" : "cases"
    let more =
      [
        (right == story.expected ? nil : right).map { "A store without a flaw shows: \($0)." },
        story.expected.map { "Its file expects: \($0)." },
        control.map { "The same run without the fault: \($0)." },
        alike.isEmpty
          ? nil : "The same in \(alike.count) more \(cases): \(alike.joined(separator: ", ")).",
      ].compactMap(\.self) + notes
    add("Beside it", more.map(Markup.text))
    let mends =
      [
        story.mend, run.verdicts.first(where: \.isFailure)?.falseMend.map { "not a fix: \($0)" },
      ].compactMap(\.self)
    add("Fix", mends.map(Markup.text))
    return parts
  }

  private func operations(id: String) -> [Markup] {
    guard !run.operations.isEmpty else { return [] }
    let window = story.window
    func fold(_ count: Int) -> [Markup] {
      count == 0 ? [] : [Markup("li", ["class": "aside"], .text("\(count) operations, not shown"))]
    }
    let heads = Markup(
      "li", ["class": "aside", "aria-hidden": "true"], Self.gap, Self.gap,
      Markup("span", [:], "key half"), Markup("span", [:], "blob half"))
    var items = [heads] + fold(window.before)
    var title = ""
    for (index, one) in zip(window.shown.indices, window.shown) {
      let line = story.lines.first { $0.rows.contains(one.row) }
      let next = line.map { "\($0.number)  \($0.text)" } ?? ""
      if next != title { items.append(Markup("li", ["class": "title"], .text(next))) }
      title = next
      items.append(Self.row(index, one))
    }
    items += fold(window.behind)
    return [
      Markup(
        "details", ["id": "\(id)-operations"],
        Markup(
          "summary", [:],
          .text("All \(run.operations.count) operations, with what was durable after each")),
        Markup("ol", ["class": "operations"], .lines(items)))
    ]
  }

  private static func row(_ index: Int, _ one: StoryOperation) -> Markup {
    let names = [
      one.half?.rawValue, one.point == nil ? nil : "point", one.fault == nil ? nil : "hit",
    ]
    let classes = names.compactMap(\.self).joined(separator: " ")
    let fault = one.fault.map { "   X \($0)" } ?? ""
    func state(_ name: String, _ isDurable: Bool) -> Markup {
      Markup(
        "span", ["class": "state"], Markup("span", ["class": "sr"], .text("\(name) half: ")),
        mark(isDurable ? "#" : "~", isDurable ? "durable" : "volatile"))
    }
    return Markup(
      "li", [:], Markup("span", ["class": "aside"], .text("\(index + 1)")),
      Markup("span", ["class": classes.isEmpty ? nil : classes], .text(one.words + fault)),
      state("key", one.keyIsDurable), state("blob", one.blobIsDurable))
  }

  private func ending(id: String) -> [Markup] {
    var parts: [Markup] = []
    for (title, name, command) in [
      ("Replay", "replay", replay), ("Confirm it on a device", "device", device),
    ] as [(Markup, String, String?)] {
      guard let command else { continue }
      parts.append(Markup("h4", [:], title))
      parts.append(
        Markup(
          "p", ["class": "copy"], Markup("code", ["id": "\(id)-\(name)"], .text(command)),
          Self.copyButton("\(id)-\(name)", "Copy")))
    }
    parts.append(
      Markup(
        "details", ["class": "issue", "id": "\(id)-issue"],
        Markup("summary", [:], "As an issue, in Markdown"),
        Self.copyButton("\(id)-markdown", "Copy as issue"),
        Markup("pre", ["id": "\(id)-markdown"], .text(markdown))))
    return parts
  }

  static func copyButton(_ id: String, _ words: String) -> Markup {
    Markup(
      "button", ["type": "button", "class": "js", "hidden": "hidden", "data-copies": id],
      .text(words))
  }

  // MARK: - As an issue

  /// The same in Markdown.
  var markdown: String {
    var lines = [
      "### \(Self.escaped("\(story.word): \(story.place), \(facts.joined(separator: ", "))"))", "",
      Self.escaped(story.scenario.story), "", "| | the app | key half | blob half |",
      "| --- | --- | --- | --- |",
    ]
    lines += story.lines.map { line in
      let text = line.text + (line.sees.map { "; the app shows: \($0)" } ?? "")
      return "| \(line.number) | \(Self.escaped(text)) | \(line.key.words) | \(line.blob.words) |"
    }
    lines += ["", "`\(FindingStory.legend)`", ""]
    lines += story.judgements.map { "- \(Self.escaped($0))" }
    lines += story.rules.map { "- can happen: \($0.name): \($0.sentence)" }
    if let expected = story.expected { lines.append("- its file expects: \(expected)") }
    if let replay { lines += ["", "    \(replay)"] }
    return lines.joined(separator: "\n") + "\n"
  }

  /// What an app has said becomes no markup.
  private static func escaped(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      if "\\`*_[]<>|#~&".contains(character) { result.append("\\") }
      result.append(character)
    }
  }
}
