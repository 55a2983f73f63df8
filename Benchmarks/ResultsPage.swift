import Terminal

/// Runs of all suites as one page of Markdown, without a date.
package struct ResultsPage {
  private let runs: [Measurements]

  /// - Parameter runs: One of each suite.
  package init(_ runs: [Measurements]) { self.runs = runs }

  /// In Markdown.
  package var text: String {
    let head = [
      "# Results", "",
      "What `lab bench` measured on one machine, each suite in one interleaved run. Ratios can be",
      "compared with those of another machine, times cannot. Every demand stands here, met or missed.",
      "", "Generated; to renew it, for each suite `lab bench SUITE --json > SUITE.json`, then",
      "`lab bench \(Suites.all.map { "--from \($0.name).json" }.joined(separator: " "))",
      "--markdown Benchmarks/RESULTS.md`.", "",
    ]
    return (head + Self.lines(of: summary) + runs.flatMap(Self.lines)).joined(separator: "\n")
      + "\n"
  }

  private var summary: Table {
    var table = Table("suite", "demands", "missed")
    for run in runs {
      let missed = run.rows.flatMap { row in
        row.demands.filter { !$0.isMet }
          .map { "\(row.name) (\(row.implementation)): \($0.words), is \($0.measured)" }
      }
      table.add(
        Table.Cell(run.suite), Table.Cell(run.summary),
        Table.Cell(missed.isEmpty ? "none" : missed.joined(separator: "; ")))
    }
    return table
  }

  private static func lines(of run: Measurements) -> [String] {
    let tables = BenchmarkTables(run)
    var lines = ["", "## \(run.suite)", ""]
    for warning in run.warnings { lines += ["**\(warning)**", ""] }
    lines += [run.summary, ""]
    if let conclusion = run.advice { lines += [conclusion, ""] }
    lines += self.lines(of: tables.demands)
    for section in run.sections {
      lines +=
        ["", "### \(run.suite): \(section.title)", ""]
        + self.lines(of: tables.rows(of: section))
    }
    lines += ["", "### \(run.suite): notes", ""] + run.notes.map { "- \($0)" }
    return lines + [""] + self.lines(of: tables.machine)
  }

  private static func lines(of table: Table) -> [String] {
    func line(_ cells: [String]) -> String {
      "| \(cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ")) |"
    }
    return [
      line(table.columns.map(\.title)),
      line(table.columns.map { $0.isRightAligned ? "---:" : "---" }),
    ] + table.rows.map { line($0.map(\.text)) }
  }
}
