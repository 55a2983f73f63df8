import Chaos
import Phone
import Terminal

/// A comparison as one page of HTML that needs nothing else: no script, no network, light and dark.
///
/// Meaning never rests on colour: each cell has its word or number. Wide tables scroll by themselves,
/// so that the page does not.
package struct ComparePage {
  private let report: CompareReport

  package init(_ report: CompareReport) {
    self.report = report
  }

  /// The whole page.
  package var html: String {
    """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
    <title>\(Self.escaped(report.conclusion)) - lab compare</title>
    <style>
    \(Self.style)
    </style>
    </head>
    <body>
    <a class="skip" href="#verdicts">Skip to the tables</a>
    <header>
    <h1>\(Self.escaped(report.conclusion))</h1>
    <p>\(Self.escaped(report.headline)). Workload: sign-in, refresh, refresh, on the simulated tier.</p>
    </header>
    <main>
    <h2 id="verdicts">What became of the session</h2>
    \(verdictTable)
    <h2>By fault</h2>
    <p>A cell is the worst outcome, and in how many of its states the store failed. <b>0/n</b>: looked
    at n, none failed. <b>-</b>: cannot happen, or makes no state there.</p>
    \(report.plan.phones.map(faultTable).joined(separator: "\n"))
    \(notes)
    <h2>The words</h2>
    <dl>
    \(words)
    </dl>
    </main>
    </body>
    </html>

    """
  }

  // MARK: - Tables

  private var verdictTable: String {
    let heads = report.verdicts.map {
      #"<th scope="col" class="\#(Self.name(of: $0))">\#($0.rawValue)</th>"#
    }
    let rows = report.plan.phones.flatMap { phone in
      report.plan.stores.map { store -> String in
        let total = report.total(phone, store)
        let cells = report.verdicts.map { verdict -> String in
          let count = total[verdict]
          return #"<td class="\#(count == 0 ? "none" : Self.name(of: verdict))">\#(count)</td>"#
        }
        return #"<tr><th scope="row">\#(Self.escaped(store)) on \#(phone.rawValue)</th>"#
          + "<td>\(total.stateCount)</td>\(cells.joined())</tr>"
      }
    }
    return Self.table(
      "In how many states each store did what",
      head: #"<th scope="col">store</th><th scope="col">states</th>"# + heads.joined(), rows)
  }

  private func faultTable(on phone: PhoneKind) -> String {
    let heads = report.plan.stores.map { #"<th scope="col">\#(Self.escaped($0))</th>"# }
    let rows = report.plan.faults.map { fault -> String in
      let cells = report.plan.stores.map { store -> String in
        guard let tally = report.tally(phone, store, fault) else { return "<td>not run</td>" }
        guard tally.stateCount > 0 else { return #"<td class="none">-</td>"# }
        let name = tally.worst.map(Self.name) ?? "none"
        return #"<td class="\#(name)">\#(CompareReport.words(tally))</td>"#
      }
      return #"<tr><th scope="row" title="\#(Self.escaped(fault.summary))">\#(fault.rawValue)</th>"#
        + "\(cells.joined())</tr>"
    }
    return Self.table(
      "Each fault on \(phone.rawValue)", head: #"<th scope="col">fault</th>"# + heads.joined(), rows
    )
  }

  private static func table(_ caption: String, head: String, _ rows: [String]) -> String {
    """
    <div class="scroll" role="region" aria-label="\(escaped(caption))" tabindex="0">
    <table>
    <caption>\(escaped(caption))</caption>
    <thead><tr>\(head)</tr></thead>
    <tbody>
    \(rows.joined(separator: "\n"))
    </tbody>
    </table>
    </div>
    """
  }

  private var notes: String {
    let notes = report.bounds + report.impossible
    guard !notes.isEmpty else { return "" }
    let items = notes.map { "<li>\(Self.escaped($0))</li>" }
    return "<h2>Not looked at</h2>\n<ul>\n\(items.joined(separator: "\n"))\n</ul>"
  }

  private var words: String {
    report.verdicts.map { verdict in
      #"<dt class="\#(Self.name(of: verdict))">\#(verdict.rawValue)</dt><dd>"#
        + "\(Self.escaped(verdict.meaning))</dd>"
    }.joined(separator: "\n")
  }

  // MARK: - Parts

  private static func name(of verdict: Verdict) -> String {
    switch Tone(verdict) {
    case .good: "good"
    case .wait: "wait"
    case .fail: "fail"
    case .neutral: "none"
    }
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;")
  }

  /// The colours differ in lightness too, so that they stay apart in every kind of sight.
  private static let style = """
    :root { color-scheme: light dark; --good: #0b5cad; --wait: #986200; --fail: #7d0c0c;
      --none: #5a616c; --line: #c9ced6; --back: #ffffff; --text: #16191d; }
    @media (prefers-color-scheme: dark) { :root { --good: #4cb3f7; --wait: #f5e0a0;
      --fail: #f2592b; --none: #868e96; --line: #3a414a; --back: #0d1117; --text: #e6e9ec; } }
    body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 75rem; padding: 1rem;
      background: var(--back); color: var(--text); }
    h1 { font-size: 1.5rem; line-height: 1.25; } h2 { font-size: 1.2rem; margin-top: 2rem; }
    .scroll { overflow-x: auto; margin: 1rem 0; }
    .scroll:focus-visible, a:focus-visible { outline: 3px solid var(--good); outline-offset: 2px; }
    table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
    caption { text-align: left; font-weight: 600; padding: .25rem 0; }
    th, td { border: 1px solid var(--line); padding: .3rem .6rem; text-align: left;
      white-space: nowrap; }
    tbody th { font-weight: 600; position: sticky; left: 0; background: var(--back); }
    .good { color: var(--good); } .wait { color: var(--wait); } .none { color: var(--none); }
    .fail { color: var(--fail); font-weight: 700; }
    dt { font-weight: 600; } dd { margin: 0 0 .5rem 1rem; }
    .skip { position: absolute; left: -999px; } .skip:focus { position: static; }
    @media print { .scroll { overflow: visible; } .skip { display: none; } }
    """
}
