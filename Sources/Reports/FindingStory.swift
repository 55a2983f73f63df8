import Chaos
import JSON
import Phone
import Terminal

/// How a case went, as it is told: on a terminal, on a page, in an issue.
struct FindingStory {
  struct Line: Equatable {
    /// `2`; `X` for a fault, and `!` behind it where it went wrong; nothing for what is no step.
    let number: String
    let text: String
    let key: Half
    let blob: Half
    let sees: String?
    let isFault: Bool
    let isFailure: Bool
    /// The rows of the run that it stands for.
    let rows: ClosedRange<Int>
  }

  /// Why the state can come about.
  struct Rule: Equatable {
    let name: String
    let sentence: String
    let source: String?
    let isSynthetic: Bool

    init(_ kind: FaultKind) {
      let parts = kind.rule.split(separator: ": ", maxSplits: 1).map(String.init)
      name = parts[0]
      sentence = parts.last ?? ""
      source = kind.source
      isSynthetic = kind.isSynthetic
    }
  }

  static let legend = "\(Line.Half.legend)   X fault   ! goes wrong here"

  /// What marks and names mean, as far as they occur.
  var legends: [String] {
    [Self.legend] + Line.Half.valueLegend(lines.flatMap { [$0.key, $0.blob] })
  }

  /// More rows than that are folded.
  private static let lineCountMax = 12
  /// Of more operations than that only those near the fault are shown, so many on each side.
  private static let operationCountMax = 200
  private static let nearbyCount = 20

  let run: CaseRun
  let scenario: Scenario

  init(_ run: CaseRun, of scenario: Scenario) {
    self.run = run
    self.scenario = scenario
  }

  /// The failure, or what was shown in its place; a verdict that is none is not called one.
  var word: String {
    if let failure = run.failure { return failure.rawValue }
    return (isUnexpected ? "unexpected " : "") + RunTable.verdicts(run)
  }

  private var isUnexpected: Bool {
    if case .unexpected = run.outcome { true } else { false }
  }

  /// The class of what was shown.
  var tone: Tone { isUnexpected ? RunTable.unexpectedTone(run.verdicts) : .fail }

  /// `torn-save, K1 (key written)`.
  var place: String {
    // The name of a replay says it all.
    scenario.isReplay && run.parts.isEmpty
      ? run.scenario : "\(run.scenario), \(RunTable.words(run.name, run.parts))"
  }

  var judgements: [String] {
    run.judgements.map { "\($0.verdict.rawValue): \($0.because)" }
      + (otherLength.map { [$0] } ?? [])
  }

  /// Why it cannot be what somebody's file says: what was meant as a choice is a sequence. Of the gallery's
  /// own files it is the store that shows more or less than others.
  private var otherLength: String? {
    guard case .unexpected(.exactly(let words)) = run.outcome, run.failure == nil,
      scenario.file != nil, words.count > run.verdicts.count
    else { return nil }
    return "\(Counted.words(words.count, "verdict")) expected, this run gave "
      + "\(run.verdicts.count); \(Scenario.Expected.spelling)"
  }

  /// Each once: several faults may have one.
  var rules: [Rule] {
    run.faultKinds.map(Rule.init).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  /// What its file says should have been shown; `nil` when that is what was shown.
  var expected: String? {
    guard case .unexpected(let expected) = run.outcome, !scenario.isReplay else { return nil }
    return "\(expected)"
  }

  // MARK: - Row by row

  /// The story: steps in which nothing happened to the halves stand together when there are many.
  var lines: [Line] {
    var keys = Line.Halves("key")
    var blobs = Line.Halves("blob")
    var lines: [Line] = []
    var stepCount = 0
    for (index, row) in run.story.enumerated() {
      if !row.isRemark { stepCount += 1 }
      let number = row.isRemark ? "" : row.isFault ? "X" : "\(stepCount)"
      lines.append(
        Line(
          number: number + (row.isFailure ? "!" : ""),
          text: Self.oneLine(row.text),
          key: keys.next(row.key), blob: blobs.next(row.blob),
          sees: row.sees.map(Self.oneLine), isFault: row.isFault, isFailure: row.isFailure,
          rows: index...index))
    }
    return lines.count > Self.lineCountMax ? Self.folded(lines) : lines
  }

  /// Runs of three and more rows in which nothing was to be seen become one.
  private static func folded(_ lines: [Line]) -> [Line] {
    var shown: [Line] = []
    var quiet: [Line] = []
    func close() {
      if let first = quiet.first, let last = quiet.last, quiet.count > 2 {
        shown.append(
          Line(
            number: first.number,
            text: "\(Counted.words(quiet.count, "step")), nothing changed in the halves",
            key: last.key,
            blob: last.blob, sees: nil, isFault: false, isFailure: false,
            rows: first.rows.lowerBound...last.rows.upperBound))
      } else {
        shown += quiet
      }
      quiet = []
    }
    for (index, line) in lines.enumerated() {
      let isEdge = index == 0 || index == lines.count - 1
      let isStep = !line.number.isEmpty
      if isEdge || !isStep || line.isFault || line.isFailure || line.key.isNew || line.blob.isNew {
        close()
        shown.append(line)
      } else {
        quiet.append(line)
      }
    }
    close()
    return shown
  }

  /// An error of the platform may have several lines.
  private static func oneLine(_ text: String) -> String {
    text.split(whereSeparator: \.isNewline).joined(separator: " ")
  }

  // MARK: - Operation by operation

  /// The operations that fell into some rows.
  func operations(of line: Line) -> [StoryOperation] {
    run.operations.filter { line.rows.contains($0.row) }
  }

  /// The operations near the fault, and how many there are before and behind them.
  var window: (before: Int, shown: ArraySlice<StoryOperation>, behind: Int) {
    let all = run.operations
    guard all.count > Self.operationCountMax else { return (0, all[...], 0) }
    let center =
      all.firstIndex { $0.fault != nil } ?? all.firstIndex { isFaultRow($0.row) } ?? all.count - 1
    let first = max(0, center - Self.nearbyCount)
    let end = min(all.count, center + Self.nearbyCount + 1)
    return (first, all[first..<end], all.count - end)
  }

  private func isFaultRow(_ row: Int) -> Bool {
    run.story.indices.contains(row) && run.story[row].isFault
  }
}
