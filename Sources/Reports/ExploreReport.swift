package import Chaos
package import JSON
import Phone
import Ports
package import Terminal

/// What an exploration found: for people, and `lab.explore/1` for programs.
package struct ExploreReport {
  package static let schema = "lab.explore/1"

  let found: Exploration

  package init(_ found: Exploration) {
    self.found = found
  }

  package var exitCode: ExitCode {
    if found.wasInterrupted { return .interrupted }
    return found.causes.isEmpty ? .asExpected : .finding
  }

  var profile: String { found.plan.settings[ScenarioSettings.profile] }

  // MARK: - For people

  /// All lines, the numbers first.
  ///
  /// - Parameters:
  ///   - folder: Where the replays were written.
  ///   - console: Where they are shown; decides width and colour.
  /// - Returns: The lines for stdout.
  package func lines(replaysIn folder: String, for console: Terminal.Console) -> [String] {
    headline + CrashMapText(found.map).lines(for: console)
      + causes.flatMap { lines(of: $0, folder) } + next
  }

  /// Where to look when nothing was found.
  private var next: [String] {
    guard exitCode == .asExpected else { return [] }
    let plan = found.plan
    let subject = plan.foreign.map(\.shellWords) ?? "--store \(plan.store)"
    guard plan.depth == 1 else {
      return ["next: ./lab chaos \(subject)   (the gallery, and random faults)"]
    }
    let phone = "--phone \(plan.phone.rawValue)"
    return ["next: ./lab explore \(subject) \(phone) --depth 2   (with crashes of the recovery)"]
  }

  /// The worst first: what most images show.
  var causes: [Exploration.Cause] {
    let ranks = found.causes.enumerated().sorted { one, other in
      (other.element.images.count, one.offset) < (one.element.images.count, other.offset)
    }
    return ranks.map(\.element)
  }

  var headline: [String] {
    let plan = found.plan
    let subject =
      "\(plan.store) on \(plan.phone.rawValue), profile \(profile), depth \(plan.depth), "
      + "\(Counted.words(plan.writerCount, "writer"))\(readers), seed \(plan.seed)"
    let work = "workload: \(workload)"
    let isShort = subject.count + work.count + 3 <= Terminal.Console.columnMax
    return (isShort ? ["\(subject)   \(work)"] : [subject, "  " + work]) + [
      "\(Counted.words(found.originCount, "origin")) -> "
        + "\(Counted.words(found.images.count, "image")) -> \(found.recoveredCount) recovered -> "
        + "\(Counted.words(found.endingCount, "ending")) -> "
        + Counted.words(found.outcomes.count, "outcome")
    ] + TextLayout.wrap(coverage, width: Terminal.Console.columnMax - 2).map { "  \($0)" } + program
      + settings + extent + (found.outcomes.isEmpty ? [] : ["  " + outcomeCounts])
      + (violations.map { ["  violations: \($0)"] } ?? [])
  }

  /// `nil` when nothing was looked at.
  private var violations: String? {
    guard found.causes.isEmpty else {
      return Counted.words(found.violationCount, "image") + ", "
        + Counted.words(found.causes.count, "cause")
    }
    if found.originCount == 0 { return nil }
    return found.wasInterrupted ? "none so far" : "none"
  }

  /// What was explored, in short pieces.
  var facts: [String] {
    let plan = found.plan
    return [
      "profile \(profile)", "depth \(plan.depth)",
      "\(Counted.words(plan.writerCount, "writer"))\(readers)",
      "\((plan.foreign == nil ? Tier.simulated : .mounted).rawValue) tier",
      "the app does: \(workload)",
    ] + ReportPage.program(plan.foreign)
  }

  /// The first heading of its page.
  var conclusion: String {
    let names = Verdict.allCases.filter { verdict in
      found.causes.contains { $0.failure == verdict }
    }
    let causes =
      names.isEmpty
      ? found.wasInterrupted ? "no violation so far" : "no violation"
      : "\(Counted.words(found.causes.count, "cause")) of "
        + names.map(\.rawValue).joined(separator: " and ")
    let begin = found.wasInterrupted ? "INTERRUPTED: " : ""
    return begin + "\(causes): \(found.plan.store) on \(found.plan.phone.rawValue)"
  }

  var outcomeCounts: String {
    found.outcomes.map { "\($0.verdict?.rawValue ?? Self.nothing) \($0.count)" }
      .joined(separator: "   ")
  }

  private var readers: String {
    let count = found.plan.readerCount
    return count == 0 ? "" : ", \(Counted.words(count, "reader"))"
  }

  private var workload: String {
    found.plan.hasOverlaps
      ? "sign-ins at once; sign-in, refreshes at once" : "sign-in, refresh, refresh"
  }

  /// The program that kept the session.
  private var program: [String] {
    guard let foreign = found.plan.foreign else { return [] }
    return TextLayout.wrap("mounted, with \(foreign.text)", width: Terminal.Console.columnMax - 2)
      .map { "  \($0)" }
  }

  /// The knobs that were turned, but for the profile.
  private var settings: [String] {
    var settings = found.plan.settings
    settings[ScenarioSettings.profile] = ScenarioSettings.profile.values[0]
    let words = settings.description.split(separator: ", ").filter { $0 != "profile phone" }
    return words.isEmpty ? [] : ["  settings: " + words.joined(separator: ", ")]
  }

  /// What was done beside crashes.
  private var extent: [String] {
    let parts = [
      found.orderCount > 0 ? "orders of calls \(found.orderCount)" : nil,
      found.errorCount > 0 ? "errors \(found.errorCount)" : nil,
      found.moduleLossCount > 0
        ? "after which the phone's own modules lost a half "
          + Counted.words(found.moduleLossCount, "time") : nil,
      found.flipCount > 0 ? "flipped bits \(found.flipCount)" : nil,
    ].compactMap { $0 }
    return parts.isEmpty ? [] : ["  with " + parts.joined(separator: ", ")]
  }

  var coverage: String {
    if found.wasInterrupted {
      if found.originCount == 0 { return "INTERRUPTED: nothing was looked at" }
      return "INTERRUPTED: what was found so far"
        + (found.causes.isEmpty ? "; no findings so far is no pass" : "")
    }
    if found.isExhaustive { return "exhaustive: nothing was left out" }
    let limits = [
      found.sampledMomentCount > 0
        ? "at \(Counted.words(found.sampledMomentCount, "moment")) "
          + "\(Counted.words(found.plan.cutCountMax, "choice")) of survivors drawn"
          + (found.plan.foreign == nil ? "" : " (a sample; more: --bound N)") : nil,
      found.sampledFileCount > 0
        ? "in \(Counted.words(found.sampledFileCount, "file")) "
          + "\(Counted.words(found.plan.cutCountMax, "byte")) drawn" : nil,
      found.cutErrorCount > 0
        ? "\(found.errorCount) of \(found.errorCount + found.cutErrorCount) refused calls drawn"
        : nil,
      found.cutOrderCount > 0 ? "orders of calls cut at \(found.plan.orderCountMax)" : nil,
    ].compactMap { $0 }
    return "NOT exhaustive: " + limits.joined(separator: ", ")
  }

  /// A sign-in that nobody knows of yet.
  private static let nothing = "quiet"

  func place(of cause: Exploration.Cause) -> String {
    let depth = cause.depth > 1 ? " in the recovery of another crash" : ""
    return cause.kind.words + depth + (cause.point.map { " behind \($0.nameAndWords)" } ?? "")
  }

  static let doubt = "NOT CONFIRMED: played again it shows something else, so no replay is kept"

  func lines(of cause: Exploration.Cause, _ folder: String) -> [String] {
    let title =
      "\(cause.failure.rawValue)  \(place(of: cause))  "
      + Counted.words(cause.occurrenceCount, "time")
    let finding = cause.replay.shown
    let size = finding.map {
      ["  \($0.sizeWords)"]
    }
    let replay = finding.map { ["replay: ./lab \($0.command(in: folder))"] }
    let doubt = cause.replay.isConfirmed ? [] : ["  \(Self.doubt)"]
    let because = TextLayout.wrap(cause.because, width: Terminal.Console.columnMax - 2)
    return [title] + because.map { "  \($0)" } + doubt + (size ?? []) + (replay ?? [])
  }

  // MARK: - For programs

  /// The document; it holds no path, so that two runs can be compared.
  package var json: JSONValue {
    let plan = found.plan
    var members: [JSONObject.Member] = [
      .init(key: "schema", value: .text(Self.schema)),
      .init(key: "store", value: .text(plan.store)),
      .init(key: "phone", value: .text(plan.phone.rawValue)),
      .init(key: "profile", value: .text(profile)),
      .init(key: "settings", value: plan.settings.json),
      .init(key: "depth", value: .integer(plan.depth)),
      .init(key: "writers", value: .integer(plan.writerCount)),
      .init(key: "readers", value: .integer(plan.readerCount)),
      .init(key: "seed", value: .number(plan.seed)),
      .init(key: "origins", value: .integer(found.originCount)),
      .init(key: "images", value: .integer(found.images.count)),
      .init(key: "recovered", value: .integer(found.recoveredCount)),
      .init(key: "endings", value: .integer(found.endingCount)),
      .init(key: "orders", value: .integer(found.orderCount)),
      .init(key: "errors", value: .integer(found.errorCount)),
      .init(key: "moduleLosses", value: .integer(found.moduleLossCount)),
      .init(key: "flips", value: .integer(found.flipCount)),
      .init(
        key: "outcomes",
        value: .object(
          JSONObject(
            found.outcomes.map {
              .init(key: $0.verdict?.rawValue ?? Self.nothing, value: .integer($0.count))
            }))),
      .init(key: "violations", value: .list(found.causes.map(Self.violation))),
      .init(key: "map", value: found.map.json),
      .init(key: "exhaustive", value: .bool(found.isExhaustive)),
      .init(key: "interrupted", value: .bool(found.wasInterrupted)),
    ]
    if !found.isExhaustive {
      members.append(.init(key: "bound", value: .integer(plan.cutCountMax)))
      members.append(.init(key: "sampledMoments", value: .integer(found.sampledMomentCount)))
      members.append(.init(key: "sampledFiles", value: .integer(found.sampledFileCount)))
      members.append(.init(key: "cutOrders", value: .integer(found.cutOrderCount)))
      members.append(.init(key: "cutErrors", value: .integer(found.cutErrorCount)))
    }
    return .object(JSONObject(members))
  }

  private static func violation(_ cause: Exploration.Cause) -> JSONValue {
    [
      "failure": .text(cause.failure.rawValue),
      "point": cause.point.map { .text($0.rawValue) } ?? .null,
      "crash": .text(cause.kind.rawValue), "depth": .integer(cause.depth),
      "images": .integer(cause.images.count), "times": .integer(cause.occurrenceCount),
      "because": .text(cause.because),
      "replay": .text("\(cause.replay.name).json"),
      "decisions": .integer(cause.replay.shown?.replay.choices.count ?? 0),
      "confirmed": .bool(cause.replay.isConfirmed),
    ]
  }
}
