import Chaos
import Crypto
import JSON
import Phone
import Session
import Terminal
import Zoo

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
  /// What was looked at: short pieces.
  var facts: [String]
  /// The start of all draws; `nil` where several have their own.
  var seed: UInt64?
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
  /// Verdicts and stores that are named anywhere; each is explained once.
  var verdicts: [Verdict] = []
  var stores: [String] = []
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
      lead: [lead, strip, Markup("p", ["class": "aside"], .text(Self.about))],
      skipTarget: parts.first?.id ?? "proof",
      parts: notices.map { Markup("p", ["class": "banner"], .text($0)) } + [filter]
        + parts.map { part in
          Markup(
            "section", ["id": part.id, "aria-labelledby": "\(part.id)-title"],
            .lines(
              [Markup("h2", ["id": "\(part.id)-title", "tabindex": "-1"], .text(part.title))]
                + part.parts))
        })
    page.nav = Self.nav(parts)
    page.skipWords = parts.first?.title.lowercased() ?? "the proof"
    let made = [maker] + facts + (seed.map { ["seed \($0)"] } ?? [])
    page.footer = [Markup("p", [:], .text(made.joined(separator: "; "))), Self.keys]
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
      parts.append(Self.part("losses", "Known losses", Self.loss, losses))
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
    parts.append(("words", "The words", [words]))
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

  private static let about =
    "lab plays an app on a phone that it can break: it ends the app, cuts the power and spoils the "
    + "storage while a session is saved, and judges what the next starts make of it. No session of "
    + "a person is in here."

  private var lead: Markup {
    let seed = seed.map { seed in
      Markup(
        "li", [:], "seed ", Markup("code", ["id": "seed"], .text("\(seed)")), " ",
        .copyButton("seed", "Copy"))
    }
    return Markup(
      "ul", ["class": "line aside", "aria-label": "What was looked at"],
      .lines(facts.map { Markup("li", [:], .text($0)) } + (seed.map { [$0] } ?? [])))
  }

  /// What a reader cannot know who was sent nothing but the page.
  private var words: Markup {
    let shown = Verdict.allCases.filter(verdicts.contains).map { verdict in
      Markup.list([
        Markup("dt", ["class": Markup.className(Tone(verdict))], .text(verdict.rawValue)),
        Markup("dd", [:], .text(verdict.meaning)),
      ])
    }
    let named = stores.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
    let known = named.compactMap { name in
      KnownStores.named(name).map { ("store \(name)", $0.summary) }
    }
    return .list([Markup("dl", [:], .lines(shown)), .definitions(Self.parts + known)])
  }

  private static let parts = [
    ("key half", "what the app keeps in the secure store: the iOS keychain, Android's Keystore"),
    ("blob half", "what it keeps in plain files or a database: the session, encrypted by the key"),
    ("store", "the code of the app that saves the session into both halves, and reads it again"),
  ]

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

  /// What the single keys do, and where the script speaks.
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
