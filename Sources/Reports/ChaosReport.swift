package import Chaos
import Device
package import JSON
import Phone
import Session
package import Terminal

/// What a campaign found: the table for people, and `lab.chaos/1` for programs.
package struct ChaosReport {
  package static let schema = "lab.chaos/1"

  let outcome: Campaign.Outcome
  /// Where the files of findings are written.
  let folder: String

  package init(_ outcome: Campaign.Outcome, findingsIn folder: String) {
    self.outcome = outcome
    self.folder = folder
  }

  var seed: UInt64 { outcome.plan.seed }

  var verdict: RunVerdict {
    RunVerdict(outcome.oldFindings + outcome.gallery, foreign: outcome.plan.foreign)
  }
  var everything: [ScenarioRun] {
    outcome.oldFindings + outcome.gallery + outcome.histories
  }

  /// On every phone and tier that this part of the campaign was to try it on.
  var canaryIsCaught: Bool {
    outcome.canaries.count == outcome.plannedCanaryCount
      && outcome.canaries.allSatisfy(\.isCaught)
  }

  var causes: [(exploration: ExplorationSummary, cause: ExplorationSummary.Cause)] {
    outcome.explorations.flatMap { exploration in exploration.causes.map { (exploration, $0) } }
  }

  /// The replays that show findings again.
  package var replays: [Replay] {
    outcome.findings.map(\.replay) + causes.compactMap(\.cause.finding?.replay)
  }

  package var exitCode: ExitCode {
    if outcome.wasInterrupted { return .interrupted }
    if !outcome.findings.isEmpty || !causes.isEmpty || verdict.outcome == .finding {
      return .finding
    }
    if outcome.leftOut.contains(where: { $0.phase == .canary }) { return .neverFired }
    if !canaryIsCaught { return .defect }
    return RunVerdict(everything).outcome == .neverFired ? .neverFired : .asExpected
  }

  /// Whether the budget had time for all.
  package var isWhole: Bool { outcome.leftOut.isEmpty }

  // MARK: - For people

  /// All lines, verdict before statistics, none wider than 100 columns.
  ///
  /// - Parameters:
  ///   - showsAll: Every case, not only those of the known losses.
  ///   - console: Where they are shown; decides width and colour.
  /// - Returns: The lines for stdout.
  package func lines(showsAll: Bool, for console: Console) -> [String] {
    galleryLines(showsAll: showsAll, for: console) + explorationLines + statistics
  }

  private static let moreLegend = "+1 and one more verdict, at a later launch: lab run SCENARIO"

  var numberLegend: [String] {
    [Self.moreLegend] + RunTable.numberLegend(of: outcome.gallery.flatMap(\.cases))
  }

  private func galleryLines(showsAll: Bool, for console: Console) -> [String] {
    let (good, bad) = verdict.counts
    guard good + bad > 0 else { return [] }
    var lines = [
      "GALLERY  \(Counted.words(good + bad, "run")) on the \(tiers.joined(separator: " and the ")) tier"
        + "\(tiers.count > 1 ? "s" : ""), \(bad == 0 ? "all as expected" : "\(bad) NOT as expected")"
    ]
    lines += RunTable.legend(width: console.columnCount - 2).map { "  \($0)" }
    lines += numberLegend.map { "  \($0)" }
    for (table, foldedCount) in galleryTables(showsAll: showsAll) {
      lines += table.lines(for: console)
      if foldedCount > 0 { lines.append("  \(foldedCount) more rows without a loss: -v") }
    }
    return lines
  }

  /// The cases of the gallery against the stores.
  ///
  /// - Parameters:
  ///   - showsAll: Every case, not only those of the known losses.
  ///   - place: Where on a page a run is told.
  /// - Returns: A table for each phone, and how many rows were left out of it.
  func galleryTables(
    showsAll: Bool, linkedTo place: (CaseRun) -> String? = { _ in nil }
  ) -> [(table: Table, foldedCount: Int)] {
    var tables: [(table: Table, foldedCount: Int)] = []
    for phone in phones {
      // Both tiers must show the same, so one of them stands in the table.
      let scenarios = Self.grouped(
        outcome.gallery.filter { run in
          run.phone == phone && run.all.contains { $0.tier == outcome.plan.tiers.first }
        })
      // Stores that few scenarios name would make the table of all others too wide.
      for isListed in [true, false] {
        let part = scenarios.filter { runs in runs.allSatisfy(\.hasListedStore) == isListed }
        guard !part.isEmpty else { continue }
        let stores = part.joined().map(\.store).reduce(into: [String]()) {
          if !$0.contains($1) { $0.append($1) }
        }
        tables.append(Self.table(of: part, on: phone, stores, showsAll: showsAll, place))
      }
    }
    return tables
  }

  var phones: [PhoneKind] {
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
    of scenarios: [[ScenarioRun]], on phone: PhoneKind, _ stores: [String], showsAll: Bool,
    _ place: (CaseRun) -> String?
  ) -> (table: Table, foldedCount: Int) {
    var table = Table(["on \(phone.rawValue)"] + stores)
    var foldedCount = 0
    for columns in scenarios {
      let rows = RunTable(columns).rows(stores: stores, isShort: true, linkedTo: place)
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

  private var explorationLines: [String] {
    outcome.explorations.map { one in
      let coverage = one.isExhaustive ? "exhaustive" : "survivors drawn"
      return "EXPLORED \(one.store) on \(one.phone.rawValue)  "
        + "\(Counted.words(one.originCount, "origin")) -> "
        + "\(Counted.words(one.imageCount, "image")) -> "
        + "\(Counted.words(one.outcomes.count, "outcome")), "
        + "\(Counted.words(one.violationCount, "violation")), \(coverage)"
    }
  }

  private var statistics: [String] {
    let indent = 9
    return facts.flatMap { name, value in
      TextLayout.wrap(value, width: Console.columnMax - indent).enumerated().map { index, line in
        let head = index == 0 ? name : ""
        return head + String(repeating: " ", count: indent - head.count) + line
      }
    }
  }

  /// What was done beside the gallery, and why to trust it.
  var facts: [(name: String, value: String)] {
    let faults = everything.reduce(into: FaultTally()) { $0 += $1.faults }
    let controls = everything.flatMap(\.controls)
    let fine = controls.count { $0.outcome == .asExpected }
    let states = crashStates
    let tries = outcome.canaries.map { "\($0.phone.rawValue) \($0.tier.rawValue): \($0.tries)" }
    let canary =
      canaryWords + (hasCaughtCanary ? " (tries on \(tries.joined(separator: ", ")))" : "")
    return [
      (
        "RANDOM",
        "\(outcome.histories.count) of \(outcome.plannedHistoryCount) histories, "
          + Counted.words(outcome.findings.count, "violation")
      ),
      (
        "STATES",
        "\(states.origins) kills and power cuts -> \(Counted.words(states.images, "image")) -> "
          + Counted.words(states.outcomes, "outcome")
      ),
      (
        "FAULTS",
        "\(faults.armed) armed, \(faults.fired) fired, \(faults.neverFired.count) never fired"
      ),
      ("TRUST", "controls \(fine) of \(controls.count), \(canary)"),
    ] + (outcome.leftOut.isEmpty ? [] : [("LEFT OUT", leftOut)])
  }

  /// `gallery 120 of 353, random 80 of 200`.
  private var leftOut: String {
    outcome.leftOut.map { "\($0.phase.rawValue) \($0.count) of \($0.of)" }
      .joined(separator: ", ") + (outcome.wasInterrupted ? "" : " (without --budget: nothing)")
  }

  private var hasCaughtCanary: Bool { outcome.plannedCanaryCount > 0 && canaryIsCaught }

  /// Whether what is known to be broken was found to be.
  var canaryWords: String {
    if hasCaughtCanary { return "canary caught" }
    if outcome.plannedCanaryCount == 0 { return "canary in another shard" }
    return outcome.canaries.count < outcome.plannedCanaryCount || outcome.wasInterrupted
      ? "canary not tried to the end" : "CANARY NOT CAUGHT"
  }

  /// How many kills and power cuts there were, how many different images they left, and how many
  /// different outcomes those had. Each exploration counts its own images.
  private var crashStates: (origins: Int, images: Int, outcomes: Int) {
    let cases = everything.flatMap(\.cases).filter { !$0.images.isEmpty }
    let images = Set(cases.flatMap(\.images))
    let outcomes = Set(cases.map { $0.verdicts.map(\.rawValue).joined(separator: ",") })
      .union(outcome.explorations.flatMap(\.outcomes.keys))
    let explored = outcome.explorations.reduce(into: (origins: 0, images: 0)) { sum, one in
      sum = (sum.origins + one.originCount, sum.images + one.imageCount)
    }
    return (
      cases.reduce(explored.origins) { $0 + $1.images.count }, images.count + explored.images,
      outcomes.count
    )
  }

  /// One block for each finding, each with the command that shows it again.
  package var findingLines: [String] {
    let ownCount = outcome.findings.count + causes.count
    var lines = verdict.findingLines(seed: seed, more: ownCount)
    let first = verdict.causes.count + 1
    let count = first - 1 + ownCount
    for (index, finding) in outcome.findings.enumerated() {
      lines += told(finding, number: first + index, of: count)
    }
    for (index, found) in causes.enumerated() {
      let (exploration, cause) = found
      let number = first + outcome.findings.count + index
      lines +=
        cause.finding.map { told($0, number: number, of: count) } ?? [
          "FINDING \(number) of \(count)  \(cause.failure.rawValue)  explored, \(cause.place)  "
            + "\(exploration.phone.rawValue)  store \(exploration.store)", "  \(cause.because)",
          "  NOT CONFIRMED: there is no replay that shows it",
        ]
    }
    return lines
  }

  private func told(_ finding: Finding, number: Int, of count: Int) -> [String] {
    FindingText(FindingCard(finding, replaysIn: folder)).lines(number: number, of: count)
  }

  package var neverFiredLines: [String] { RunVerdict(everything).neverFiredLines }

  var neverFiredSentences: [String] { RunVerdict(everything).neverFiredSentences }

  /// The last line but one: what it all comes to.
  package var conclusion: String {
    let count = outcome.findings.count + causes.count + verdict.causes.count
    switch exitCode {
    case .interrupted where count == 0: return "INTERRUPTED. No findings so far is no pass."
    case .interrupted: return "INTERRUPTED. \(Counted.words(count, "finding")) so far."
    case .finding where count == 0: return "A scenario expects a case that never came: no pass."
    case .finding: return Counted.words(count, "finding") + "."
    case .neverFired where outcome.leftOut.contains { $0.phase == .canary }:
      return "The budget was over before the canary was tried: no pass."
    case .neverFired: return "An armed fault never fired: no pass."
    case .defect:
      return "The canary, a store that is known to be broken, was not caught: no pass."
    default:
      let part = outcome.shard == .whole ? "" : " in shard \(outcome.shard)"
      let others =
        outcome.plan.foreign == nil && !verdict.knownLosses.isEmpty
        ? " The known-bad stores lose sessions, as their files say." : ""
      let rest = isWhole ? "" : " in what the budget had time for"
      return "No findings\(part)\(rest).\(others)"
    }
  }

  // MARK: - For programs

  /// `lab.chaos/1`. Two runs with one seed and one budget give the same text.
  package var json: JSONValue {
    let (good, bad) = RunVerdict(everything).counts
    let states = crashStates
    return [
      "schema": .text(Self.schema), "seed": .number(seed),
      "scenarios": ["asExpected": .integer(good), "unexpected": .integer(bad)],
      "faults": everything.reduce(into: FaultTally()) { $0 += $1.faults }.json,
      "crashStates": [
        "origins": .integer(states.origins), "images": .integer(states.images),
        "outcomes": .integer(states.outcomes),
      ],
      "random": [
        "histories": .integer(outcome.histories.count),
        "planned": .integer(outcome.plannedHistoryCount),
      ],
      "canary": [
        "store": .text(outcome.plan.canaryStore), "caught": .bool(canaryIsCaught),
        "tries": .list(
          outcome.canaries.map { one in
            [
              "phone": .text(one.phone.rawValue), "tier": .text(one.tier.rawValue),
              "count": .integer(one.tries),
            ]
          }),
      ],
      "explored": .list(outcome.explorations.map(row)),
      "interrupted": .bool(outcome.wasInterrupted),
      "leftOut": .list(
        outcome.leftOut.map { one in
          [
            "phase": .text(one.phase.rawValue), "units": .integer(one.count),
            "of": .integer(one.of),
          ]
        }),
      "phones": .list(phones.map { .text($0.rawValue) }),
      "tiers": .list(tiers.map(JSONValue.text)),
      "stores": .list(stores.map(JSONValue.text)),
      "findings": .list(galleryFindings + randomFindings + explorationFindings),
      "runs": .list(RunJSON.rows(outcome.gallery)),
    ]
  }

  /// The tiers that something ran on.
  var tiers: [String] {
    Set(everything.flatMap(\.all).map(\.tier.rawValue)).sorted()
  }

  private var stores: [String] {
    Set(everything.flatMap(\.all).map(\.store)).sorted()
  }

  private var galleryFindings: [JSONValue] {
    verdict.findings.map { finding in
      Self.row(
        finding.run,
        replay: RunVerdict.command(
          finding.scenario, finding.run, outcome.plan.foreign, seed: seed))
    }
  }

  private var randomFindings: [JSONValue] {
    outcome.findings.map { Self.row($0.run, replay: "./lab \($0.command(in: folder))") }
  }

  private var explorationFindings: [JSONValue] {
    causes.map { exploration, cause in
      var fields = JSONObject()
      fields["failure"] = .text(cause.failure.rawValue)
      fields["scenario"] = .text(cause.finding?.replay.name ?? "exploration")
      fields["case"] = .text(cause.place)
      fields["store"] = .text(exploration.store)
      fields["phone"] = .text(exploration.phone.rawValue)
      fields["replay"] = cause.finding.map { .text("./lab \($0.command(in: folder))") }
      return .object(fields)
    }
  }

  private func row(_ one: ExplorationSummary) -> JSONValue {
    [
      "store": .text(one.store), "phone": .text(one.phone.rawValue),
      "depth": .integer(outcome.plan.exploredDepth), "origins": .integer(one.originCount),
      "images": .integer(one.imageCount),
      "outcomes": .object(
        JSONObject(one.outcomes.map { .init(key: $0.key, value: .integer($0.value)) })),
      "violations": .integer(one.violationCount),
      "exhaustive": .bool(one.isExhaustive),
      "bound": .integer(outcome.plan.exploredCutCountMax), "map": one.map.json,
    ]
  }

  private static func row(_ run: CaseRun, replay: String) -> JSONValue {
    [
      "failure": .text(run.failure?.rawValue ?? "unexpected"),
      "scenario": .text(run.scenario), "case": .text(run.name), "store": .text(run.store),
      "phone": .text(run.phone.rawValue), "replay": .text(replay),
    ]
  }
}

extension ScenarioRun {
  fileprivate var hasListedStore: Bool { StoreKind.all.contains { $0.name == store } }
}
