package import JSON
package import Terminal

/// A run beside an older one of the same suite: of another machine, or of another version.
///
/// A figure has changed when it did by more than it spread in both runs, and than their references did. Ratios and counts are compared
/// always, times only on the same kind of processor.
package struct BenchmarkComparison {
  let lines: [Line]
  private let new: Measurements
  private let old: Measurements

  package init(_ new: Measurements, with old: Measurements) {
    self.new = new
    self.old = old
    lines = Self.lines(new, old)
  }

  /// One figure of both runs.
  struct Line {
    let row: Measurements.Row
    /// Of which ratio it is; `nil` for the median itself.
    let ratio: String?
    let old: Double?
    let new: Double?
    /// How far it may be off by chance, as a fraction.
    let noise: Double

    /// By what the older figure is multiplied.
    var factor: Double? {
      guard let old, let new, old != 0 || new != 0 else { return nil }
      return new / old
    }

    var change: Change {
      guard let old, let new else { return new == nil ? .onlyOld : .onlyNew }
      guard old != new else { return .none }
      guard old.isFinite, new.isFinite, noise.isFinite else { return .unknown }
      guard max(old, new) > min(old, new) * (1 + noise) else { return .none }
      if ratio == nil, row.unit == .nanoseconds { return new < old ? .faster : .slower }
      return new < old ? .lower : .higher
    }
  }

  enum Change: String, CaseIterable {
    case faster, slower, higher, lower
    case none = "no change seen"
    case unknown = "spread unknown"
    case onlyNew = "only in the new run"
    case onlyOld = "only in the old run"

    var isChange: Bool {
      switch self {
      case .faster, .slower, .higher, .lower: true
      case .none, .unknown, .onlyNew, .onlyOld: false
      }
    }
  }

  // MARK: - Figures

  private static func lines(_ new: Measurements, _ old: Measurements) -> [Line] {
    let hasTimes = new.machine.cpu == old.machine.cpu
    let pairs =
      new.rows.map { row in (row, old.rows.first { $0.isSame(as: row) } as Measurements.Row?) }
      .map { (new: Optional($0), old: $1) }
      + old.rows.filter { row in !new.rows.contains { $0.isSame(as: row) } }
      .map { (new: nil, old: Optional($0)) }
    return pairs.flatMap { pair -> [Line] in
      guard let row = pair.new ?? pair.old else { return [] }
      var lines: [Line] = []
      if hasTimes || row.unit == .count {
        let noise = [(pair.new, new), (pair.old, old)].compactMap { row, run in
          row.map { run.noise(of: $0) }
        }
        lines.append(
          Line(
            row: row, ratio: nil, old: pair.old?.value, new: pair.new?.value,
            noise: worst(noise)))
      }
      let names = [pair.new, pair.old].compactMap { $0 }.flatMap(\.ratios).map(\.name).unique
      return lines
        + names.map { name in
          let noise = [(pair.new, new), (pair.old, old)].compactMap { row, run in
            row.map { run.noise(of: name, in: $0) }
          }
          return Line(
            row: row, ratio: name, old: pair.old?.ratio(name), new: pair.new?.ratio(name),
            noise: worst(noise))
        }
    }
  }

  /// No number if one of them is none.
  fileprivate static func worst(_ noise: [Double]) -> Double {
    noise.contains { !$0.isFinite } ? .nan : noise.max() ?? .nan
  }

  // MARK: - For people

  /// How the two runs differ in what they were made with and of.
  var differences: [String] {
    let facts = zip(old.machine.facts, new.machine.facts).filter { $0.value != $1.value }
      .map { "\($0.name): \($0.value) -> \($1.value)" }
    var lines = facts.isEmpty ? ["both runs: the same machine, libraries and build"] : facts
    if new.machine.cpu != old.machine.cpu {
      lines.append("another processor: ratios and counts are compared, times are not")
    }
    if new.digest != old.digest || new.seed != old.seed {
      lines.append("the digests differ: the two runs did not do the same work")
    }
    lines += old.warnings.map { "old run: \($0)" } + new.warnings.map { "new run: \($0)" }
    lines += [("old", old), ("new", new)].filter(\.1.isNoisy)
      .map { "\($0.0) run: too noisy to compare" }
    return lines
  }

  private static let columns =
    ["old", "new", "new/old"].map { Table.Column($0, isRightAligned: true) }
    + [Table.Column("says")]

  private static func cells(_ line: Line) -> [Table.Cell] {
    let values = [line.old, line.new].map { value in
      value.map {
        line.ratio == nil ? FigureText.value($0, line.row.unit) : FigureText.ratio($0)
      } ?? ""
    }
    return (values + [line.factor.map(FigureText.ratio) ?? ""]).map { Table.Cell($0) }
      + [Table.Cell(line.change.rawValue, line.change.isChange ? .wait : .neutral)]
  }

  /// All figures in one table, for pages.
  var table: Table {
    var table = Table(["compared", "by", "figure"].map { Table.Column($0) } + Self.columns)
    for line in lines {
      let names = [
        line.row.name, line.row.implementation, line.ratio.map { "of \($0)" } ?? "median",
      ]
      table.add(names.map { Table.Cell($0) } + Self.cells(line))
    }
    return table
  }

  /// A table for each implementation, which leaves room on a terminal.
  private var tables: [Table] {
    lines.map(\.row.implementation).unique.map { implementation in
      var table = Table([Table.Column(implementation)] + Self.columns)
      for line in lines where line.row.implementation == implementation {
        let name = line.row.name + (line.ratio.map { ", of \($0)" } ?? "")
        table.add([Table.Cell(name)] + Self.cells(line))
      }
      return table
    }
  }

  /// How many figures changed, in one sentence.
  var summary: String {
    let counts = Change.allCases.filter(\.isChange).compactMap { change -> String? in
      let count = lines.count { $0.change == change }
      return count == 0 ? nil : "\(count) \(change.rawValue)"
    }
    return "\(lines.count) figures beside an older run: "
      + (counts.isEmpty ? "no change seen." : "\(counts.joined(separator: ", ")).")
  }

  /// All lines for stdout.
  package func lines(for console: Console) -> [String] {
    let heads = differences.flatMap { TextLayout.wrap("- \($0)", width: console.columnCount) }
    return ["beside an older run:"] + heads + tables.flatMap { [""] + $0.lines(for: console) }
      + ["", summary]
  }

  // MARK: - For programs

  /// What `--json` says of it.
  package var json: JSONValue {
    [
      "schema": "lab.bench-comparison/1", "suite": .text(new.suite),
      "differences": .list(differences.map(JSONValue.text)),
      "figures": .list(
        lines.map { line in
          [
            "case": .text(line.row.name), "implementation": .text(line.row.implementation),
            "figure": .text(line.ratio ?? line.row.unit.rawValue),
            "old": .double(line.old ?? .nan), "new": .double(line.new ?? .nan),
            "factor": .double(line.factor ?? .nan), "noise": .double(line.noise),
            "says": .text(line.change.rawValue),
          ]
        }),
    ]
  }
}

extension Measurements.Row {
  fileprivate func isSame(as other: Self) -> Bool {
    name == other.name && implementation == other.implementation && unit == other.unit
  }

  fileprivate func ratio(_ name: String) -> Double? { ratios.first { $0.name == name }?.value }
}

extension Measurements {
  /// How far a value may be off: as far as it spreads, but what hangs on time at least as far as the
  /// reference of the run does, because few rounds may agree by chance.
  fileprivate func noise(of row: Row) -> Double {
    row.unit == .count ? row.spread : BenchmarkComparison.worst([row.spread, noise])
  }

  /// How far a ratio may be off: as far as either of its sides, of which the other may have no row.
  fileprivate func noise(of ratio: String, in row: Row) -> Double {
    let other = rows.first { $0.name == row.name && $0.implementation == ratio }
    return BenchmarkComparison.worst([noise(of: row), other.map(noise(of:)) ?? noise])
  }
}
