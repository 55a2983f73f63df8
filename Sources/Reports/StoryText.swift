import Chaos
import JSON
import Phone
import Session
import Terminal

/// A story that was played again: for people, and for programs.
struct StoryText {
  private let played: StoryComparison

  init(_ played: StoryComparison) { self.played = played }

  private var replay: StoryReplay { played.replay }

  /// `falseSignOut-seed-7  recipe with client seed 2.45.0 on ios`.
  private var title: String { "\(replay.name)  \(program)" }

  private var program: String {
    let plan = replay.plan
    return "\(plan.store) with client \(plan.profile.rawValue) \(plan.sdk) on "
      + plan.phone.rawValue
  }

  /// How it went, line by line.
  private var table: Table {
    var table = Table("", "time", "what happens", "the app shows")
    for line in played.account {
      table.add(
        Table.Cell(line.isFault ? "X" : ""), Table.Cell(Self.time(line.milliseconds)),
        Table.Cell(line.text), Table.Cell(line.shows ?? "-"))
    }
    return table
  }

  /// How it went, then what was recorded and what was shown.
  var lines: [String] {
    (title.count <= Console.columnMax ? [title] : [replay.name, "  \(program)"])
      + TextLayout.paragraph("found by \(replay.foundBy)", width: Console.columnMax, indent: 2)
      + table.lines(width: Console.columnMax)
      + (played.shown.map { ["  \($0.judgement.verdict.rawValue): \($0.judgement.because)"] } ?? [])
      + comparison
  }

  /// What was recorded and what was shown.
  var comparison: [String] {
    guard !played.isSame else { return ["  the same"] }
    let recorded = Self.words(replay.recorded)
    guard let shown = played.shown else {
      return ["  DIFFERS", "    recorded: \(recorded)", "    shown: the fault fell nowhere"]
    }
    return ["  DIFFERS", "    recorded: \(recorded)", "    shown: \(Self.words(shown))"]
  }

  private static func words(_ one: SessionExplorer.Case) -> String {
    "\(one.judgement.verdict.rawValue), \(SessionReport.words(one))"
  }

  /// `1:05:30.200`
  static func time(_ milliseconds: Int64) -> String {
    func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
    return "\(seconds / 3600):\(two(seconds / 60 % 60)):\(two(seconds % 60))."
      + String(String(rest + 1000).dropFirst())
  }

  var json: JSONValue {
    let one = replay.recorded
    return [
      "replay": .text(replay.name), "phone": .text(replay.plan.phone.rawValue),
      "store": .text(replay.plan.store), "client": .text(replay.plan.profile.rawValue),
      "tier": "simulated", "same": .bool(played.isSame), "story": .text(one.story.rawValue),
      "fault": one.fault.map { .text("\($0)") } ?? .null,
      "verdicts": [
        "recorded": [.text(one.judgement.verdict.rawValue)],
        "shown": .list(played.shown.map { [.text($0.judgement.verdict.rawValue)] } ?? []),
      ],
    ]
  }
}
