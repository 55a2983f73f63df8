import JSON
package import Terminal

/// The measurements of a suite as people read them on a terminal.
package struct BenchmarkReport {
  private let measured: Measurements

  package init(_ measured: Measurements) {
    self.measured = measured
  }

  /// All lines for stdout.
  package func lines(for console: Console) -> [String] {
    var lines = measured.warnings + [heading]
    for section in measured.sections {
      let table =
        switch section.layout {
        case .cases: caseTable(section)
        case .sizes(let bound): sizeTable(section, of: bound)
        case .counts: countTable(section)
        }
      // Beside each table, because tables are what is copied.
      lines += [""] + (measured.isSmoke ? [Measurements.smokeWords] : [])
      lines += table.lines(for: console)
    }
    lines += [""] + demandTable.lines(for: console) + [""]
    for note in notes { lines += TextLayout.wrap("note: \(note)", width: console.columnCount) }
    lines.append(measured.summary)
    if let advice = measured.advice {
      lines += TextLayout.wrap(advice, width: console.columnCount)
    }
    return lines
  }

  private var heading: String {
    let machine =
      "cpu: \(measured.machine.cpu), processor \(measured.machine.processor)   "
      + "\(measured.roundCount) rounds, interleaved"
    guard !measured.isSmoke else { return machine }
    let verdict = measured.isNoisy ? "TOO NOISY to compare" : "fine to compare"
    return "\(machine)   spread \(FigureText.percent(measured.noise)) (\(verdict))"
  }

  private var notes: [String] {
    var notes = measured.notes
    let wide = measured.sections.flatMap(\.rows).filter { $0.spread > Measurements.noiseMax }
    if !wide.isEmpty, !measured.isSmoke {
      let names = wide.map { "\($0.name) (\($0.implementation))" }.joined(separator: ", ")
      notes.append("these spread more than \(FigureText.percent(Measurements.noiseMax)): \(names).")
    }
    if measured.isNoisy, !measured.isSmoke {
      notes.append(
        "the machine was too busy to say: \(FigureText.value(measured.neighbours, .count)) other "
          + "threads wanted a processor. Close other programs, or use --rounds 31.")
    }
    notes.append(
      "seed \(measured.seed), digest of the work \(measured.digest); "
        + measured.machine.facts.dropFirst().map { "\($0.name) \($0.value)" }
        .joined(separator: ", ") + ".")
    return notes
  }

  /// A line for each case: ratios first, then the figures, then those of other implementations.
  private func caseTable(_ section: Measurements.Section) -> Table {
    let ratios = section.rows.flatMap(\.ratios).map(\.name).unique
    let cases = section.rows.map(\.name).unique.map { name in
      section.rows.filter { $0.name == name }
    }
    let others = cases.flatMap { $0.dropFirst() }.map(\.implementation).unique
    let columns = ratios.map { "of \($0)" } + ["median", "min", "spread"] + others
    var table = Table(
      [Table.Column(section.title)] + columns.map { Table.Column($0, isRightAligned: true) })
    for rows in cases {
      guard let first = rows.first else { continue }
      var cells = [first.name]
      cells += ratios.map { name in
        first.ratios.first { $0.name == name }.map { FigureText.ratio($0.value) } ?? ""
      }
      cells += [
        FigureText.value(first.value, first.unit), FigureText.value(first.minimum, first.unit),
        FigureText.percent(first.spread),
      ]
      cells += others.map { other in
        rows.dropFirst().first { $0.implementation == other }
          .map { FigureText.value($0.value, $0.unit) } ?? ""
      }
      table.add(cells.map { Table.Cell($0) })
    }
    return table
  }

  /// A line for each implementation: GB/s for each size, and how much of the bound that is.
  private func sizeTable(_ section: Measurements.Section, of bound: String) -> Table {
    let sizes = Set(section.rows.map(\.bytes)).sorted()
    var table = Table(
      [Table.Column(section.title)]
        + sizes.map { Table.Column(FigureText.size($0), isRightAligned: true) })
    for implementation in section.rows.map(\.implementation).unique {
      let rows = section.rows.filter { $0.implementation == implementation }
      let cells = sizes.map { size in
        rows.first { $0.bytes == size }.map { Self.throughput($0, of: bound) } ?? ""
      }
      table.add(([implementation] + cells).map { Table.Cell($0) })
    }
    return table
  }

  private func countTable(_ section: Measurements.Section) -> Table {
    let implementations = section.rows.map(\.implementation).unique
    var table = Table(
      [Table.Column(section.title)]
        + implementations.map { Table.Column($0, isRightAligned: true) })
    for name in section.rows.map(\.name).unique {
      let cells = implementations.map { implementation in
        section.rows.first { $0.name == name && $0.implementation == implementation }
          .map { FigureText.value($0.value, $0.unit) } ?? ""
      }
      table.add(([name] + cells).map { Table.Cell($0) })
    }
    return table
  }

  private static func throughput(_ row: Measurements.Row, of bound: String) -> String {
    let speed = FigureText.significant(row.bytesPerNanosecond)
    let share = row.ratios.first { $0.name == bound }?.value ?? 0
    return share < 0.01 ? speed : "\(speed) \(FigureText.percent(share))"
  }

  private var demandTable: Table {
    var table = Table("demanded", "of", "measured", "verdict")
    for row in measured.sections.flatMap(\.rows) {
      for demand in row.demands {
        table.add(
          Table.Cell(demand.words), Table.Cell(row.name),
          Table.Cell(demand.measured), measured.verdict(of: demand))
      }
    }
    return table
  }
}
