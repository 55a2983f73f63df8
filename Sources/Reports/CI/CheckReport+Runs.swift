import Chaos
import JSON
import Phone

extension CheckReport {
  /// What scenarios showed.
  ///
  /// - Parameters:
  ///   - verdict: All of them, and what they come to.
  ///   - seed: The start of the draws, for the commands that show a run again.
  ///   - differences: What the tiers did not agree on, a line each.
  ///   - wasInterrupted: Whether some are missing because somebody wanted to stop.
  package init(
    _ verdict: RunVerdict, seed: UInt64, differences: [String] = [], wasInterrupted: Bool
  ) {
    self.init(command: "lab run")
    add(verdict.runs, with: verdict.foreign, seed: seed)
    addRows(of: verdict)
    if !differences.isEmpty {
      suites.append(
        Suite(
          name: "tiers",
          checks: differences.enumerated().map { index, difference in
            Check(
              name: "difference \(index + 1)", group: name("tiers"),
              problem: Problem(
                kind: .failure, type: "tiersDiffer", message: difference, text: []))
          }))
      notes += differences.map { Note(title: "the tiers differ", lines: [$0]) }
    }
    if wasInterrupted { addInterruption() }
    notes = Self.notes(verdict, seed: seed) + notes
    conclusion = verdict.summary
    findingLines = verdict.findingLines(seed: seed) + differences + verdict.neverFiredLines
  }

  /// A suite for each scenario and phone, with a check for each case, store and tier.
  mutating func add(_ runs: [ScenarioRun], with foreign: ForeignApp?, seed: UInt64) {
    var titles: [String] = []
    for run in runs where !titles.contains(Self.title(of: run)) {
      titles.append(Self.title(of: run))
      let alike = runs.filter { Self.title(of: $0) == titles.last }
      let group = name(run.scenario.name, run.phone.rawValue)
      let cases = alike.flatMap(\.cases)
      let checks = alike.flatMap { run in
        run.all.map { Self.check($0, of: run.scenario, foreign, group, seed: seed) }
          + Self.missing(in: run, of: cases, group)
      }
      suites.append(Suite(name: Self.title(of: run), checks: checks))
    }
  }

  private static func title(of run: ScenarioRun) -> String {
    "\(run.scenario.name) on \(run.phone.rawValue)"
  }

  /// Cases that other stores have: this one did not come to their point, or its file leaves them out.
  private static func missing(
    in run: ScenarioRun, of cases: [CaseRun], _ group: String
  ) -> [Check] {
    guard let tier = run.all.first?.tier else { return [] }
    var names = Set(run.cases.map(\.name))
    return cases.filter { names.insert($0.name).inserted }.map { one in
      Check(
        name: "\(RunTable.words(one.name, one.parts)), store \(run.store), \(tier.rawValue)",
        group: group,
        problem: Problem(
          kind: .skipped, type: "notReached", message: "not reached, or not for this store",
          text: []))
    }
  }

  private static func check(
    _ run: CaseRun, of scenario: Scenario, _ foreign: ForeignApp?, _ group: String, seed: UInt64
  ) -> Check {
    let words = run.isControl ? run.name : RunTable.words(run.name, run.parts)
    let name = "\(words), store \(run.store), \(run.tier.rawValue)"
    var check = Check(name: name, group: group)
    switch run.outcome {
    case .asExpected:
      let isKnown = run.verdicts.contains(where: \.isFailure) ? ", as its file says" : ""
      check.output = [RunTable.verdicts(run) + isKnown]
    case .unexpected(let expected):
      check.problem = Problem(
        kind: .failure, type: Self.word(run),
        message: "\(RunTable.verdicts(run)), expected: \(expected). \(scenario.story)",
        text: [scenario.story, "replay: \(replay(run, of: scenario, foreign, seed: seed))"])
      check.output = FindingText(run, of: scenario).account
    case .neverFired:
      let faults = run.faults.neverFired.joined(separator: ", ")
      check.problem = Problem(
        kind: .error, type: "neverFired", message: "never fired: \(faults)",
        text: ["What it shows proves nothing."])
    }
    return check
  }

  /// Rows of files that no case came to, and files of which no case was run.
  mutating func addRows(of verdict: RunVerdict) {
    let problems =
      verdict.rowsWithoutCase.map { (kind: Problem.Kind.failure, words: $0.words) }
      + verdict.withoutCase.map { (kind: .error, words: $0.words) }
    guard !problems.isEmpty else { return }
    suites.append(
      Suite(
        name: "expectations",
        checks: problems.map { problem in
          Check(
            name: problem.words, group: name("expectations"),
            problem: Problem(
              kind: problem.kind, type: "noCase", message: problem.words, text: []))
        }))
  }

  static func notes(_ verdict: RunVerdict, seed: UInt64) -> [Note] {
    let found = verdict.causes.compactMap { cause -> Note? in
      guard let first = cause.first else { return nil }
      let (run, scenario) = first
      let more =
        cause.count > 1
        ? ["the same in \(Counted.words(cause.count - 1, "more case"))"] : []
      let line = scenario.expectedRow(for: run.parts, phone: run.phone, store: run.store)?.range
        .line
      return Note(
        title: title(run),
        lines: [scenario.story] + more
          + ["replay: \(replay(run, of: scenario, verdict.foreign, seed: seed))"],
        file: scenario.file, line: scenario.file == nil ? nil : line.map(Int.init) ?? 1)
    }
    let rows = verdict.rowsWithoutCase.map { row in
      Note(title: "no case came to a row", lines: [row.words], file: row.file, line: row.line)
    }
    let empty = verdict.withoutCase.map { scenario, words in
      Note(title: "no case was run", lines: [words], file: scenario.file, line: 1)
    }
    return found + rows + empty
      + verdict.neverFired.map { run in
        Note(
          title: "never fired",
          lines: ["\(title(run)): \(run.faults.neverFired.joined(separator: ", "))"])
      }
  }

  /// The command that shows one case again.
  private static func replay(
    _ run: CaseRun, of scenario: Scenario, _ foreign: ForeignApp?, seed: UInt64
  ) -> String {
    let place = run.parts.isEmpty ? "" : " --case \(run.parts.joined(separator: "+"))"
    return RunVerdict.command(scenario, run, foreign, more: place, seed: seed)
  }

  static func word(_ run: CaseRun) -> String {
    run.failure?.rawValue ?? "unexpected"
  }

  /// `falseSignOut, torn-save, K1 (key written), ios, store recipe`.
  static func title(_ run: CaseRun) -> String {
    "\(word(run)), \(run.scenario), \(RunTable.words(run.name, run.parts)), "
      + "\(run.phone.rawValue), store \(run.store)"
  }
}
