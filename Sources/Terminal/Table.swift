/// Rows under headings, for people.
///
/// Where it does not fit, it becomes `name: value` lines, one block a row: nothing is cut.
package struct Table {
  package struct Column: Sendable {
    package var title: String
    /// For numbers.
    package var isRightAligned: Bool

    package init(_ title: String, isRightAligned: Bool = false) {
      self.title = title
      self.isRightAligned = isRightAligned
    }
  }

  package struct Cell: Equatable, Sendable, ExpressibleByStringInterpolation {
    package var text: String
    package var tone: Tone?
    /// Where on a page more is told of it: the id of a part.
    package var link: String?

    package init(_ text: String, _ tone: Tone? = nil) {
      self.text = text
      self.tone = tone
    }

    package init(stringLiteral text: String) { self.init(text) }
  }

  private static let indent = "  "
  private static let gap = "  "

  package let columns: [Column]
  /// As many cells as there are columns in each.
  package private(set) var rows: [[Cell]] = []

  package init(_ columns: [Column]) { self.columns = columns }

  /// A table of texts.
  package init(_ titles: String...) { self.init(titles) }

  package init(_ titles: [String]) { columns = titles.map { Column($0) } }

  /// Cells that are left out at the end are empty.
  package mutating func add(_ cells: [Cell]) {
    precondition(cells.count <= columns.count, "a row has more cells than the table has columns")
    let missing = columns.count - cells.count
    rows.append(cells + Array(repeating: Cell(""), count: missing))
  }

  package mutating func add(_ cells: Cell...) { add(cells) }

  /// The lines, none wider than `width`, unless a single value is.
  ///
  /// `paint` puts a text into the colour of a tone.
  package func lines(
    width: Int, paint: (String, Tone) -> String = { text, _ in text }
  ) -> [String] {
    let widths = columns.indices.map { index in
      rows.map { $0[index].text.count }.reduce(columns[index].title.count, max)
    }
    let total = Self.indent.count + widths.reduce(0, +) + Self.gap.count * (columns.count - 1)
    if total > width { return blocks(paint) }
    let heading = columns.map { Cell($0.title) }
    return ([heading] + rows).map { line($0, widths, paint) }
  }

  /// The lines for a console.
  package func lines(for console: Console) -> [String] {
    lines(width: console.columnCount, paint: console.painted)
  }

  private func line(
    _ cells: [Cell], _ widths: [Int], _ paint: (String, Tone) -> String
  ) -> String {
    let last = cells.lastIndex { !$0.text.isEmpty } ?? 0
    var line = Self.indent
    for (index, cell) in cells[...last].enumerated() {
      let padding = String(repeating: " ", count: widths[index] - cell.text.count)
      let shown = cell.tone.map { paint(cell.text, $0) } ?? cell.text
      if index > 0 { line += Self.gap }
      if columns[index].isRightAligned {
        line += padding + shown
      } else {
        line += shown + (index < last ? padding : "")
      }
    }
    return line
  }

  private func blocks(_ paint: (String, Tone) -> String) -> [String] {
    var lines: [String] = []
    for (index, row) in rows.enumerated() {
      if index > 0 { lines.append("") }
      for (column, cell) in zip(columns, row) where !cell.text.isEmpty {
        let shown = cell.tone.map { paint(cell.text, $0) } ?? cell.text
        lines.append("\(Self.indent)\(column.title): \(shown)")
      }
    }
    return lines
  }
}
