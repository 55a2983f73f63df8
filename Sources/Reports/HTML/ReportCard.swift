import Chaos
import Phone
import Terminal

/// What a page tells of one cause: what was lost, how it came to that, and how to see it again.
protocol ReportCard {
  /// The verdict: `falseSignOut`.
  var word: String { get }
  /// Where it was shown: `torn-save, K1 (key written)`.
  var title: String { get }
  /// The command that shows it again; `nil` when there is none.
  var replay: String? { get }
  /// By which a filter finds it.
  var phones: [PhoneKind] { get }
  var stores: [String] { get }
  var tiers: [Tier] { get }

  /// An article; its parts have ids that begin with its own.
  func markup(id: String) -> Markup
}

extension ReportCard {
  /// One line in its place, where there are many.
  func brief(id: String) -> Markup {
    let places = [title, phones.map(\.rawValue).joined(separator: " and ")].joined(separator: ", ")
    return element(
      "li", "brief", id: id,
      [
        Markup("b", [:], .text(word)), .text(" \(places) "),
        Markup("code", [:], .text(replay ?? "no replay")),
      ])
  }

  /// An element that the page's script finds by what the card is about.
  func element(
    _ name: StaticString, _ classes: String, id: String, labelledBy label: String? = nil,
    _ children: [Markup]
  ) -> Markup {
    Markup(
      name,
      [
        "class": classes, "id": id, "aria-labelledby": label,
        "data-phone": phones.map(\.rawValue).joined(separator: ", "),
        "data-store": stores.joined(separator: ", "),
        "data-tier": tiers.map(\.rawValue).joined(separator: ", "), "data-verdict": word,
      ], [.lines(children)])
  }

  /// The head of an article: the word, the place, and what else is to be known at once.
  func head(id: String, tone: Tone, _ facts: [String]) -> Markup {
    Markup(
      "div", ["class": "telling"],
      Markup(
        "h3", ["id": "\(id)-title", "tabindex": "-1"],
        Markup("span", ["class": "word \(Markup.className(tone))"], .text(word)),
        .text("  \(title)")),
      Markup("p", ["class": "aside"], .text(facts.joined(separator: ", "))))
  }

  /// A heading and its items; nothing without items.
  func list(_ title: Markup, _ items: [Markup]) -> [Markup] {
    guard !items.isEmpty else { return [] }
    return [
      Markup("h4", [:], title),
      Markup("ul", [:], .lines(items.map { Markup("li", [:], $0) })),
    ]
  }

  /// Why a state can come about.
  func reasons(_ rules: [FindingStory.Rule]) -> [Markup] {
    let items = rules.map { rule in
      Markup.list([
        Markup("b", [:], .text(rule.name)),
        .text(rule.isSynthetic ? ": \(rule.sentence). " : " (legal): \(rule.sentence). "),
        Markup(
          "cite", [:], .text(rule.source.map { "Source: \($0)." } ?? "An assumption of the lab.")),
      ])
    }
    return list("Why this can happen", items)
  }

  /// A command under its heading, with a button that copies it.
  func command(_ title: Markup, _ command: String?, id: String) -> [Markup] {
    guard let command else { return [] }
    return [Markup("h4", [:], title), .command(command, id: id)]
  }

  /// The same in Markdown, to be pasted into an issue.
  func issue(_ markdown: String, id: String) -> Markup {
    Markup(
      "details", ["class": "issue", "id": "\(id)-issue"],
      Markup("summary", [:], "As an issue, in Markdown"),
      .copyButton("\(id)-markdown", "Copy as issue"),
      Markup("pre", ["id": "\(id)-markdown"], .text(markdown)))
  }
}

extension Markup {
  /// A command with a button that copies it.
  static func command(_ command: String, id: String) -> Markup {
    Markup(
      "p", ["class": "copy"], Markup("code", ["id": id], .text(command)), copyButton(id, "Copy"))
  }

  /// A button that copies the text of the element with that id.
  static func copyButton(_ id: String, _ words: String) -> Markup {
    Markup(
      "button", ["type": "button", "class": "js", "hidden": "hidden", "data-copies": id],
      .text(words))
  }
}

extension String {
  /// What an app has said becomes no markup of Markdown.
  var escapedMarkdown: String {
    reduce(into: "") { result, character in
      if "\\`*_[]<>|#~&".contains(character) { result.append("\\") }
      result.append(character)
    }
  }
}
