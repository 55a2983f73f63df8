package import Chaos
package import Crypto
import JSON
import Phone
import Terminal

/// What scenarios showed, as one page of HTML.
package struct RunPage {
  private let runs: [ScenarioRun]
  private let verdict: RunVerdict
  private let seed: UInt64
  private let version: String
  private let differences: [String]?
  private let missingTier: String?
  private let wasInterrupted: Bool

  /// - Parameters:
  ///   - runs: All of them.
  ///   - verdict: What they come to.
  ///   - seed: The start of the draws, for the commands that show a run again.
  ///   - version: Of the lab.
  ///   - differences: What the tiers did not agree on, a line each; `nil` when only one ran.
  ///   - missingTier: Why one was left out; `nil` when all that were wanted ran.
  ///   - wasInterrupted: Whether some are missing because somebody wanted to stop.
  package init(
    _ runs: [ScenarioRun], _ verdict: RunVerdict, seed: UInt64, version: String,
    differences: [String]?, missingTier: String?, wasInterrupted: Bool
  ) {
    self.runs = runs
    self.verdict = verdict
    self.seed = seed
    self.version = version
    self.differences = differences
    self.missingTier = missingTier
    self.wasInterrupted = wasInterrupted
  }

  /// The whole page.
  ///
  /// - Throws: `CryptoError` when the library lacks the digest by which the page knows its script.
  package func html() throws(CryptoError) -> String {
    let rows = VerdictRows(runs)
    var page = ReportPage(
      heading: heading, maker: "lab run", facts: facts, seed: seed,
      data: RunJSON.run(runs, seed: seed))
    page.notices = notices
    page.counts = rows.counts
    let (causes, losses) = (verdict.causes, verdict.knownLosses)
    page.findings = verdict.pageCards(causes, seed: seed)
    page.losses = verdict.pageCards(losses, seed: seed, areKnown: true)
    let anchors = CardAnchors(findings: causes, losses: losses)
    page.sections = [
      ("map", "Crash points", tables(anchors) { $0.hasSpreadFault }),
      ("stores", "Stores side by side", tables(anchors) { !$0.hasSpreadFault }),
    ].filter { !$0.parts.isEmpty }
    page.rows = rows
    page.anchors = anchors
    page.verdicts = rows.verdicts
    page.stores = rows.choices("store")
    page.proof = verdict.proof
    if differences == [], !wasInterrupted { page.proof.append(("Tiers", Self.sameOnBoth)) }
    page.proof += [("Seed", "\(seed)"), ("Lab", version)]
    return try page.html()
  }

  /// What is said of two tiers that agree.
  package static let sameOnBoth =
    "both tiers: in each run the same calls to each file, in order, and the same images"

  private var heading: String {
    if wasInterrupted { return "Interrupted: what ran so far is no pass" }
    let words = verdict.causes.compactMap(\.first).map {
      FindingStory($0.run, of: $0.scenario).word
    }
    if let text = ReportPage.heading(words) { return text }
    if let differences, !differences.isEmpty {
      return "The tiers differ: \(Counted.words(differences.count, "time"))"
    }
    if !verdict.rowsWithoutCase.isEmpty { return "A row that no case came to: no pass" }
    if !verdict.neverFired.isEmpty { return "An armed fault never fired: no pass" }
    if !verdict.withoutCase.isEmpty { return "No case was run: no pass" }
    return "No findings: \(verdict.counts.asExpected) runs, all as expected"
  }

  private var facts: [String] {
    let phones = Set(runs.map(\.phone.rawValue)).sorted().joined(separator: " and ")
    let tiers = Set(runs.flatMap(\.all).map(\.tier.rawValue)).sorted().joined(separator: " and ")
    return ["lab \(version)", phones, "\(tiers) tier"] + ReportPage.program(verdict.foreign)
  }

  private var notices: [String] {
    (missingTier.map { [$0] } ?? [])
      + (wasInterrupted ? ["INTERRUPTED: what ran so far is below, and is no pass."] : [])
      + (differences ?? []) + verdict.rowsWithoutCase.map(\.words) + verdict.neverFiredSentences
  }

  /// For each scenario and phone, its cases against the stores: where a fault falls on each point, or
  /// each operation, what it leaves at each of them.
  private func tables(
    _ anchors: CardAnchors, of isWanted: (Scenario) -> Bool
  ) -> [Markup] {
    var titles: [String] = []
    var tables: [Markup] = []
    for run in runs where !run.all.isEmpty && isWanted(run.scenario) {
      let title = "\(run.scenario.name) on \(run.phone.rawValue)"
      guard !titles.contains(title) else { continue }
      titles.append(title)
      let alike = runs.filter { $0.scenario.name == run.scenario.name && $0.phone == run.phone }
      tables.append(
        .table(
          "\(title): \(run.scenario.story)", RunTable(alike).table { anchors[$0] }))
    }
    guard !tables.isEmpty else { return [] }
    let legend = RunTable.legend(width: .max) + RunTable.numberLegend(of: verdict.cases)
    return [Markup("p", ["class": "legend-line"], .text(legend.joined(separator: "\n")))] + tables
  }
}

extension Scenario {
  /// Whether a fault falls on each point, or each operation, of a step.
  fileprivate var hasSpreadFault: Bool { cases.contains { $0.spreadStep != nil } }
}

extension ReportPage {
  /// The name of a file without the folders of this machine.
  static func portable(_ path: String) -> String {
    guard path.hasPrefix("/") else { return path }
    return path.split(separator: "/").last.map(String.init) ?? path
  }

  /// Which program kept the session, in place of a store of the lab.
  static func program(_ foreign: ForeignApp?) -> [String] {
    foreign.map { ["program: \($0.words.map(portable).joined(separator: " "))"] } ?? []
  }

  /// `2 findings: falseSignOut, hang`, or with what they are about, `2 findings in recipe on ios:
  /// falseSignOut, hang`; `nil` for none.
  static func heading(_ words: [String], in subject: String? = nil) -> String? {
    guard !words.isEmpty else { return nil }
    let different = words.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
    return Counted.words(words.count, "finding") + (subject.map { " in \($0)" } ?? "") + ": "
      + different.joined(separator: ", ")
  }
}

extension VerdictRows {
  /// For the head of a page.
  var counts: [ReportPage.Count] {
    [
      .init(words: "\(count(.expected)) as expected", tone: "good", kind: .expected),
      .init(
        words: "\(count(.known)) lost, as known", tone: count(.known) == 0 ? "none" : "wait",
        kind: .known),
      .init(
        words: "\(count(.unexpected)) not expected",
        tone: count(.unexpected) == 0 ? "none" : "fail", kind: .unexpected),
      .init(
        words: "\(count(.neverFired)) never fired",
        tone: count(.neverFired) == 0 ? "none" : "fail", kind: .neverFired),
    ]
  }
}

extension RunVerdict {
  /// A card for each cause: its first case, with what else is known of it.
  func cards(
    _ causes: [[(run: CaseRun, scenario: Scenario)]], seed: UInt64, areKnown: Bool = false
  ) -> [FindingCard] {
    causes.compactMap { cause in
      guard let (run, scenario) = cause.first else { return nil }
      var card = FindingCard(story: FindingStory(run, of: scenario))
      card.replay = replay(run, of: scenario, seed: seed)
      card.device = Self.device(run, of: scenario)
      card.alike = cause.dropFirst().map(\.run)
      card.isKnown = areKnown
      card.control = control(of: run, in: scenario)
      let good = scenario.expectedRow(
        for: run.parts, phone: run.phone, store: Scenario.goodStore)
      card.right = good.map { "\($0.expected)" }
      return card
    }
  }

  /// The same as on a page.
  func pageCards(
    _ causes: [[(run: CaseRun, scenario: Scenario)]], seed: UInt64, areKnown: Bool = false
  ) -> [FindingCard] {
    cards(causes, seed: seed, areKnown: areKnown).map(\.portable)
  }

  /// What the same run showed without the fault.
  private func control(of run: CaseRun, in scenario: Scenario) -> String? {
    controls.first {
      $0.scenario == run.scenario && $0.phone == run.phone && $0.store == run.store
        && $0.tier == run.tier && $0.client == run.client
    }.map(RunTable.verdicts)
  }

  /// The command that prints what comes closest on a simulator or a phone.
  static func device(_ run: CaseRun, of scenario: Scenario) -> String? {
    guard run.store != ForeignApp.storeName else { return nil }
    let tool = run.phone == .ios ? "simctl" : "adb"
    let place = scenario.isReplay ? "" : run.parts.last.map { " --case \($0)" } ?? ""
    return "./lab replay \(ShellWord.quoted(scenario.place))\(place) --as \(tool)"
  }

  var proof: [(name: String, value: String)] {
    let controls = controls
    let fine = controls.count { $0.outcome == .asExpected }
    return [
      ("Controls", "\(fine) of \(controls.count) runs without a fault keep the session"),
      (
        "Faults",
        "\(faults.armed) armed, \(faults.fired) fired, \(faults.neverFired.count) never fired"
      ),
    ]
  }
}
