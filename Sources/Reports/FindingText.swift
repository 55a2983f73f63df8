package import Chaos
import JSON
import Phone
import Terminal

/// A finding told as a numbered story, with the two halves as columns.
package struct FindingText {
  private let story: FindingStory

  package init(_ run: CaseRun, of scenario: Scenario) {
    story = FindingStory(run, of: scenario)
  }

  private var run: CaseRun { story.run }

  /// What a store did that nobody expected, in lines of at most 100 columns.
  ///
  /// - Parameters:
  ///   - number: Which finding it is.
  ///   - count: Of how many.
  ///   - replay: The command that shows it again.
  /// - Returns: The lines.
  package func lines(number: Int, of count: Int, replay: String) -> [String] {
    [headline(number, count), "  \(story.scenario.story)"] + table + reasons
      + ["replay: \(replay)"]
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
    sentences += story.rules.map { "can happen: \($0.name): \($0.sentence)" }
    if let expected = story.expected { sentences.append("its file expects: \(expected)") }
    return sentences.flatMap { sentence in
      // An error of the platform may have several lines.
      let line = sentence.split(whereSeparator: \.isNewline).joined(separator: " ")
      return TextLayout.paragraph(line, width: Console.columnMax, indent: 2)
    }
  }

  private var table: [String] {
    var table = Table("", "the app", "key half", "blob half")
    for line in story.lines {
      table.add(
        Table.Cell(line.number), Table.Cell(line.text), Table.Cell(line.key.words),
        Table.Cell(line.blob.words))
    }
    return table.lines(width: Console.columnMax)
      + ["  \(FindingStory.legend)", "  \(FindingStory.valueLegend)"]
  }
}
