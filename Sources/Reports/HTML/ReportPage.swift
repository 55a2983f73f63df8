import Chaos
import Crypto
import JSON
import Phone

/// The page of a command that looked for losses: result, findings, tables, and what makes it
/// trustworthy, in the order in which people read.
struct ReportPage {
  /// One thing that was counted; a kind of row is a link that shows only those.
  struct Count {
    let words: String
    /// The class of the page's rules.
    let tone: String
    var kind: VerdictRows.Kind?
  }

  /// `1 finding: falseSignOut`.
  let heading: String
  /// `lab run`.
  let maker: String
  /// What was looked at, a line.
  var facts: String
  /// What a reader must not miss, before everything else.
  var notices: [String] = []
  var counts: [Count] = []
  var findings: [FindingCard] = []
  /// What the files say is lost.
  var losses: [FindingCard] = []
  /// Whatever the command has beside findings and runs, each with its heading.
  var sections: [(id: String, title: String, parts: [Markup])] = []
  var rows: VerdictRows?
  var proof: [(name: String, value: String)] = []
  /// As `--json` prints it.
  let data: JSONValue

  /// More cards than that become a line each.
  private static let cardCountMax = 20

  /// The whole file.
  ///
  /// - Throws: `CryptoError` when the library lacks the digest by which the page knows its script.
  func html() throws(CryptoError) -> String {
    let parts = parts
    var page = HTMLPage(
      heading, maker: maker,
      lead: [Markup("p", ["class": "aside"], .text(facts)), strip, Self.nav(parts)],
      skipTarget: parts.first?.id ?? "proof",
      parts: notices.map { Markup("p", ["class": "banner"], .text($0)) } + [filter]
        + parts.map { part in
          Markup(
            "section", ["id": part.id, "aria-labelledby": "\(part.id)-title"],
            .lines(
              [Markup("h2", ["id": "\(part.id)-title", "tabindex": "-1"], .text(part.title))]
                + part.parts))
        })
    page.skipWords = parts.first?.title.lowercased() ?? "the proof"
    page.footer = [Markup("p", [:], .text("\(maker), \(facts)")), Self.keys]
    page.script = try PageScript(data)
    return page.html
  }

  private var parts: [(id: String, title: String, parts: [Markup])] {
    var parts: [(id: String, title: String, parts: [Markup])] = []
    if !findings.isEmpty { parts.append(Self.part("findings", "Findings", "finding", findings)) }
    if !losses.isEmpty {
      parts.append(Self.part("losses", "Losses that the files name", "loss", losses))
    }
    parts += sections
    if let rows {
      parts.append(
        (
          "verdicts", "Verdicts",
          [
            Markup("p", ["class": "js", "hidden": "hidden", "id": "count"]), rows.markup,
            Markup(
              "p", [:], Markup("button", ["type": "button", "id": "more", "hidden": "hidden"])),
          ]
        ))
    }
    let facts = proof.map { name, value in
      Markup.list([Markup("dt", [:], .text(name)), Markup("dd", [:], .text(value))])
    }
    parts.append(("proof", "Proof", [Markup("dl", ["class": "facts"], .lines(facts))]))
    return parts
  }

  private static func part(
    _ id: String, _ title: String, _ word: String, _ cards: [FindingCard]
  ) -> (id: String, title: String, parts: [Markup]) {
    var parts = cards.prefix(cardCountMax).enumerated().map { index, card in
      card.markup(id: "\(word)-\(index + 1)")
    }
    let others = cards.dropFirst(cardCountMax).map { card in
      Markup(
        "li", [:],
        .text("\(card.story.word)  \(card.story.place), \(card.story.run.phone.rawValue), "),
        Markup("code", [:], .text(card.replay ?? "no replay")))
    }
    if !others.isEmpty { parts.append(Markup("ul", [:], .lines(others))) }
    return (id, "\(title) \(cards.count)", parts)
  }

  private var strip: Markup {
    let items = counts.map { count in
      let words = Markup.text(count.words)
      return Markup(
        "li", ["class": count.tone],
        count.kind.map { Markup("a", ["href": "#show=\($0.rawValue)"], words) } ?? words)
    }
    return Markup("ul", ["class": "strip", "aria-label": "What it comes to"], .lines(items))
  }

  private static func nav(_ parts: [(id: String, title: String, parts: [Markup])]) -> Markup {
    let items = parts.map { part in
      Markup("li", [:], Markup("a", ["href": "#\(part.id)"], .text(part.title)))
    }
    return Markup("nav", ["aria-label": "Parts of the page"], Markup("ul", [:], items))
  }

  private var filter: Markup {
    guard let rows else { return .list([]) }
    var fields = [
      Markup(
        "label", [:], "Find (press /)",
        .empty("input", ["type": "search", "name": "find", "autocomplete": "off"]))
    ]
    for key in ["phone", "store", "tier", "verdict"] {
      let words = rows.choices(key)
      guard words.count > 1 else { continue }
      let options = words.map { Markup("option", ["value": $0], .text($0)) }
      fields.append(
        Markup(
          "label", [:], .text(key),
          Markup("select", ["name": key], [Markup("option", ["value": ""], "all")] + options)))
    }
    fields.append(Markup("button", ["type": "reset"], "Show everything"))
    return Markup(
      "form",
      [
        "id": "filter", "class": "js", "hidden": "hidden", "role": "search",
        "aria-label": "Filter findings and runs",
      ], .lines(fields))
  }

  private static let keys = Markup(
    "div", ["class": "js", "hidden": "hidden"],
    Markup("p", ["id": "said", "role": "status", "class": "sr"]),
    Markup(
      "details", ["id": "keys"], Markup("summary", [:], "Keys"),
      Markup("p", [:], "/ search, n next finding, p previous finding, ? this list"),
      Markup(
        "label", [:],
        .empty("input", ["type": "checkbox", "id": "shortcuts", "checked": "checked"]),
        " single keys do something")))
}
