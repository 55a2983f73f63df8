import Chaos
import JSON
import Phone
import Session

extension ChaosReport {
  /// The campaign for CI systems.
  package var checks: CheckReport {
    var report = CheckReport(command: "lab chaos")
    report.add(verdict.runs, with: verdict.foreign, seed: seed)
    report.addRows(of: verdict)
    report.notes = CheckReport.notes(RunVerdict(everything, foreign: verdict.foreign), seed: seed)
      .filter { note in
        // A history that failed is told by its finding.
        !outcome.histories.contains { history in
          history.all.contains { CheckReport.title($0) == note.title }
        }
      }
    for one in outcome.explorations { add(one, to: &report) }
    addHistories(to: &report)
    addCanaries(to: &report)
    if outcome.wasInterrupted { report.addInterruption() }
    report.conclusion = conclusion
    report.findingLines = findingLines + neverFiredLines
    return report
  }

  private func add(_ one: ExplorationSummary, to report: inout CheckReport) {
    let title = "exploration of \(one.store) on \(one.phone.rawValue)"
    let group = report.name("exploration", one.store, one.phone.rawValue)
    var checks = one.causes.map { cause in
      let replay = cause.finding.map { "replay: ./lab \($0.command(in: folder))" }
      report.notes.append(
        CheckReport.Note(
          title: "\(cause.failure.rawValue), \(title), \(cause.place)",
          lines: [cause.because] + (replay.map { [$0] } ?? []),
          file: cause.finding.map { "\(folder)/\($0.replay.name).json" },
          line: cause.finding == nil ? nil : 1))
      return CheckReport.Check(
        name: "\(cause.failure.rawValue), \(cause.place)", group: group,
        problem: CheckReport.Problem(
          kind: .failure, type: cause.failure.rawValue, message: cause.because,
          text: [Counted.words(cause.count, "time")] + (replay.map { [$0] } ?? [])))
    }
    if checks.isEmpty {
      checks = [
        CheckReport.Check(
          name: "every crash can be recovered from", group: group,
          output: [
            "\(Counted.words(one.originCount, "origin")), "
              + "\(Counted.words(one.imageCount, "image")), no violation"
          ])
      ]
    }
    report.suites.append(CheckReport.Suite(name: title, checks: checks))
  }

  private func addHistories(to report: inout CheckReport) {
    let group = report.name("random")
    var checks = outcome.findings.map { finding in
      let replay = "replay: ./lab \(finding.command(in: folder))"
      let because = finding.replay.because
      report.notes.append(
        CheckReport.Note(
          title: CheckReport.title(finding.run), lines: [because, replay],
          file: "\(folder)/\(finding.replay.name).json", line: 1))
      return CheckReport.Check(
        name: finding.replay.name, group: group,
        problem: CheckReport.Problem(
          kind: .failure, type: CheckReport.word(finding.run), message: because, text: [replay]),
        output: FindingText(finding.run, of: finding.replay.scenario).account)
    }
    let count = outcome.histories.count
    checks.append(
      CheckReport.Check(
        name: "random histories", group: group,
        problem: count == outcome.plannedHistoryCount || !outcome.wasInterrupted
          ? nil
          : CheckReport.Problem(
            kind: .error, type: "notRun",
            message: "only \(count) of \(outcome.plannedHistoryCount)",
            text: []),
        output: [
          "\(count) of \(outcome.plannedHistoryCount) histories, "
            + Counted.words(outcome.findings.count, "violation")
        ]))
    report.suites.append(CheckReport.Suite(name: "random histories", checks: checks))
  }

  /// An engine that misses what is known to be broken proves nothing.
  private func addCanaries(to report: inout CheckReport) {
    guard !outcome.canaries.isEmpty else { return }
    let checks = outcome.canaries.map { canary in
      CheckReport.Check(
        name: "caught on \(canary.phone.rawValue), \(canary.tier.rawValue)",
        group: report.name("canary", outcome.plan.canaryStore),
        problem: canary.isCaught
          ? nil
          : CheckReport.Problem(
            kind: .error, type: "notCaught",
            message: "a store that is known to be broken was not caught: no pass",
            text: ["\(canary.tries) histories were tried"]),
        output: ["\(canary.tries) histories"])
    }
    if !canaryIsCaught, !outcome.wasInterrupted {
      report.notes.append(CheckReport.Note(title: "canary not caught", lines: [conclusion]))
    }
    report.suites.append(CheckReport.Suite(name: "canary", checks: checks))
  }
}

extension ExploreReport {
  /// The exploration for CI systems; `folder` has the replays.
  package func checks(replaysIn folder: String) -> CheckReport {
    var report = CheckReport(command: "lab explore")
    let plan = found.plan
    let group = report.name(plan.store, plan.phone.rawValue)
    var checks = found.causes.map { cause in
      let told = lines(of: cause, folder)
      let title = told.first ?? cause.failure.rawValue
      let hasFile = cause.replay.shown != nil
      report.notes.append(
        CheckReport.Note(
          title: title, lines: [cause.because] + told.filter { $0.hasPrefix("replay: ") },
          file: hasFile ? "\(folder)/\(cause.replay.name).json" : nil, line: hasFile ? 1 : nil))
      report.findingLines += told
      return CheckReport.Check(
        name: title, group: group,
        problem: CheckReport.Problem(
          kind: .failure, type: cause.failure.rawValue, message: cause.because, text: told))
    }
    if checks.isEmpty {
      checks = [
        CheckReport.Check(name: "every crash can be recovered from", group: group, output: headline)
      ]
    }
    report.suites = [
      CheckReport.Suite(name: "\(plan.store) on \(plan.phone.rawValue)", checks: checks)
    ]
    if found.wasInterrupted { report.addInterruption() }
    report.conclusion = headline.joined(separator: "  \n")
    return report
  }
}

extension SessionReport {
  /// The exploration of an app with its server for CI systems: a check for each story and failure.
  /// `folder` has the replays.
  package func checks(replaysIn folder: String) -> CheckReport {
    var report = CheckReport(command: "lab explore")
    let plan = found.plan
    let causes = causes
    for story in plan.stories {
      let group = report.name(
        plan.profile.rawValue, plan.store, plan.phone.rawValue, story.rawValue)
      var checks = causes.filter { $0.first.story == story }.map { cause in
        let told = block(cause, folder)
        report.notes.append(
          CheckReport.Note(
            title: told[0], lines: told.dropFirst().map { String($0.drop { $0 == " " }) },
            file: "\(folder)/\(replay(cause.first).name).json", line: 1))
        report.findingLines += told
        return CheckReport.Check(
          name: Self.words(cause.first) + ": \(cause.first.judgement.verdict.rawValue)",
          group: group,
          problem: CheckReport.Problem(
            kind: .failure, type: cause.first.judgement.verdict.rawValue,
            message: cause.first.judgement.because, text: told))
      }
      let count = found.cases.count { $0.story == story }
      if checks.isEmpty {
        checks = [
          CheckReport.Check(
            name: "no fault loses it", group: group, output: [Counted.words(count, "run")])
        ]
      }
      report.suites.append(
        CheckReport.Suite(
          name: "\(story.rawValue) on \(plan.phone.rawValue), store \(plan.store)", checks: checks))
    }
    for fault in found.neverFired {
      report.notes.append(
        CheckReport.Note(title: "never fired", lines: ["\(fault) falls nowhere"]))
      report.suites.append(
        CheckReport.Suite(
          name: "faults that never fired",
          checks: [
            CheckReport.Check(
              name: "\(fault)", group: report.name("neverFired"),
              problem: CheckReport.Problem(
                kind: .error, type: "neverFired", message: "\(fault) falls nowhere", text: []))
          ]))
    }
    if found.wasInterrupted { report.addInterruption() }
    report.conclusion =
      "\(Counted.words(found.cases.count, "run")), "
      + Counted.words(found.violations.count, "violation")
    return report
  }
}
