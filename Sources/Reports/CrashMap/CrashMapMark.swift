import Chaos
import Terminal

/// A letter for what a store did in the states of one cell; it never stands without its legend.
struct CrashMapMark: Equatable {
  let letter: String
  let tone: Tone?

  private init(_ letter: String, _ tone: Tone?) {
    self.letter = letter
    self.tone = tone
  }

  /// - Parameters:
  ///   - tally: What was counted; `nil` where nothing of the kind can happen.
  ///   - named: The verdict that stands beside the mark where nothing failed; `nil` for the worst.
  init(_ tally: StateTally?, naming named: Verdict? = nil) {
    guard let tally, tally.stateCount > 0 else {
      self = Self.impossible
      return
    }
    switch tally.failureCount {
    case 0:
      let shown = Self.good.first { one in
        named.map { one.verdict == $0 } ?? (tally[one.verdict] > 0)
      }
      self = shown?.mark ?? Self.quiet
    case tally.stateCount: self = Self.always
    default: self = Self.sometimes
    }
  }

  private static let always = CrashMapMark("F", .fail)
  private static let sometimes = CrashMapMark("f", .fail)
  private static let quiet = CrashMapMark(".", nil)
  private static let impossible = CrashMapMark("-", nil)
  /// What counts where nothing failed: the worst first.
  private static let good = [
    good(.cleanOut, "c"), good(.reject, "j"), good(.defer, "d"), good(.recover, "r"),
    good(.keep, "k"),
  ]

  private static func good(
    _ verdict: Verdict, _ letter: String
  ) -> (verdict: Verdict, mark: CrashMapMark) {
    (verdict, CrashMapMark(letter, Tone(verdict)))
  }

  static func impossibleWords(_ map: CrashMap) -> String {
    map.drawsRefusals ? "cannot happen there, or was not drawn" : "cannot happen there"
  }

  /// All marks with their words; `impossible` is what an empty cell means.
  static func legend(
    impossible: String = "cannot happen there"
  ) -> [(mark: CrashMapMark, words: String)] {
    good.reversed().map { ($0.mark, $0.verdict.rawValue) } + [
      (quiet, "quiet: no session yet"), (always, "fails always"),
      (sometimes, "fails in some of the states"), (Self.impossible, impossible),
    ]
  }
}

extension StateTally {
  /// What the states showed, failures first: `falseSignOut 3, recover 5`.
  var words: String {
    let shown = Verdict.allCases.filter { self[$0] > 0 }
    let ordered = shown.filter(\.isFailure) + shown.filter { !$0.isFailure }
    let counts = ordered.map { "\($0.rawValue) \(self[$0])" }
    return (counts + (quietCount > 0 ? ["quiet \(quietCount)"] : [])).joined(separator: ", ")
  }
}

extension DisturbanceKind {
  var words: String {
    switch self {
    case .none: "the order of overlapping calls"
    case .kill: "kill"
    case .powerCut: "power cut"
    case .callError: "a refused call"
    case .bitFlip: "a flipped bit"
    }
  }

  /// The head of a row or column.
  var name: String {
    switch self {
    case .none: "order only"
    case .kill, .powerCut: words
    case .callError: "refused call"
    case .bitFlip: "flipped bit"
    }
  }

  /// What it is, where its name does not say that.
  var meaning: String? { self == .none ? "no fault, only calls at once" : nil }
}
