package import JSON
package import Terminal

/// The measurements of a suite: tables for people, and `lab.bench/1` for programs.
package struct BenchmarkReport {
  package static let schema = "lab.bench/1"

  private let measured: Measurements

  package init(_ measured: Measurements) {
    self.measured = measured
  }

  // MARK: - For people

  /// All lines for stdout.
  package func lines(for console: Console) -> [String] {
    var lines = [heading]
    for section in measured.sections {
      let table =
        switch section.layout {
        case .cases: caseTable(section)
        case .sizes(let bound): sizeTable(section, of: bound)
        case .counts: countTable(section)
        }
      lines += [""] + table.lines(for: console)
    }
    lines += [""] + demandTable.lines(for: console) + [""]
    for note in notes { lines += TextLayout.wrap("note: \(note)", width: console.columnCount) }
    lines.append(verdict)
    if let conclusion = measured.conclusion {
      lines += TextLayout.wrap(conclusion, width: console.columnCount)
    }
    return lines
  }

  private var heading: String {
    let verdict = measured.isNoisy ? "TOO NOISY to compare" : "fine to compare"
    return "cpu: \(measured.machine.cpu), processor \(measured.machine.processor)   "
      + "\(measured.roundCount) rounds, interleaved   "
      + "spread \(FigureText.percent(measured.noise)) (\(verdict))"
  }

  private var notes: [String] {
    var notes = measured.notes
    let wide = measured.sections.flatMap(\.rows).filter { $0.spread > Measurements.noiseMax }
    if !wide.isEmpty {
      let names = wide.map { "\($0.name) (\($0.implementation))" }.joined(separator: ", ")
      notes.append("these spread more than \(FigureText.percent(Measurements.noiseMax)): \(names).")
    }
    if measured.isNoisy {
      notes.append(
        "the machine was too busy to say: \(FigureText.value(measured.neighbours, .count)) other "
          + "threads wanted a processor. Close other programs, or use --rounds 31.")
    }
    notes.append(
      "seed \(measured.seed), digest of the work \(measured.digest); Linux "
        + "\(measured.machine.kernel), libfuse \(measured.machine.libfuse), SQLite "
        + "\(measured.machine.sqlite).")
    return notes
  }

  private var verdict: String {
    let demands = measured.sections.flatMap(\.rows).flatMap(\.demands)
    let met = demands.count(where: \.isMet)
    return "\(met) of \(demands.count) demands met"
      + (measured.isNoisy ? ", but on a machine that was too noisy to say." : ".")
  }

  /// A line for each case: ratios first, then the figures, then those of other implementations.
  private func caseTable(_ section: Measurements.Section) -> Table {
    let ratios = Self.unique(section.rows.flatMap(\.ratios).map(\.name))
    let cases = Self.unique(section.rows.map(\.name)).map { name in
      section.rows.filter { $0.name == name }
    }
    let others = Self.unique(cases.flatMap { $0.dropFirst() }.map(\.implementation))
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
    for implementation in Self.unique(section.rows.map(\.implementation)) {
      let rows = section.rows.filter { $0.implementation == implementation }
      let cells = sizes.map { size in
        rows.first { $0.bytes == size }.map { Self.throughput($0, of: bound) } ?? ""
      }
      table.add(([implementation] + cells).map { Table.Cell($0) })
    }
    return table
  }

  private func countTable(_ section: Measurements.Section) -> Table {
    let implementations = Self.unique(section.rows.map(\.implementation))
    var table = Table(
      [Table.Column(section.title)]
        + implementations.map { Table.Column($0, isRightAligned: true) })
    for name in Self.unique(section.rows.map(\.name)) {
      let cells = implementations.map { implementation in
        section.rows.first { $0.name == name && $0.implementation == implementation }
          .map { FigureText.value($0.value, $0.unit) } ?? ""
      }
      table.add(([name] + cells).map { Table.Cell($0) })
    }
    return table
  }

  private static func throughput(_ row: Measurements.Row, of bound: String) -> String {
    let speed = FigureText.significant(Double(row.bytes) / row.value)
    let share = row.ratios.first { $0.name == bound }?.value ?? 0
    return share < 0.01 ? speed : "\(speed) \(FigureText.percent(share))"
  }

  private var demandTable: Table {
    var table = Table("demanded", "of", "measured", "verdict")
    for row in measured.sections.flatMap(\.rows) {
      for demand in row.demands {
        table.add(
          Table.Cell(demand.words), Table.Cell(row.name),
          Table.Cell(demand.measured), verdict(demand))
      }
    }
    return table
  }

  /// A demand that is met in spite of the neighbours is met.
  private func verdict(_ demand: Measurements.Demand) -> Table.Cell {
    if demand.isMet { return Table.Cell("met", .good) }
    return measured.isNoisy ? Table.Cell("too noisy to say", .wait) : Table.Cell("MISSED", .fail)
  }

  private static func unique(_ names: [String]) -> [String] {
    names.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  // MARK: - For programs

  /// `lab.bench/1`: the only output of the lab that holds times of the machine's clock.
  package var json: JSONValue {
    let machine = measured.machine
    return [
      "schema": .text(Self.schema), "suite": .text(measured.suite),
      "seed": .number(measured.seed), "digest": .text(measured.digest),
      "rounds": .integer(measured.roundCount), "spread": .double(measured.noise),
      "neighbours": .double(measured.neighbours), "tooNoisy": .bool(measured.isNoisy),
      "rows": .list(measured.sections.flatMap(\.rows).map(Self.json)),
      "notes": .list(measured.notes.map(JSONValue.text)),
      "conclusion": .text(measured.conclusion ?? ""),
      "machine": [
        "cpu": .text(machine.cpu), "kernel": .text(machine.kernel),
        "libfuse": .text(machine.libfuse), "sqlite": .text(machine.sqlite),
        "processor": .integer(machine.processor), "processors": .integer(machine.processorCount),
      ],
    ]
  }

  private static func json(_ row: Measurements.Row) -> JSONValue {
    [
      "case": .text(row.name), "implementation": .text(row.implementation),
      "bytes": .integer(row.bytes), "unit": .text(row.unit.rawValue),
      "value": .double(row.value), "minimum": .double(row.minimum),
      "spread": .double(row.spread),
      "ratios": .object(
        JSONObject(row.ratios.map { .init(key: $0.name, value: .double($0.value)) })),
      "demands": .list(
        row.demands.map {
          [
            "words": .text($0.words), "measured": .text($0.measured), "met": .bool($0.isMet),
          ]
        }),
    ]
  }
}
