import Chaos
import JSON
import Phone
import Terminal

/// Faults that never fired: told apart from a pass and from a failure, with what helps.
extension RunVerdict {
  /// Runs of one case that say the same, whichever store and tier.
  private var unfired: [[CaseRun]] {
    neverFired.reduce(into: [[CaseRun]]()) { groups, run in
      let place = groups.firstIndex { group in
        group.first.map {
          $0.scenario == run.scenario && $0.name == run.name && $0.phone == run.phone
            && $0.faults.neverFired == run.faults.neverFired && $0.verdicts == run.verdicts
        } ?? false
      }
      if let place { groups[place].append(run) } else { groups.append([run]) }
    }
  }

  /// A block for each fault that never fired, of lines of at most 100 columns.
  package var neverFiredLines: [String] {
    unfired.flatMap { group in
      Self.faults(of: group).flatMap { clauses in
        Self.fitted("NEVER FIRED  \(clauses[0])") + Self.indented(Self.meaning(of: group))
          + clauses.dropFirst().flatMap(Self.indented)
      }
    } + withoutCaseWords.flatMap(Self.fitted)
  }

  /// The same for a page, a sentence each.
  var neverFiredSentences: [String] {
    unfired.flatMap { group in
      Self.faults(of: group).map { clauses in
        (["NEVER FIRED  \(clauses[0])", Self.meaning(of: group)] + clauses.dropFirst())
          .joined(separator: FaultTally.clauseSeparator)
      }
    } + withoutCaseWords
  }

  /// What shows whether a change of the file has helped; `nil` where no file of one's own is at fault.
  package var afterNeverFired: String? {
    guard outcome == .neverFired else { return nil }
    let scenario = runs.map(\.scenario).first { scenario in
      scenario.file != nil && !scenario.isReplay
        && neverFired.contains { $0.scenario == scenario.name }
    }
    return scenario.map { "next: ./lab run \(ShellWord.quoted($0.place))   (after the change)" }
  }

  private var withoutCaseWords: [String] {
    withoutCase.map { "NEVER FIRED  \($0.words). That proves nothing." }
  }

  private static func faults(of group: [CaseRun]) -> [[String]] {
    group.first?.faults.neverFired.map { text in
      text.split(separator: FaultTally.clauseSeparator).map(String.init)
    } ?? []
  }

  private static func meaning(of group: [CaseRun]) -> String {
    guard let first = group.first else { return "" }
    let stores = group.map(\.store).reduce(into: [String]()) {
      if !$0.contains($1) { $0.append($1) }
    }
    let place = RunTable.words(first.name, first.parts)
    return "\(first.scenario), \(place), \(first.phone.rawValue), "
      + "\(stores.count == 1 ? "store" : "stores") \(stores.joined(separator: " ")): the run shows "
      + "\(RunTable.verdicts(first)); that proves nothing"
  }

  private static func fitted(_ line: String) -> [String] {
    line.count <= Console.columnMax
      ? [line] : TextLayout.paragraph(line, width: Console.columnMax, indent: 0)
  }

  private static func indented(_ text: String) -> [String] {
    TextLayout.paragraph(text, width: Console.columnMax, indent: 2)
  }
}
