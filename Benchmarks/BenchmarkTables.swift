import Terminal

/// The measurements of a suite as tables that leave nothing out, for pages.
struct BenchmarkTables {
  private let measured: Measurements

  init(_ measured: Measurements) { self.measured = measured }

  /// What was measured with what, one fact a line.
  var machine: Table {
    var table = Table("this run", "")
    for fact in measured.machine.facts { table.add(Table.Cell(fact.name), Table.Cell(fact.value)) }
    table.add("rounds", "\(measured.roundCount), interleaved")
    table.add(
      "spread of the reference",
      "\(FigureText.percent(measured.noise)) (\(measured.isNoisy ? "TOO NOISY" : "fine"))")
    table.add("digest of the work", "\(measured.digest), seed \(measured.seed)")
    return table
  }

  /// What was demanded, and by how much it was missed.
  var demands: Table {
    // What came of it stands where a phone still shows it.
    var table = Table("demanded", "verdict", "measured", "of", "by")
    for row in measured.rows {
      for demand in row.demands {
        table.add(
          Table.Cell(demand.words), measured.verdict(of: demand), Table.Cell(demand.measured),
          Table.Cell(row.name), Table.Cell(row.implementation))
      }
    }
    return table
  }

  /// A line for each row of a section.
  func rows(of section: Measurements.Section) -> Table {
    let ratios = section.rows.flatMap(\.ratios).map(\.name).unique
    var columns = [Table.Column("case"), Table.Column("by")]
    columns += ["median", "minimum", "spread"].map { Table.Column($0, isRightAligned: true) }
    if section.isThroughput { columns.append(Table.Column("GB/s", isRightAligned: true)) }
    columns += ratios.map { Table.Column("of \($0)", isRightAligned: true) }
    var table = Table(columns)
    for row in section.rows {
      var cells = [
        row.name, row.implementation, FigureText.value(row.value, row.unit),
        FigureText.value(row.minimum, row.unit), FigureText.percent(row.spread),
      ]
      if section.isThroughput { cells.append(FigureText.significant(row.bytesPerNanosecond)) }
      cells += ratios.map { name in
        row.ratios.first { $0.name == name }.map { FigureText.ratio($0.value) } ?? ""
      }
      table.add(cells.map { Table.Cell($0) })
    }
    return table
  }
}

extension Measurements {
  /// All that a quick pass says beside its tables.
  static let smokeWords = "smoke: values are not measurements"

  /// What follows from the figures; nothing does of a quick pass.
  var advice: String? { isSmoke ? nil : conclusion }

  /// A demand that is met in spite of the neighbours is met; a quick pass shows nothing.
  func verdict(of demand: Demand) -> Table.Cell {
    if isSmoke { return Table.Cell("not judged", .neutral) }
    if demand.isMet { return Table.Cell("met", .good) }
    let amount = demand.margin.isFinite ? " by \(FigureText.percent(-demand.margin))" : ""
    return isNoisy
      ? Table.Cell("too noisy to say", .wait) : Table.Cell("MISSED\(amount)", .fail)
  }

  /// What came of the demands, in one sentence.
  var summary: String {
    if isSmoke { return Self.smokeWords }
    let demands = rows.flatMap(\.demands)
    let met = "\(demands.count(where: \.isMet)) of \(demands.count) demands met"
    if wasInterrupted { return "\(met) by the rounds that were finished." }
    return isNoisy ? "\(met), but on a machine that was too noisy to say." : "\(met)."
  }

  /// Why nobody should quote the figures; empty for a whole run of an optimised build.
  var warnings: [String] {
    var warnings: [String] = []
    if isSmoke { warnings.append(Self.smokeWords) }
    if !machine.isOptimised {
      warnings.append("DEBUG BUILD: its figures mean nothing much; measure an optimised one.")
    }
    if let plannedRoundCount {
      warnings.append("INTERRUPTED: \(roundCount) of \(plannedRoundCount) rounds.")
    }
    return warnings
  }
}

extension Measurements.Section {
  var isThroughput: Bool {
    if case .sizes = layout { return true }
    return false
  }
}

extension Measurements.Row {
  /// Which is GB/s.
  var bytesPerNanosecond: Double { Double(bytes) / value }
}

extension [String] {
  /// Each once, in the order of their first places.
  var unique: [String] { reduce(into: []) { if !$0.contains($1) { $0.append($1) } } }
}
