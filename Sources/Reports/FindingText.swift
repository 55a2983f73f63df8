package import Chaos
import JSON
import Phone
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

  /// How a case went, step by step, whatever came of it.
  package var account: [String] {
    [
      "\(run.scenario), \(RunTable.words(run.name, run.parts)), \(run.phone.rawValue), "
        + "store \(run.store): "
        + RunTable.verdicts(run)
    ] + story + reasons
  }

  private func headline(_ number: Int, _ count: Int) -> String {
    let word = run.verdicts.first(where: \.isFailure)?.rawValue ?? RunTable.verdicts(run)
    let place = RunTable.words(run.name, run.parts)
    return
      "FINDING \(number) of \(count)  \(word)  \(run.scenario), \(place)  \(run.phone.rawValue)  "
      + "store \(run.store)"
  }

  private var reasons: [String] {
    var sentences = run.judgements.map { "\($0.verdict.rawValue): \($0.because)" }
    sentences += run.faultKinds.map { "can happen: \($0.rule)" }
    if case .unexpected(let expected) = run.outcome, !scenario.isReplay {
      sentences.append("its file expects: \(expected)")
    }
    return sentences.flatMap { sentence in
      // An error of the platform may have several lines.
      let line = sentence.split(whereSeparator: \.isNewline).joined(separator: " ")
      return TextLayout.wrap(line, width: Console.columnMax - 4).enumerated().map {
        ($0 == 0 ? "  " : "    ") + $1
      }
    }
  }

  private var story: [String] {
    var table = Table("", "the app", "key half", "blob half")
    var keys: [String] = []
    var blobs: [String] = []
    for (index, row) in run.story.enumerated() {
      table.add(
        Table.Cell(row.isFault ? "X" : String(index + 1)), Table.Cell(row.text),
        Table.Cell(Self.name(row.key, "key", row.keyIsDurable, &keys)),
        Table.Cell(Self.name(row.blob, "blob", row.blobIsDurable, &blobs)))
    }
    return table.lines(width: Console.columnMax)
      + [
        "  # durable   ~ volatile (survives a kill, maybe not a power cut)   X fault",
        "  key 2: the second value seen there",
      ]
  }

  /// `key 2 ~` in the place of a digest, numbered by first appearance.
  private static func name(
    _ digest: String?, _ word: String, _ isDurable: Bool, _ seen: inout [String]
  ) -> String {
    guard let digest else { return "-" }
    if !seen.contains(digest) { seen.append(digest) }
    return "\(word) \((seen.firstIndex(of: digest) ?? 0) + 1) \(isDurable ? "#" : "~")"
  }
}
