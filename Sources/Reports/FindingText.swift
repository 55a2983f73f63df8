package import Chaos
import JSON
import Phone
import Terminal

/// A finding told as a numbered story, with the two halves as columns.
package struct FindingText {
  private let card: FindingCard

  package init(_ run: CaseRun, of scenario: Scenario) {
    self.init(FindingCard(story: FindingStory(run, of: scenario)))
  }

  init(_ card: FindingCard) { self.card = card }

  private var story: FindingStory { card.story }
  private var run: CaseRun { story.run }

  /// What a store did that nobody expected, in lines of at most 100 columns.
  ///
  /// - Parameters:
  ///   - number: Which finding it is.
  ///   - count: Of how many.
  /// - Returns: The lines.
  func lines(number: Int, of count: Int) -> [String] {
    let replay = card.replay.map { ["replay: \($0)"] } ?? []
    return [headline(number, count), "  \(story.scenario.story)"]
      + (card.size.map { ["  \($0)"] } ?? []) + table + reasons
      + (card.device.map { ["  on a device: \($0)"] } ?? []) + replay
  }

  /// How a case went, step by step, whatever came of it.
  package var account: [String] {
    [
      "\(story.place), \(run.phone.rawValue), store \(run.store): " + RunTable.verdicts(run)
    ] + table + reasons
  }

  private func headline(_ number: Int, _ count: Int) -> String {
    "FINDING \(number) of \(count)  \(story.word)  \(story.place)  \(run.phone.rawValue)  "
      + "store \(run.store)"
  }

  private var reasons: [String] {
    var sentences = story.judgements
    sentences += story.rules.map { rule in
      rule.isSynthetic
        ? "\(rule.name): \(rule.sentence)" : "can happen: \(rule.name) (legal): \(rule.sentence)"
    }
    sentences += [
      story.expected.map { "its file expects: \($0)" },
      card.control.map { "control: the same without the fault: \($0)" },
      (card.right == story.expected ? nil : card.right).map { "a correct app: \($0)" },
      card.others, story.mend.map { "fix: \($0)" },
      run.failure?.falseMend.map { "not a fix: \($0)" },
    ].compactMap(\.self)
    return sentences.flatMap { sentence in
      // An error of the platform may have several lines.
      let line = sentence.split(whereSeparator: \.isNewline).joined(separator: " ")
      return TextLayout.paragraph(line, width: Console.columnMax, indent: 2)
    }
  }

  /// What a line has left beside the halves, and the indent of what goes on below.
  private static let textWidth = 68

  private var table: [String] {
    var table = Table("", "the app", "key half", "blob half")
    for line in story.lines {
      let parts = TextLayout.wrap(line.text, width: Self.textWidth)
      table.add(
        Table.Cell(line.number), Table.Cell(parts[0]), Table.Cell(line.key.words),
        Table.Cell(line.blob.words))
      for part in parts.dropFirst() { table.add("", Table.Cell("  \(part)"), "", "") }
    }
    return table.lines(width: Console.columnMax)
      + story.legends.map { "  \($0)" }
  }
}
