package import Chaos
import Device
package import JSON
import Phone
package import Terminal

/// What a campaign found: the table for people, and `lab.chaos/1` for programs.
package struct ChaosReport {
  package static let schema = "lab.chaos/1"

  private let outcome: Campaign.Outcome
  private let seed: UInt64

  package init(_ outcome: Campaign.Outcome, seed: UInt64) {
    self.outcome = outcome
    self.seed = seed
  }

  private var verdict: RunVerdict { RunVerdict(outcome.oldFindings + outcome.gallery) }
  private var everything: [ScenarioRun] {
    outcome.oldFindings + outcome.gallery + outcome.histories
  }

  /// On every phone.
  private var canaryIsCaught: Bool {
    !outcome.canaries.isEmpty && outcome.canaries.allSatisfy { $0.run != nil }
  }

  package var exitCode: ExitCode {
    if outcome.wasInterrupted { return .interrupted }
    if !outcome.findings.isEmpty || verdict.outcome == .finding { return .finding }
    if !canaryIsCaught { return .defect }
    return RunVerdict(everything).outcome == .neverFired ? .neverFired : .asExpected
  }

  // MARK: - For people

  /// All lines, verdict before statistics, none wider than 100 columns.
  ///
  /// - Parameters:
  ///   - showsAll: Every case, not only those of the known losses.
  ///   - console: Where they are shown; decides width and colour.
  /// - Returns: The lines for stdout.
  package func lines(showsAll: Bool, for console: Console) -> [String] {
    galleryLines(showsAll: showsAll, for: console) + statistics
  }

  private func galleryLines(showsAll: Bool, for console: Console) -> [String] {
    let (good, bad) = verdict.counts
    var lines = [
      "GALLERY  \(good + bad) runs, \(bad == 0 ? "all as expected" : "\(bad) NOT as expected")"
    ]
    lines += RunTable.legend(width: console.columnCount - 2).map { "  \($0)" }
    lines.append("  +1 and one more verdict, at a later launch: lab run SCENARIO")
    let names = outcome.gallery.map(\.store)
    let stores = names.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
    for phone in phones {
      let scenarios = Self.grouped(outcome.gallery.filter { $0.phone == phone })
      let (table, foldedCount) = Self.table(of: scenarios, on: phone, stores, showsAll: showsAll)
      lines += table.lines(for: console)
      if foldedCount > 0 { lines.append("  \(foldedCount) more rows without a loss: -v") }
    }
    return lines
  }

  private var phones: [PhoneKind] {
    PhoneKind.allCases.filter { phone in everything.contains { $0.phone == phone } }
  }

  private static func grouped(_ runs: [ScenarioRun]) -> [[ScenarioRun]] {
    runs.reduce(into: [[ScenarioRun]]()) { groups, run in
      if groups.last?.first?.scenario.name == run.scenario.name {
        groups[groups.count - 1].append(run)
      } else {
        groups.append([run])
      }
    }
  }

  private static func table(
    of scenarios: [[ScenarioRun]], on phone: PhoneKind, _ stores: [String], showsAll: Bool
  ) -> (Table, foldedCount: Int) {
    var table = Table(["on \(phone.rawValue)"] + stores)
    var foldedCount = 0
    for columns in scenarios {
      let rows = RunTable(columns).rows(stores: stores, isShort: true)
      let shown = showsAll ? rows : rows.filter(\.hasLoss)
      foldedCount += rows.count - shown.count
      guard let first = shown.first, let name = columns.first?.scenario.name else { continue }
      if first.isOnly {
        table.add([Table.Cell(name)] + first.cells)
      } else {
        table.add(Table.Cell(name))
        for row in shown { table.add([Table.Cell("  \(row.name)")] + row.cells) }
      }
    }
    return (table, foldedCount)
  }

  private var statistics: [String] {
    let faults = everything.reduce(into: FaultTally()) { $0 += $1.faults }
    let controls = everything.flatMap(\.controls)
    let fine = controls.count { $0.outcome == .asExpected }
    let states = crashStates
    let tries = outcome.canaries.map { "\($0.phone.rawValue): \($0.tries)" }
    let canary =
      canaryIsCaught
      ? "canary caught (tries on \(tries.joined(separator: ", ")))"
      : outcome.wasInterrupted ? "canary not tried to the end" : "CANARY NOT CAUGHT"
    return [
      "RANDOM   \(outcome.histories.count) of \(outcome.plannedHistoryCount) histories, "
        + "\(outcome.findings.count) violations",
      "STATES   \(states.origins) kills and power cuts -> \(states.images) images -> "
        + "\(states.outcomes) outcomes",
      "FAULTS   \(faults.armed) armed, \(faults.fired) fired, \(faults.neverFired.count) never fired",
      "TRUST    controls \(fine) of \(controls.count), \(canary)",
    ]
  }

  /// How many kills and power cuts there were, how many different images they left, and how many
  /// different outcomes those had.
  private var crashStates: (origins: Int, images: Int, outcomes: Int) {
    let cases = everything.flatMap(\.cases).filter { !$0.images.isEmpty }
    let images = Set(cases.flatMap(\.images))
    let outcomes = Set(cases.map { $0.verdicts.map(\.rawValue).joined(separator: ",") })
    return (cases.reduce(0) { $0 + $1.images.count }, images.count, outcomes.count)
  }

  /// One block for each finding, each with the command that shows it again.
  ///
  /// - Parameter folder: Where the files of random findings were written.
  /// - Returns: The lines for stdout; none when nothing was found.
  package func findingLines(filesIn folder: String) -> [String] {
    var lines = verdict.findingLines(seed: seed)
    for (index, finding) in outcome.findings.enumerated() {
      var block = FindingText(finding.run, of: finding.replay.scenario).lines(
        number: index + 1, of: outcome.findings.count,
        replay: "./lab \(finding.command(in: folder))")
      let count = finding.replay.choices.count
      block.insert("  shrunk: \(finding.foundChoiceCount) -> \(count) decisions", at: 1)
      lines += block
    }
    return lines
  }

  package var neverFiredLines: [String] { RunVerdict(everything).neverFiredLines }

  /// The last line but one: what it all comes to.
  package var conclusion: String {
    let count = outcome.findings.count + verdict.findings.count
    switch exitCode {
    case .interrupted: return "INTERRUPTED. No findings so far is no pass."
    case .finding where count == 0: return "A scenario expects a case that never came: no pass."
    case .finding: return "\(count) finding\(count == 1 ? "" : "s")."
    case .neverFired: return "An armed fault never fired: no pass."
    case .defect:
      return "The canary, a store that is known to lose sessions, was not caught: no pass."
    default: return "No findings. The known-bad stores lose sessions, as their files say."
    }
  }

  // MARK: - For programs

  /// `lab.chaos/1`. Two runs with one seed and one budget give the same text.
  ///
  /// - Parameter folder: Where the files of random findings were written.
  /// - Returns: One object.
  package func json(filesIn folder: String) -> JSONValue {
    let (good, bad) = RunVerdict(everything).counts
    let states = crashStates
    return [
      "schema": .text(Self.schema), "seed": .number(seed),
      "scenarios": ["asExpected": .integer(good), "unexpected": .integer(bad)],
      "faults": RunJSON.faults(everything.reduce(into: FaultTally()) { $0 += $1.faults }),
      "crashStates": [
        "origins": .integer(states.origins), "images": .integer(states.images),
        "outcomes": .integer(states.outcomes),
      ],
      "random": [
        "histories": .integer(outcome.histories.count),
        "planned": .integer(outcome.plannedHistoryCount),
      ],
      "canary": [
        "store": .text(outcome.canaryStore), "caught": .bool(canaryIsCaught),
        "tries": .object(
          JSONObject(
            outcome.canaries.map { .init(key: $0.phone.rawValue, value: .integer($0.tries)) })),
      ],
      "interrupted": .bool(outcome.wasInterrupted),
      "phones": .list(phones.map { .text($0.rawValue) }),
      "tiers": .list(
        Set(everything.flatMap(\.all).map(\.tier.rawValue)).sorted().map(JSONValue.text)),
      "stores": .list(stores.map(JSONValue.text)),
      "findings": .list(galleryFindings + randomFindings(folder)),
      "runs": .list(
        outcome.gallery.flatMap { run in run.all.map { RunJSON.row($0, in: run.scenario) } }),
    ]
  }

  private var stores: [String] {
    Set(everything.flatMap(\.all).map(\.store)).sorted()
  }

  private var galleryFindings: [JSONValue] {
    verdict.findings.map { finding in
      Self.row(
        finding.run, replay: RunVerdict.command(finding.scenario, finding.run, seed: seed))
    }
  }

  private func randomFindings(_ folder: String) -> [JSONValue] {
    outcome.findings.map { Self.row($0.run, replay: "./lab \($0.command(in: folder))") }
  }

  private static func row(_ run: CaseRun, replay: String) -> JSONValue {
    [
      "failure": .text(run.verdicts.first(where: \.isFailure)?.rawValue ?? "unexpected"),
      "scenario": .text(run.scenario), "case": .text(run.name), "store": .text(run.store),
      "phone": .text(run.phone.rawValue), "replay": .text(replay),
    ]
  }
}
