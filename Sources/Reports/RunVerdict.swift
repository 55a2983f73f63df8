package import Chaos
import JSON

/// What a set of runs comes to: findings, faults that never fired, or all as expected.
package struct RunVerdict {
  package enum Outcome { case asExpected, finding, neverFired }

  private let runs: [ScenarioRun]

  package init(_ runs: [ScenarioRun]) {
    self.runs = runs
  }

  /// Everything that a file does not say, with the scenario it belongs to.
  package var findings: [(run: CaseRun, scenario: Scenario)] {
    runs.flatMap { run in
      run.all.compactMap { one in
        if case .unexpected = one.outcome { (one, run.scenario) } else { nil }
      }
    }
  }

  private var neverFired: [CaseRun] {
    runs.flatMap(\.all).filter { $0.outcome == .neverFired }
  }

  /// Rows of known-bad stores that no case came to.
  private var rowsWithoutCase: [String] {
    runs.flatMap { run -> [String] in
      guard let store = run.all.first?.store, !run.isPartial else { return [] }
      return run.scenario.rowsWithoutCase(of: store, in: run).map { row in
        "\(run.scenario.place):\(row.range.line): no case of \(store) came to this row"
      }
    }
  }

  package var outcome: Outcome {
    if !findings.isEmpty || !rowsWithoutCase.isEmpty { return .finding }
    return neverFired.isEmpty ? .asExpected : .neverFired
  }

  package var faults: FaultTally {
    runs.reduce(into: FaultTally()) { $0 += $1.faults }
  }

  /// How many runs were as expected, and how many not.
  package var counts: (asExpected: Int, unexpected: Int) {
    let all = runs.flatMap(\.all)
    let good = all.count { $0.outcome == .asExpected }
    return (good, all.count - good)
  }

  /// One block for each finding; at most ten, then a count.
  ///
  /// - Parameter replay: The command for a scenario with its options.
  /// - Returns: The lines; none when nothing was found.
  package func findingLines(replay: (String) -> String) -> [String] {
    let findings = findings
    var lines = findings.prefix(10).enumerated().flatMap { index, finding in
      let place = finding.run.parts.last.map { " --case \($0)" } ?? ""
      return FindingText(finding.run, of: finding.scenario).lines(
        number: index + 1, of: findings.count,
        replay: replay("\(finding.scenario.place) --store \(finding.run.store)\(place)"))
    }
    if findings.count > 10 { lines.append("and \(findings.count - 10) more findings") }
    return lines + rowsWithoutCase
  }

  package var neverFiredLines: [String] {
    neverFired.map { run in
      let faults = run.faults.neverFired.joined(separator: ", ")
      return "NEVER FIRED  \(run.scenario), \(run.name), store \(run.store): \(faults). "
        + "What it shows proves nothing."
    }
  }

  package var summary: String {
    let (good, bad) = counts
    let faults = faults
    return "\(good + bad) runs, \(bad == 0 ? "all as expected" : "\(bad) not as expected"); "
      + "\(faults.armed) faults armed, \(faults.fired) fired, "
      + "\(faults.neverFired.count) never fired"
  }
}
