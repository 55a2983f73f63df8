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

  private var profile: String { found.plan.settings[ScenarioSettings.profile] }

  // MARK: - For people

  /// All lines, the numbers first.
  ///
  /// - Parameters:
  ///   - folder: Where the replays were written.
  ///   - console: Where they are shown; decides width and colour.
  /// - Returns: The lines for stdout.
  package func lines(replaysIn folder: String, for console: Terminal.Console) -> [String] {
    headline + strip(for: console) + found.causes.flatMap { lines(of: $0, folder) }
  }

  var headline: [String] {
    let plan = found.plan
    let outcomes = found.outcomes
    let counts = outcomes.map { "\($0.verdict?.rawValue ?? Self.nothing) \($0.count)" }
    let violations =
      found.causes.isEmpty
      ? "violations: none"
      : "violations: \(Self.count(found.violationCount, "image")), "
        + Self.count(found.causes.count, "cause")
    return [
      "\(plan.store) on \(plan.phone.rawValue), profile \(profile), depth \(plan.depth), "
        + "\(Self.count(plan.writerCount, "writer"))\(readers), seed \(plan.seed)   workload: \(workload)",
      "\(found.originCount) origins -> \(found.images.count) images -> "
        + "\(found.recoveredCount) recovered -> \(found.endingCount) endings -> "
        + "\(outcomes.count) outcomes",
      "  " + coverage,
    ] + settings + extent + [
      "  " + counts.joined(separator: "   "), "  " + violations,
    ]
  }

  private var readers: String {
    let count = found.plan.readerCount
    return count == 0 ? "" : ", \(Self.count(count, "reader"))"
  }

  private var workload: String {
    found.plan.hasOverlaps
      ? "sign-ins at once; sign-in, refreshes at once" : "sign-in, refresh, refresh"
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
          + Self.count(found.moduleLossCount, "time") : nil,
      found.flipCount > 0 ? "flipped bits \(found.flipCount)" : nil,
    ].compactMap { $0 }
    return parts.isEmpty ? [] : ["  with " + parts.joined(separator: ", ")]
  }

  private static func count(_ count: Int, _ thing: String) -> String {
    "\(count) \(thing)\(count == 1 ? "" : "s")"
  }

  private var coverage: String {
    if found.wasInterrupted { return "INTERRUPTED: what was found so far" }
    if found.isExhaustive { return "exhaustive: nothing was left out" }
    let limits = [
      found.sampledMomentCount > 0
        ? "at \(found.sampledMomentCount) moments \(found.plan.cutCountMax) survivors drawn" : nil,
      found.sampledFileCount > 0
        ? "in \(found.sampledFileCount) files \(found.plan.cutCountMax) bytes drawn" : nil,
      found.cutOrderCount > 0 ? "orders of calls cut at \(found.plan.orderCountMax)" : nil,
    ].compactMap { $0 }
    return "NOT exhaustive: " + limits.joined(separator: ", ")
  }

  /// A sign-in that nobody knows of yet.
  private static let nothing = "quiet"

  /// One row for each save and point: a letter for each operation behind it, and one for the end of
  /// the save.
  private func strip(for console: Terminal.Console) -> [String] {
    guard !found.moments.isEmpty, !found.plan.hasOverlaps else { return [] }
    var table = Table("behind", "kill", "power cut")
    var rows: [(title: String, kill: String, cut: String)] = []
    var step = -1
    for moment in found.moments {
      if moment.step != step {
        step = moment.step
        rows.append((moment.title, "", ""))
        rows.append((Self.words(moment.point), "", ""))
      } else if let last = rows.last, last.title != Self.words(moment.point) {
        rows.append((Self.words(moment.point), "", ""))
      }
      rows[rows.count - 1].kill += letter(moment.killed.map { [$0] } ?? [])
      rows[rows.count - 1].cut += letter(moment.cut)
    }
    for row in rows {
      table.add([row.title, Self.short(row.kill), Self.short(row.cut)].map { Table.Cell($0) })
    }
    return table.lines(for: console) + [
      "  an operation a letter, the last after it all: k keep  r recover  c cleanOut  . quiet",
      "  F fails always  f fails with some survivors  r(12) twelve in a row",
    ]
  }

  /// Long runs of one letter as their length.
  private static func short(_ letters: String) -> String {
    var short = ""
    var rest = letters[...]
    while let letter = rest.first {
      let run = rest.prefix { $0 == letter }
      short += run.count > 6 ? "\(letter)(\(run.count))" : String(run)
      rest = rest.dropFirst(run.count)
    }
    return short
  }

  private static func words(_ point: LogicalPoint?) -> String {
    point.map { "  \($0.rawValue) (\($0.words))" } ?? "  the start"
  }

  /// The worst of several images in one letter.
  private func letter(_ images: [Int]) -> String {
    let verdicts = images.map { found.images[$0].outcome?.verdict }
    let failureCount = verdicts.count { $0?.isFailure == true }
    if failureCount > 0 { return failureCount == verdicts.count ? "F" : "f" }
    let order: [(Verdict, String)] = [
      (.cleanOut, "c"), (.reject, "j"), (.defer, "d"), (.recover, "r"), (.keep, "k"),
    ]
    return order.first { verdicts.contains($0.0) }?.1 ?? (images.isEmpty ? " " : ".")
  }

  func lines(of cause: Exploration.Cause, _ folder: String) -> [String] {
    let depth = cause.depth > 1 ? " in the recovery of another crash" : ""
    let place = cause.point == nil ? "" : " behind\(Self.words(cause.point).dropFirst())"
    let title =
      "\(cause.failure.rawValue)  \(Self.words(cause.kind))\(depth)\(place)  "
      + Self.count(cause.occurrenceCount, "time")
    let finding = cause.replay.finding
    let size = finding.map {
      ["  shrunk: \($0.foundChoiceCount) -> \($0.replay.choices.count) decisions"]
    }
    let replay = finding.map { ["replay: ./lab \($0.command(in: folder))"] }
    let doubt = cause.replay.isConfirmed ? [] : ["  NOT CONFIRMED: the replay shows something else"]
    let because = TextLayout.wrap(cause.because, width: Terminal.Console.columnMax - 2)
    return [title] + because.map { "  \($0)" } + doubt + (size ?? []) + (replay ?? [])
  }

  private static func words(_ kind: DisturbanceKind) -> String {
    switch kind {
    case .none: "the order of overlapping calls"
    case .kill: "kill"
    case .powerCut: "power cut"
    case .callError: "a refused call"
    case .bitFlip: "a flipped bit"
    }
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
      .init(key: "exhaustive", value: .bool(found.isExhaustive)),
      .init(key: "interrupted", value: .bool(found.wasInterrupted)),
    ]
    if !found.isExhaustive {
      members.append(.init(key: "bound", value: .integer(plan.cutCountMax)))
      members.append(.init(key: "sampledMoments", value: .integer(found.sampledMomentCount)))
      members.append(.init(key: "sampledFiles", value: .integer(found.sampledFileCount)))
      members.append(.init(key: "cutOrders", value: .integer(found.cutOrderCount)))
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
      "decisions": .integer(cause.replay.finding?.replay.choices.count ?? 0),
      "confirmed": .bool(cause.replay.isConfirmed),
    ]
  }
}
