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
  var findings: [any ReportCard] = []
  /// What the files say is lost.
  var losses: [any ReportCard] = []
  /// Whatever the command has beside findings and runs, each with its heading.
  var sections: [(id: String, title: String, parts: [Markup])] = []
  var rows: VerdictRows?
  /// Where the rows' losses are told.
  var anchors: CardAnchors?
  var proof: [(name: String, value: String)] = []
  /// As `--json` prints it.
  let data: JSONValue

  /// More cards than that become a line each.
  private static let cardCountMax = 20

  /// How the ids of cards begin.
  static let finding = "finding"
  static let loss = "loss"

  static func id(_ word: String, _ index: Int) -> String { "\(word)-\(index + 1)" }

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
    page.script = try PageScript()
    page.data = data
    return page.html
  }

  private var parts: [(id: String, title: String, parts: [Markup])] {
    var parts: [(id: String, title: String, parts: [Markup])] = []
    if !findings.isEmpty {
      parts.append(Self.part("findings", "Findings", Self.finding, findings))
    }
    if !losses.isEmpty {
      parts.append(Self.part("losses", "Losses that the files name", Self.loss, losses))
    }
    parts += sections
    if let rows {
      parts.append(
        (
          "verdicts", "Verdicts \(rows.count)",
          [
            Markup("p", ["class": "js", "hidden": "hidden", "id": "count"]),
            rows.markup(linkedTo: anchors),
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
    _ id: String, _ title: String, _ word: String, _ cards: [any ReportCard]
  ) -> (id: String, title: String, parts: [Markup]) {
    var parts = cards.prefix(cardCountMax).enumerated().map { index, card in
      card.markup(id: Self.id(word, index))
    }
    let others = cards.enumerated().dropFirst(cardCountMax).map { index, card in
      card.brief(id: Self.id(word, index))
    }
    if !others.isEmpty {
      parts.append(Markup("p", [:], .text("\(others.count) more, in a line each:")))
      parts.append(Markup("ul", [:], .lines(others)))
    }
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

  /// The words of a filter, of cards and rows, each once.
  private func choices(_ key: String) -> [String] {
    let told = (findings + losses).flatMap { card in
      switch key {
      case "phone": card.phones.map(\.rawValue)
      case "store": card.stores
      case "tier": card.tiers.map(\.rawValue)
      default: [card.word]
      }
    }
    return ((rows?.choices(key) ?? []) + told).reduce(into: []) {
      if !$0.contains($1) { $0.append($1) }
    }
  }

  private var filter: Markup {
    guard rows != nil || findings.count > 1 else { return .list([]) }
    var fields = [
      Markup(
        "label", [:], "Find (press /)",
        .empty("input", ["type": "search", "name": "find", "autocomplete": "off"]))
    ]
    for key in ["phone", "store", "tier", "verdict"] {
      let words = choices(key)
      guard words.count > 1 else { continue }
      let options = words.map { Markup("option", ["value": $0], .text($0)) }
      fields.append(
        Markup(
          "label", [:], .text(key),
          Markup("select", ["name": key], [Markup("option", ["value": ""], "all")] + options)))
    }
    fields.append(Markup("button", ["type": "reset"], "Show everything"))
    return Markup(
      "details", ["class": "js filters", "hidden": "hidden", "open": "open"],
      Markup("summary", [:], "Filter"),
      Markup(
        "form",
        ["id": "filter", "role": "search", "aria-label": "Filter findings and runs"],
        .lines(fields)))
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
