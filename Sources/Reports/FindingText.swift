package import Chaos
import JSON
import Terminal

/// A finding told as a numbered story, with the two halves as columns.
package struct FindingText {
  private let run: CaseRun
  private let scenario: Scenario

  package init(_ run: CaseRun, of scenario: Scenario) {
    self.run = run
    self.scenario = scenario
  }

  /// What a store did that nobody expected, in lines of at most 100 columns.
  ///
  /// - Parameters:
  ///   - number: Which finding it is.
  ///   - count: Of how many.
  ///   - replay: The command that shows it again.
  /// - Returns: The lines.
  package func lines(number: Int, of count: Int, replay: String) -> [String] {
    [headline(number, count), "  \(scenario.story)"] + story + reasons + ["replay: \(replay)"]
  }

  private func headline(_ number: Int, _ count: Int) -> String {
    let word = run.verdicts.first(where: \.isFailure)?.rawValue ?? RunTable.verdicts(run)
    let place = RunTable.words(run.name, run.parts)
    return "FINDING \(number) of \(count)  \(word)  \(run.scenario), \(place)  \(run.phone)  "
      + "store \(run.store)"
  }

  private var reasons: [String] {
    var lines = run.judgements.flatMap { judgement in
      // An error of the platform may have several lines.
      let because = judgement.because.split(whereSeparator: \.isNewline).joined(separator: " ")
      return TextLayout.wrap(
        "\(judgement.verdict.rawValue): \(because)", width: Console.columnMax - 4
      ).enumerated().map { ($0 == 0 ? "  " : "    ") + $1 }
    }
    if case .unexpected(let expected) = run.outcome {
      lines.append("  a correct app would show: \(expected)")
    }
    return lines
  }

  private var story: [String] {
    var table = Table("", "the app", "key half", "blob half")
    for (index, row) in Self.numbered(run.story).enumerated() {
      table.add(
        Table.Cell(row.isFault ? "X" : String(index + 1)), Table.Cell(row.text),
        Table.Cell(row.key), Table.Cell(row.blob))
    }
    return table.lines(width: Console.columnMax)
  }

  /// The same rows with `key 1`, `key 2` … in the place of digests, by first appearance.
  private static func numbered(_ rows: [StoryRow]) -> [StoryRow] {
    var keys: [String] = []
    var blobs: [String] = []
    return rows.map { row in
      StoryRow(
        text: row.text, key: name(row.key, "key", &keys), blob: name(row.blob, "blob", &blobs),
        isFault: row.isFault)
    }
  }

  private static func name(_ digest: String, _ word: String, _ seen: inout [String]) -> String {
    guard digest != "-" else { return "-" }
    if !seen.contains(digest) { seen.append(digest) }
    return "\(word) \((seen.firstIndex(of: digest) ?? 0) + 1)"
  }
}
