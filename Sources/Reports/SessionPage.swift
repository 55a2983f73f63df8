package import Chaos
package import Crypto
import Phone
import Session
import Terminal

/// An exploration of an app with its server as one page of HTML.
package struct SessionPage {
  private let report: SessionReport
  /// Where the replays were written.
  private let folder: String
  /// Of the lab.
  private let version: String

  package init(_ report: SessionReport, replaysIn folder: String, version: String) {
    self.report = report
    self.folder = folder
    self.version = version
  }

  private var found: SessionExplorer.Outcome { report.found }

  /// Why there is no page.
  package enum Problem: Error {
    case digest(CryptoError)
    /// A cause that was found could not be played again.
    case replay(PhoneHostError)
  }

  /// The whole page. Each cause is played again, to tell how it went.
  ///
  /// - Throws: ``Problem``.
  package func html() throws(Problem) -> String {
    let causes = worstFirst
    var page = ReportPage(
      heading: Self.heading(causes, report), maker: "lab explore",
      facts: ["lab \(version)"] + report.facts, seed: report.found.plan.seed, data: report.json)
    page.notices =
      (found.wasInterrupted ? ["INTERRUPTED: what was found so far is below, and is no pass."] : [])
      + report.unfired
    page.counts = report.verdicts.map { verdict in
      let count = found.cases.count { $0.judgement.verdict == verdict }
      return .init(
        words: "\(count) \(verdict.rawValue)", tone: Markup.className(Tone(verdict)))
    }
    for cause in causes { page.findings.append(try card(cause)) }
    page.sections = [
      ("map", "Stories and faults", [Markup("p", [:], .text(Self.howToRead)), marks, map]),
      ("stories", "Stories", [.table("How many runs of each story came to what", report.table)]),
    ]
    page.verdicts = report.verdicts
    page.stores = [found.plan.store]
    page.proof = proof
    do { return try page.html() } catch { throw .digest(error) }
  }

  private static func heading(_ causes: [SessionReport.Cause], _ report: SessionReport) -> String {
    let plan = report.found.plan
    let subject = "\(plan.store) with client \(plan.profile.rawValue) on \(plan.phone.rawValue)"
    let words = causes.map(\.first.judgement.verdict.rawValue)
    if report.found.wasInterrupted { return "INTERRUPTED: \(subject)" }
    if let text = ReportPage.heading(words, in: subject) { return text }
    return report.unfired.isEmpty
      ? "No violation: \(subject)" : "A fault never fired: no pass: \(subject)"
  }

  // MARK: - Causes

  private var worstFirst: [SessionReport.Cause] {
    report.causes.enumerated().sorted {
      let left = $0.element.first.judgement.verdict.severity
      let right = $1.element.first.judgement.verdict.severity
      return left == right ? $0.offset < $1.offset : left < right
    }.map(\.element)
  }

  private func card(_ cause: SessionReport.Cause) throws(Problem) -> StoryCard {
    let replay = report.replay(cause.first)
    let played: StoryComparison
    do { played = try replay.play() } catch { throw .replay(error) }
    var card = StoryCard(played)
    card.replay = "./lab replay \(folder)/\(replay.name).json"
    card.notes = [
      cause.count == 1
        ? "No other run shows this failure by such a fault."
        : "\(cause.count - 1) more runs of this story show it by such a fault.",
      played.isSame ? "The replay shows it again." : "NOT CONFIRMED: it shows something else.",
    ]
    return card
  }

  // MARK: - Map

  private static let howToRead =
    "A row is a story, a column a kind of fault that fell at each place of it where that can tell "
    + "something new. A cell is what came of it, and in how many runs."

  private var marks: Markup { CrashMapMark.list(impossible: "not tried") }

  private var map: Markup {
    let kinds = SessionFault.Kind.allCases.filter { kind in
      found.cases.contains { $0.fault?.kind == kind }
    }
    let heads = ["story", "no fault"] + kinds.map(\.rawValue)
    let rows = found.plan.stories.map { story -> [Markup] in
      let own = found.cases.filter { $0.story == story }
      let columns = [nil] + kinds.map(Optional.some)
      let cells = columns.map { kind -> Markup in
        let tally = own.filter { $0.fault?.kind == kind }.reduce(into: StateTally()) {
          $0.add($1.judgement.verdict)
        }
        return CrashMapMark(tally).cell(words: tally.words)
      }
      return [Markup("th", ["scope": "row"], .text(story.rawValue))] + cells
    }
    return .table(
      "Each story under each fault",
      heads: heads.map { Markup("th", ["scope": "col"], .text($0)) }, rows: rows)
  }

  // MARK: - Proof

  private var proof: [(name: String, value: String)] {
    let plan = found.plan
    let controls = found.cases.filter { $0.fault == nil }
    let fine = controls.count { !$0.judgement.verdict.isFailure }
    return [
      ("Controls", "\(fine) of \(controls.count) stories without a fault keep the session"),
      (
        "Faults",
        "\(found.cases.count - controls.count) fired, \(found.neverFired.count) never fired"
      ),
      (
        "Coverage",
        found.wasInterrupted
          ? "INTERRUPTED" : plan.onlyFault.map { "only \($0)" } ?? "each fault at each place"
      ),
      ("Crashes in a row", plan.killsRecovery ? "2" : "1"), ("Tier", Tier.simulated.rawValue),
      ("Settings", "\(plan.settings)"), ("Seed", "\(plan.seed)"), ("Lab", version),
    ]
  }
}
