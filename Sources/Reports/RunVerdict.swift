package import Chaos
import JSON
import Phone
import Terminal

/// What a set of runs comes to: findings, faults that never fired, or all as expected.
package struct RunVerdict {
  package enum Outcome { case asExpected, finding, neverFired }

  let runs: [ScenarioRun]
  let foreign: ForeignApp?
  private let isWhole: Bool

  /// - Parameters:
  ///   - runs: What was run.
  ///   - foreign: The program that kept the session in all runs; `nil` for stores of the lab.
  ///   - isWhole: Whether this is all that somebody asked for, so that some case has to be in it.
  package init(_ runs: [ScenarioRun], foreign: ForeignApp? = nil, isWhole: Bool = false) {
    self.runs = runs
    self.foreign = foreign
    self.isWhole = isWhole
  }

  /// Everything that a file does not say, with the scenario it belongs to.
  package var findings: [(run: CaseRun, scenario: Scenario)] {
    runs.flatMap { run in
      run.all.compactMap { one in
        if case .unexpected = one.outcome { (one, run.scenario) } else { nil }
      }
    }
  }

  var controls: [CaseRun] { runs.flatMap(\.controls) }

  var neverFired: [CaseRun] {
    runs.flatMap(\.all).filter { $0.outcome == .neverFired }
  }

  /// Rows of known-bad stores that no case came to.
  var rowsWithoutCase: [(file: String?, line: Int, words: String)] {
    var done: [(scenario: Scenario, store: String)] = []
    return runs.flatMap { run -> [(file: String?, line: Int, words: String)] in
      let (scenario, store) = (run.scenario, run.store)
      guard !done.contains(where: { $0.scenario == scenario && $0.store == store }) else {
        return []
      }
      done.append((scenario, store))
      let alike = runs.filter { $0.scenario == scenario && $0.store == store }
      guard !alike.contains(where: \.isPartial),
        Set(alike.map(\.phone)).count == scenario.phones.count
      else { return [] }
      return scenario.rowsWithoutCase(of: store, in: alike).map { row in
        let words = "\(scenario.place):\(row.range.line): no case of \(store) came to this row"
        return (scenario.file, Int(row.range.line), words)
      }
    }
  }

  /// Scenarios of which only controls ran, though all their stores were there: they prove nothing.
  var withoutCase: [(scenario: Scenario, words: String)] {
    let isEmpty = isWhole && runs.allSatisfy(\.cases.isEmpty)
    var done: [Scenario] = []
    return runs.compactMap { run -> (scenario: Scenario, words: String)? in
      let scenario = run.scenario
      guard !scenario.isReplay, !done.contains(scenario) else { return nil }
      done.append(scenario)
      let alike = runs.filter { $0.scenario == scenario }
      guard alike.allSatisfy({ $0.cases.isEmpty && !$0.isPartial }),
        isEmpty || scenario.isCovered(by: alike)
      else { return nil }
      return (scenario, "\(scenario.place): no case was run: \(scenario.whyNoCase)")
    }
  }

  package var outcome: Outcome {
    if !findings.isEmpty || !rowsWithoutCase.isEmpty { return .finding }
    return neverFired.isEmpty && withoutCase.isEmpty ? .asExpected : .neverFired
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

  /// One block for each cause, which is a store that shows the same verdicts in a scenario; at most
  /// ten, then a count.
  ///
  /// - Parameters:
  ///   - seed: The start of the draws, for the command that shows it again.
  ///   - more: How many findings are told behind these.
  /// - Returns: The lines; none when nothing was found.
  package func findingLines(seed: UInt64, more: Int = 0) -> [String] {
    let causes = causes
    let cards = cards(Array(causes.prefix(10)), seed: seed)
    var lines = cards.enumerated().flatMap { index, card in
      FindingText(card).lines(number: index + 1, of: causes.count + more)
    }
    if causes.count > 10 { lines.append("and \(causes.count - 10) more causes") }
    return lines + rowsWithoutCase.map(\.words)
  }

  var causes: [[(run: CaseRun, scenario: Scenario)]] { Self.causes(of: findings) }

  /// What fails as its file says, worst first: cases of one scenario that show the same failure,
  /// whichever the store and the phone. Both tiers show the same, so each case counts once.
  var knownLosses: [[(run: CaseRun, scenario: Scenario)]] {
    var losses: [[(run: CaseRun, scenario: Scenario)]] = []
    for run in runs {
      for one in run.cases where one.outcome == .asExpected {
        guard let failure = one.failure else { continue }
        let place = losses.firstIndex { loss in
          loss.first.map {
            $0.scenario.place == run.scenario.place && $0.run.failure == failure
          } ?? false
        }
        guard let place else {
          losses.append([(one, run.scenario)])
          continue
        }
        let isThere = losses[place].contains {
          $0.run.name == one.name && $0.run.store == one.store && $0.run.phone == one.phone
        }
        if !isThere { losses[place].append((one, run.scenario)) }
      }
    }
    return losses.enumerated().sorted {
      let (left, right) = (Self.severity(of: $0.element), Self.severity(of: $1.element))
      return left == right ? $0.offset < $1.offset : left < right
    }.map(\.element)
  }

  private static func severity(of loss: [(run: CaseRun, scenario: Scenario)]) -> Int {
    loss.first?.run.failure?.severity ?? 0
  }

  private static func causes(
    of findings: [(run: CaseRun, scenario: Scenario)]
  ) -> [[(run: CaseRun, scenario: Scenario)]] {
    findings.reduce(into: []) { causes, finding in
      let index = causes.firstIndex { cause in
        cause.first.map {
          $0.run.scenario == finding.run.scenario && $0.run.store == finding.run.store
            && $0.run.phone == finding.run.phone
            && $0.run.verdicts == finding.run.verdicts
        } ?? false
      }
      if let index { causes[index].append(finding) } else { causes.append([finding]) }
    }
  }

  /// The words that show the first known loss again, step by step; `nil` when there is none or a
  /// finding has more to say.
  package var knownLoss: String? {
    guard findings.isEmpty else { return nil }
    for run in runs {
      let loss = run.cases.first { $0.verdicts.contains(where: \.isFailure) }
      guard let loss else { continue }
      return Self.words(run.scenario, loss, foreign) + Self.option(for: loss)
    }
    return nil
  }

  package var cases: [CaseRun] { runs.flatMap(\.cases) }

  /// What to look at when there is no finding, and nothing that was armed in vain.
  ///
  /// - Parameter isInDetail: Whether each case was told step by step.
  /// - Returns: The last line of the output; `nil` when something else has to be done first.
  package func next(isInDetail: Bool) -> String? {
    guard outcome == .asExpected else { return nil }
    if !isInDetail, let knownLoss { return "next: ./lab run \(knownLoss)   (step by step)" }
    guard isInDetail else {
      let store = foreign.map { " \($0.shellWords)" } ?? ""
      return "next: ./lab chaos\(store)   (everything, and random faults)"
    }
    let told = runs.first { !$0.cases.isEmpty }
    guard let told, let one = told.cases.first(where: { $0.failure != nil }) ?? told.cases.first,
      let device = Self.device(one, of: told.scenario)
    else { return nil }
    return "next: \(device)   (the same on a device)"
  }

  /// The command that shows a finding, or a known loss, again.
  func replay(_ run: CaseRun, of scenario: Scenario, seed: UInt64) -> String {
    let place = run.parts.last.map { " --case \($0)" } ?? ""
    return Self.command(scenario, run, foreign, more: place, seed: seed)
  }

  /// The command that shows a run again.
  static func command(
    _ scenario: Scenario, _ run: CaseRun, _ foreign: ForeignApp? = nil, more: String = "",
    seed: UInt64
  ) -> String {
    scenario.isReplay
      ? "./lab replay \(ShellWord.quoted(scenario.place))"
        + (foreign.map { " \($0.shellWords)" } ?? "")
      : "./lab run \(words(scenario, run, foreign))\(more) --seed \(seed)"
  }

  /// The words behind `lab run` that show a run again.
  private static func words(
    _ scenario: Scenario, _ run: CaseRun, _ foreign: ForeignApp?
  ) -> String {
    let phone = scenario.phones.count > 1 ? " --phone \(run.phone.rawValue)" : ""
    let store = foreign?.shellWords ?? "--store \(run.store)"
    return "\(ShellWord.quoted(scenario.place))\(phone) \(store)"
  }

  private static func option(for run: CaseRun) -> String {
    run.parts.last.map { " --case \($0)" } ?? " -v"
  }

  package var summary: String {
    let (good, bad) = counts
    let faults = faults
    guard good + bad > 0 else { return "no run" }
    return "\(Counted.words(good + bad, "run")), "
      + "\(bad == 0 ? "all as expected" : "\(bad) not as expected"); "
      + "\(Counted.words(faults.armed, "fault")) armed, \(faults.fired) fired, "
      + "\(faults.neverFired.count + withoutCase.count) never fired"
  }
}

extension Scenario {
  /// Whether runs are there on all its phones, and with all its stores.
  fileprivate func isCovered(by runs: [ScenarioRun]) -> Bool {
    Set(runs.map(\.phone)).isSuperset(of: phones)
      && Set(runs.map(\.store)).isSuperset(of: storesByItself)
  }

  /// Why only its controls ran.
  fileprivate var whyNoCase: String {
    let step = cases.lazy.compactMap { one in one.spreadStep.map { one.steps[$0] } }.first
    guard let step, let fault = step.fault, let trigger = fault.trigger else {
      return "it is not for these stores"
    }
    let kind = trigger == .eachOperation ? "operation" : "point"
    return "\(fault.kind.rawValue)@\(trigger.text) in line \(step.line) came to no \(kind)"
  }
}
