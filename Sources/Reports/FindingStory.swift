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

    /// What one half held then.
    struct Half: Equatable {
      /// `key 2`: the second value that was seen there; `nil` for nothing.
      let value: String?
      let isDurable: Bool
      /// Whether the row before had something else there.
      let isNew: Bool
      /// Its length and the beginning of its digest; `nil` where that could not be read.
      let peek: StoryRow.Peek?

      static let nothing = Half(value: nil, isDurable: true, isNew: false, peek: nil)

      /// `key 2 #`.
      var words: String { value.map { "\($0) \(isDurable ? "#" : "~")" } ?? "-" }

      /// `key 2, 64 bytes, digest 3fa2, durable`.
      var inDetail: String {
        guard let value else { return "nothing" }
        let look = peek.map { ["\($0.bytes) bytes", "digest \($0.mark)"] } ?? ["not readable"]
        return ([value] + look + [isDurable ? "durable" : "volatile"]).joined(separator: ", ")
      }
    }
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

  static let legend =
    "# durable   ~ volatile (survives a kill, maybe not a power cut)   X fault   ! goes wrong here"
  private static let valueLegend = "the second value seen there"

  /// What marks and names mean, as far as they occur.
  var legends: [String] {
    let shown = lines.flatMap { [$0.key.value, $0.blob.value] }
    let second: String? = ["key 2", "blob 2"].first(where: shown.contains)
    guard let second else { return [Self.legend] }
    return [Self.legend, "\(second): \(Self.valueLegend)"]
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
    var keys = Numbers("key")
    var blobs = Numbers("blob")
    var before: StoryRow?
    var lines: [Line] = []
    var stepCount = 0
    for (index, row) in run.story.enumerated() {
      if !row.isRemark { stepCount += 1 }
      let number = row.isRemark ? "" : row.isFault ? "X" : "\(stepCount)"
      lines.append(
        Line(
          number: number + (row.isFailure ? "!" : ""),
          text: Self.oneLine(row.text),
          key: Line.Half(
            value: keys.name(row.key), isDurable: row.keyIsDurable,
            isNew: before?.key != row.key, peek: row.keyPeek),
          blob: Line.Half(
            value: blobs.name(row.blob), isDurable: row.blobIsDurable,
            isNew: before?.blob != row.blob, peek: row.blobPeek),
          sees: row.sees.map(Self.oneLine), isFault: row.isFault, isFailure: row.isFailure,
          rows: index...index))
      before = row
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

  /// Numbers values by their first appearance.
  private struct Numbers {
    private let word: String
    private var seen: [String] = []

    init(_ word: String) { self.word = word }

    mutating func name(_ digest: String?) -> String? {
      guard let digest else { return nil }
      if !seen.contains(digest) { seen.append(digest) }
      return "\(word) \((seen.firstIndex(of: digest) ?? 0) + 1)"
    }
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
