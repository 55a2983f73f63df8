package import JSON

/// A page in one file that needs nothing else: no network, and all can be read without its script, if
/// it has one; light and dark, on paper and on a phone.
///
/// Meaning never rests on colour: whatever has one has its word, too.
package struct HTMLPage {
  /// What the page says, as a whole; its title and its first heading.
  package var heading: String
  /// Which command made it.
  package var maker: String
  /// Below the heading.
  package var lead: [Markup]
  /// The way to the parts; beside them where there is room.
  var nav: Markup?
  /// Everything else. One piece has the id that ``skipTarget`` names.
  package var parts: [Markup]
  /// Where the keyboard goes past the head, and what is there.
  package var skipTarget: String
  package var skipWords = "the tables"
  /// Behind everything else.
  package var footer: [Markup] = []
  /// What makes the page handier; `nil` for one that is only read.
  var script: PageScript?
  /// What the page shows, for other programs, as `--json` prints it.
  package var data: JSONValue?

  package init(
    _ heading: String, maker: String, lead: [Markup], skipTarget: String, parts: [Markup]
  ) {
    self.heading = heading
    self.maker = maker
    self.lead = lead
    self.skipTarget = skipTarget
    self.parts = parts
  }

  /// The whole file.
  package var html: String {
    let head = Markup(
      "head", [:],
      .lines(
        [
          .empty("meta", ["charset": "utf-8"]),
          .empty("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"]),
          .empty("meta", ["name": "color-scheme", "content": "light dark"]),
          .empty("meta", ["http-equiv": "Content-Security-Policy", "content": policy]),
          Markup("title", [:], .text("\(heading) - \(maker)")), .style(Self.rules),
        ] + (script.map { [$0.style] } ?? [])))
    var pieces = [
      Markup("a", ["class": "skip", "href": "#\(skipTarget)"], .text("Skip to \(skipWords)")),
      Markup("header", [:], .lines([Markup("h1", [:], .text(heading))] + lead)),
    ]
    if let nav { pieces.append(nav) }
    pieces.append(Markup("main", [:], .lines(parts)))
    if !footer.isEmpty { pieces.append(Markup("footer", [:], .lines(footer))) }
    if let data { pieces.append(.data(data, id: "data")) }
    if let script { pieces.append(script.element) }
    let body = Markup("body", [:], .lines(pieces))
    let page = Markup("html", ["lang": "en"], .lines([head, body]))
    // In capitals for readers of XML; to a browser it is the same.
    return "<!DOCTYPE html>\n\(page.html)\n"
  }

  /// Nothing is loaded, nothing is sent, and nothing runs but the page's own script.
  private var policy: String {
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
      + (script.map { "; script-src '\($0.digest)'" } ?? "")
  }

  /// The colours differ in lightness, too, so that they stay apart in every kind of sight.
  private static let rules: StaticString = """
    :root { color-scheme: light dark; --good: #0b5cad; --wait: #986200; --fail: #7d0c0c;
      --none: #5a616c; --line: #c9ced6; --back: #ffffff; --text: #16191d; }
    @media (prefers-color-scheme: dark) { :root { --good: #4cb3f7; --wait: #f5e0a0;
      --fail: #f2592b; --none: #868e96; --line: #3a414a; --back: #0d1117; --text: #e6e9ec; } }
    * { box-sizing: border-box; }
    body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 75rem; padding: 1rem;
      background: var(--back); color: var(--text); overflow-wrap: anywhere; }
    h1 { font-size: 1.5rem; line-height: 1.25; }
    h2 { font-size: 1.2rem; margin: 2.5rem 0 .5rem; }
    a { color: var(--good); }
    .scroll { overflow-x: auto; margin: 1rem 0; position: relative; }
    .scroll:focus-visible, a:focus-visible, summary:focus-visible { outline: 3px solid var(--good);
      outline-offset: 2px; }
    table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
    caption { text-align: left; font-weight: 600; padding: .25rem 0; }
    th, td { border: 1px solid var(--line); padding: .3rem .6rem; text-align: left;
      white-space: pre; }
    tbody th { font-weight: 600; position: sticky; left: 0; background: var(--back); }
    .number { text-align: right; }
    .good { color: var(--good); } .wait { color: var(--wait); } .none { color: var(--none); }
    .fail { color: var(--fail); font-weight: 700; }
    .banner { border: 2px solid var(--fail); padding: .5rem .75rem; font-weight: 600; }
    dt { font-weight: 600; } dd { margin: 0 0 .5rem 1rem; }
    .charts { display: grid; gap: 1.5rem; align-items: start;
      grid-template-columns: repeat(auto-fill, minmax(min(100%, 27rem), 1fr)); }
    figure { margin: 0; max-width: 36rem; } figcaption { font-weight: 600; }
    svg { display: block; width: 100%; height: auto; }
    svg text { font: 10px system-ui, sans-serif; fill: var(--text); stroke: var(--back);
      stroke-width: 3px; paint-order: stroke; }
    .grid { stroke: var(--line); stroke-width: .5; fill: none; }
    .first { --ink: var(--good); } .other { --ink: var(--none); }
    .bound { --ink: var(--text); }
    .curve { stroke: var(--ink); stroke-width: 1.5; fill: none; }
    .bound .curve { stroke-width: 2.5; } .other .curve { stroke-width: 1; }
    .mark { stroke: var(--ink); stroke-width: 1.5; fill: var(--back); }
    .mark.full { fill: var(--ink); }
    .sample { fill: var(--ink); opacity: .45; }
    .legend { list-style: none; padding: 0; margin: .5rem 0 0; display: flex; flex-wrap: wrap;
      gap: .25rem 1rem; font-size: .875rem; }
    .legend svg { display: inline-block; width: 30px; height: 12px; margin-right: .4rem;
      vertical-align: middle; }
    .skip { position: absolute; left: -999px; } .skip:focus { position: static; }
    @media (max-width: 40rem) { tbody th { white-space: pre-wrap; min-width: 7rem;
      max-width: 11rem; } th, td { padding: .3rem .4rem; } body { padding: .75rem; } }
    @media (forced-colors: active) { .curve, .mark { stroke: CanvasText; }
      .sample, .mark.full { fill: CanvasText; } }
    @media print { .scroll { overflow: visible; } .skip { display: none; }
      figure, tr { break-inside: avoid; } }
    """
}
