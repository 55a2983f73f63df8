package import Chaos
package import JSON
import Phone
package import Terminal

/// How replays went, on one tier or on both: for people, and `lab.replayed/1` for programs.
package struct ReplayReport {
  package static let schema = "lab.replayed/1"

  /// One replay, once for each tier that it was played on.
  let played: [[ReplayComparison]]
  let stories: [StoryComparison]

  package init(_ played: [[ReplayComparison]], stories: [StoryComparison] = []) {
    self.played = played
    self.stories = stories
  }

  package var exitCode: ExitCode { otherCount == 0 ? .asExpected : .finding }

  /// How many are not as recorded.
  private var otherCount: Int {
    played.count { $0.contains { !$0.isSame } || !Self.differences($0).isEmpty }
      + stories.count { !$0.isSame }
  }

  // MARK: - For people

  /// The story of each replay, then what was recorded and what was shown.
  package var lines: [String] {
    played.flatMap { one in story(of: one) + one.flatMap(Self.lines) + Self.comparison(of: one) }
      + stories.flatMap { StoryText($0).lines } + [conclusion] + next
  }

  /// What a replay is for: a fix is proved by it, or it is looked at on a device.
  private var next: [String] {
    let other = played.first { $0.contains { !$0.isSame } }?.first?.replay
    if let file = other?.file, other?.history.store != ForeignApp.storeName {
      return ["next: ./lab shrink \(ShellWord.quoted(file))   (takes over a change that was meant)"]
    }
    guard otherCount == 0, let replay = played.first?.first?.replay, let file = replay.file else {
      return []
    }
    guard played.count == 1, replay.history.store != ForeignApp.storeName else { return [] }
    let tool = replay.history.phone == .ios ? "simctl" : "adb"
    return ["next: ./lab replay \(ShellWord.quoted(file)) --as \(tool)   (the same on a device)"]
  }

  /// Where the two tiers part; empty for one tier.
  private static func differences(_ one: [ReplayComparison]) -> [TierDifference] {
    guard let simulated = one.first(where: { $0.shown.run.tier == .simulated }),
      let mounted = one.first(where: { $0.shown.run.tier == .mounted })
    else { return [] }
    return TierComparison.differences(
      simulated: simulated.shown.run, mounted: mounted.shown.run)
  }

  static func comparison(of one: [ReplayComparison]) -> [String] {
    guard one.count > 1 else { return [] }
    let differences = differences(one)
    return differences.isEmpty
      ? ["  both tiers: the same calls to each file, in order, and the same images"]
      : ["  both tiers: THEY PART"] + differences.flatMap { wrapped("\($0)") }
  }

  /// Told once; on the other tier it is another one only where the comparison says so.
  private func story(of one: [ReplayComparison]) -> [String] {
    guard let first = one.first else { return [] }
    let replay = first.replay
    let head =
      "\(replay.name)  \(replay.history.store) on \(replay.history.phone.rawValue)  "
      + "\(Counted.words(replay.choices.count, "decision")), found by \(replay.foundBy)"
    return [head] + FindingText(first.shown.run, of: replay.scenario).account.dropFirst()
  }

  static func lines(of one: ReplayComparison) -> [String] {
    let tier = one.shown.run.tier.rawValue
    var lines = ["  \(tier) tier: \(one.isSame ? "the same" : "DIFFERS")"]
    if let divergence = one.divergence {
      lines += wrapped("\(divergence)")
      if let moved = one.moved {
        lines += wrapped(
          "the recorded operation is op:\(moved.operation) now, in decision \(moved.step + 1) of the file"
        )
      }
    }
    lines += one.shown.run.faults.neverFired.flatMap { wrapped("never fired: \($0)") }
    lines += Self.pair(
      "verdicts", one.replay.verdicts.map(\.rawValue), one.shown.run.verdicts.map(\.rawValue))
    lines += Self.pair("images", one.replay.images, one.shown.images)
    return lines
  }

  /// What was recorded, and what was shown if it is something else.
  private static func pair(_ name: String, _ recorded: [String], _ shown: [String]) -> [String] {
    guard recorded != shown else { return wrapped("\(name): \(words(recorded)), as recorded") }
    return wrapped("\(name) recorded: \(words(recorded))")
      + wrapped("\(name) shown: \(words(shown))")
  }

  private static func words(_ words: [String]) -> String {
    words.isEmpty ? "none" : words.joined(separator: " ")
  }

  private static func wrapped(_ text: String) -> [String] {
    TextLayout.paragraph(text, width: Terminal.Console.columnMax, indent: 4)
  }

  var conclusion: String {
    let count = played.count + stories.count
    let all = Counted.words(count, "replay")
    return otherCount == 0 ? "\(all), all as recorded" : "\(all), \(otherCount) NOT as recorded"
  }

  // MARK: - For programs

  package var json: JSONValue {
    [
      "schema": .text(Self.schema),
      "replays": .list(
        played.flatMap { $0.map(Self.json) } + stories.map { StoryText($0).json }),
      "tiersPart": .list(
        played.flatMap { Self.differences($0).map { JSONValue.text("\($0)") } }),
    ]
  }

  private static func json(_ one: ReplayComparison) -> JSONValue {
    [
      "replay": .text(one.replay.name), "phone": .text(one.replay.history.phone.rawValue),
      "store": .text(one.replay.history.store), "tier": .text(one.shown.run.tier.rawValue),
      "decisions": .integer(one.replay.choices.count), "same": .bool(one.isSame),
      "divergence": one.divergence.map { .text("\($0)") } ?? .null,
      "movedTo": one.moved.map { .text("op:\($0.operation)") } ?? .null,
      "faults": one.shown.run.faults.json,
      "verdicts": pair(
        one.replay.verdicts.map(\.rawValue), one.shown.run.verdicts.map(\.rawValue)),
      "images": pair(one.replay.images, one.shown.images),
    ]
  }

  private static func pair(_ recorded: [String], _ shown: [String]) -> JSONValue {
    [
      "recorded": .list(recorded.map(JSONValue.text)), "shown": .list(shown.map(JSONValue.text)),
    ]
  }
}
