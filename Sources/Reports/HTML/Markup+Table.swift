package import Terminal

extension Markup {
  /// A table with a caption, whose first column names the rows.
  ///
  /// A wide one scrolls by itself, by keyboard too, so that the page does not.
  package static func table(
    _ caption: String, heads: [Markup], rows: [[Markup]]
  ) -> Markup {
    Markup(
      "div", ["class": "scroll", "role": "region", "aria-label": caption, "tabindex": "0"],
      Markup(
        "table", [:],
        .lines([
          Markup("caption", [:], .text(caption)), Markup("thead", [:], Markup("tr", [:], heads)),
          Markup("tbody", [:], .lines(rows.map { Markup("tr", [:], $0) })),
        ])))
  }

  /// The same table as on a terminal.
  package static func table(_ caption: String, _ table: Table) -> Markup {
    let heads = table.columns.map { column in
      Markup(
        "th", ["scope": "col", "class": column.isRightAligned ? "number" : nil],
        .text(column.title))
    }
    let rows = table.rows.map { row in
      zip(table.columns, row).enumerated().map { index, pair in
        let (column, cell) = pair
        if index == 0 { return Markup("th", ["scope": "row"], .text(cell.text)) }
        let names = [column.isRightAligned ? "number" : nil, cell.tone.map(className)]
        let classes = names.compactMap { $0 }.joined(separator: " ")
        let text = Markup.text(cell.text)
        return Markup(
          "td", ["class": classes.isEmpty ? nil : classes],
          cell.link.map { Markup("a", ["href": "#\($0)"], text) } ?? text)
      }
    }
    return self.table(caption, heads: heads, rows: rows)
  }

  /// What the page's rules call a tone.
  static func className(_ tone: Tone) -> String {
    switch tone {
    case .good: "good"
    case .wait: "wait"
    case .fail: "fail"
    case .neutral: "none"
    }
  }
}
