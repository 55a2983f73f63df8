package import Chaos
package import JSON
import Phone
import Session
package import Terminal

/// What an exploration of an app with its server found: for people, and `lab.explore/1` for programs.
package struct SessionReport {
  let found: SessionExplorer.Outcome

  package init(_ found: SessionExplorer.Outcome) { self.found = found }

  package var exitCode: ExitCode {
    if found.wasInterrupted { return .interrupted }
    if !found.neverFired.isEmpty { return .neverFired }
    return found.violations.isEmpty ? .asExpected : .finding
  }

  /// A cause: cases of one story and kind of fault, at one endpoint if it hits requests, that show
  /// the same failure.
  struct Cause {
    let first: SessionExplorer.Case
    var count = 1

    func isOf(_ one: SessionExplorer.Case) -> Bool {
      first.story == one.story && first.fault?.kind == one.fault?.kind
        && first.judgement.verdict == one.judgement.verdict
        && (first.secondKill == nil) == (one.secondKill == nil)
        && (first.fault?.kind.hitsRequest != true || first.call == one.call)
    }
  }

  var phone: PhoneKind { found.plan.phone }

  var causes: [Cause] {
    var causes: [Cause] = []
    for one in found.violations {
      if let index = causes.firstIndex(where: { $0.isOf(one) }) {
        causes[index].count += 1
      } else {
        causes.append(Cause(first: one))
      }
    }
    return causes
  }

  // MARK: - For people

  /// All lines: the numbers, a row for each story, and each cause.
  ///
  /// - Parameters:
  ///   - folder: Where the replays were written.
  ///   - console: Where they are shown.
  /// - Returns: The lines for stdout.
  package func lines(replaysIn folder: String, for console: Console) -> [String] {
    var lines = headline
    if found.wasInterrupted { lines.append("INTERRUPTED: what was found so far") }
    lines += table.lines(for: console)
    let causes = causes
    lines.append(
      causes.isEmpty
        ? "violations: none" + (found.wasInterrupted ? " so far" : "")
        : "violations: \(Counted.words(found.violations.count, "run")), "
          + Counted.words(causes.count, "cause"))
    for cause in causes { lines += block(cause, folder) }
    return lines + unfired
  }

  /// What was explored, in short pieces.
  var facts: [String] {
    [
      "client \(found.plan.profile.rawValue) \(found.plan.sdk)", scope,
      "\(Tier.simulated.rawValue) tier",
    ]
  }

  private var scope: String {
    let plan = found.plan
    return "\(Counted.words(found.cases.count, "run")) of "
      + "\(Counted.words(plan.stories.count, "story", "stories")), "
      + (plan.onlyFault.map { "without a fault and with \($0)" } ?? "each fault at each place")
  }

  /// What was explored.
  var headline: [String] {
    let plan = found.plan
    return [
      "\(plan.store) with client \(plan.profile.rawValue) \(plan.sdk) on \(plan.phone.rawValue), seed "
        + "\(plan.seed)",
      scope,
    ] + (plan.settings.optionText.map { ["  settings: \($0)"] } ?? [])
  }

  /// How many runs of each story came to what.
  var table: Table {
    var table = Table(["story", "runs"] + verdicts.map(\.rawValue))
    for story in found.plan.stories {
      let cases = found.cases.filter { $0.story == story }
      let counts = verdicts.map { verdict in
        cases.count { $0.judgement.verdict == verdict }
      }
      table.add(
        [Table.Cell(story.rawValue), Table.Cell("\(cases.count)")]
          + zip(verdicts, counts).map { verdict, count in
            count == 0
              ? Table.Cell("-") : Table.Cell("\(count)", verdict.isFailure ? .fail : .good)
          })
    }
    return table
  }

  /// What is said of faults that fell nowhere.
  var unfired: [String] {
    guard !found.neverFired.isEmpty else { return [] }
    guard let only = found.plan.onlyFault else {
      return ["\(Counted.words(found.neverFired.count, "fault")) never fired: a defect of the lab"]
    }
    let things = only.kind.hitsRequest ? "requests" : "steps"
    return ["'\(only)' falls nowhere: this story has fewer \(things)"]
  }

  var verdicts: [Verdict] {
    Verdict.allCases.filter { verdict in
      found.cases.contains { $0.judgement.verdict == verdict }
    }
  }

  func block(_ cause: Cause, _ folder: String) -> [String] {
    let one = cause.first
    return [
      "\(one.judgement.verdict.rawValue)  \(Self.words(one))"
        + (cause.count > 1 ? "   (and \(cause.count - 1) like it)" : ""),
      "  " + one.judgement.because,
      "replay: ./lab replay \(folder)/\(name(one)).json",
    ]
  }

  static func words(_ one: SessionExplorer.Case) -> String {
    let fault = one.fault.map { fault in
      "\(fault)" + (one.call.isEmpty ? "" : " (\(one.call))")
    }
    let second = one.secondKill.map { ", then a kill at step \($0)" } ?? ""
    return "\(one.story.rawValue): \(fault ?? "no fault")\(second)"
  }

  /// The first case of each cause, as a file that `lab replay` takes.
  package var replays: [StoryReplay] { causes.map { replay($0.first) } }

  func replay(_ one: SessionExplorer.Case) -> StoryReplay {
    StoryReplay(one, of: found.plan, named: name(one), foundBy: "lab \(command(one))")
  }

  /// Of a replay, and another for each cause: `falseSignOut-stay-429-token-seed-recipe-ios`.
  private func name(_ one: SessionExplorer.Case) -> String {
    let plan = found.plan
    var words = [one.judgement.verdict.rawValue, one.story.rawValue]
    words.append(one.fault?.kind.rawValue ?? "control")
    if one.fault?.kind.hitsRequest == true, let endpoint = one.call.split(separator: "/").last {
      words.append(String(endpoint))
    }
    if one.secondKill != nil { words.append("twice") }
    words += [plan.profile.rawValue, plan.store, plan.phone.rawValue]
    return words.joined(separator: "-")
  }

  /// The words behind `./lab` that show a case again.
  private func command(_ one: SessionExplorer.Case) -> String {
    let plan = found.plan
    return "explore --client \(plan.profile.rawValue) --store \(plan.store) --phone "
      + "\(plan.phone.rawValue) --story \(one.story.rawValue)"
      + (one.fault.map { " --fault \($0)" } ?? "")
      + (one.secondKill == nil ? "" : " --depth 2")
      + (plan.settings.optionText.map { " --set \($0)" } ?? "")
      + (plan.seed == 1 ? "" : " --seed \(plan.seed)")
  }

  // MARK: - For programs

  package var json: JSONValue {
    let plan = found.plan
    let outcomes = verdicts.map { verdict in
      JSONObject.Member(
        key: verdict.rawValue,
        value: .integer(found.cases.count { $0.judgement.verdict == verdict }))
    }
    return [
      "schema": .text(ExploreReport.schema), "store": .text(plan.store),
      "client": .text(plan.profile.rawValue), "sdk": .text("\(plan.sdk)"),
      "phone": .text(plan.phone.rawValue), "seed": .number(plan.seed),
      "settings": plan.settings.json,
      "origins": .integer(found.cases.count), "exhaustive": .bool(!found.wasInterrupted),
      "outcomes": .object(JSONObject(outcomes)),
      "violations": .list(
        causes.map { cause in
          [
            "failure": .text(cause.first.judgement.verdict.rawValue),
            "point": .text(Self.words(cause.first)),
            "because": .text(cause.first.judgement.because), "runs": .integer(cause.count),
            "again": .text(command(cause.first)),
            "replay": .text("\(name(cause.first)).json"),
          ]
        }),
    ]
  }
}
