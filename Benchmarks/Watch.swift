/// How whoever runs a suite follows it, and ends it early.
package struct Watch: Sendable {
  private var shouldStop: @Sendable () -> Bool
  private var hasFailedOfStop: @Sendable () -> Bool
  private var progress: @Sendable (_ done: Int, _ all: Int) -> Void

  /// - Parameters:
  ///   - shouldStop: Asked between two cases.
  ///   - hasFailedOfStop: Asked after a case failed: a signal may have reached what is measured before
  ///     it reached us. It may wait for a moment.
  ///   - progress: Takes how many rounds of how many are done.
  package init(
    shouldStop: @escaping @Sendable () -> Bool,
    hasFailedOfStop: (@Sendable () -> Bool)? = nil,
    progress: @escaping @Sendable (_ done: Int, _ all: Int) -> Void
  ) {
    self.shouldStop = shouldStop
    self.hasFailedOfStop = hasFailedOfStop ?? shouldStop
    self.progress = progress
  }

  /// Whether somebody said stop.
  var isOver: Bool { shouldStop() }

  func check() throws(BenchmarkError) {
    if isOver { throw .interrupted }
  }
}

/// Goes through all cases of a suite, again and again.
protocol Rounds {
  var ledger: Ledger { get }
  /// Of what was done so far; empty where that is known beforehand.
  var digest: String { get }

  /// Plays one round.
  ///
  /// - Throws: ``BenchmarkError/interrupted``, or what a case threw.
  mutating func play(_ watch: Watch) throws
}

extension Rounds {
  var digest: String { "" }
}

extension Watch {
  /// What rounds gave that were played to their end.
  struct Played {
    var ledger = Ledger()
    var digest = ""
    var roundCount = 0
    var wasInterrupted = false
  }

  /// Plays all rounds, or those before somebody says stop, and makes figures of them.
  ///
  /// - Parameters:
  ///   - rounds: What is played.
  ///   - count: How many there should be.
  ///   - figures: Makes them.
  /// - Returns: The figures, marked if they are of fewer rounds.
  /// - Throws: ``BenchmarkError/interrupted`` when no round was finished, what a case threw, or what
  ///   `figures` throws.
  func play(
    _ rounds: inout some Rounds, _ count: Int, _ figures: (Played) throws -> Measurements
  ) throws -> Measurements {
    var played = Played()
    while played.roundCount < count, !played.wasInterrupted {
      do {
        try rounds.play(self)
        played.ledger = rounds.ledger
        played.digest = rounds.digest
        played.roundCount += 1
        progress(played.roundCount, count)
      } catch {
        guard error as? BenchmarkError == .interrupted || hasFailedOfStop() else { throw error }
        guard played.roundCount > 0 else { throw BenchmarkError.interrupted }
        played.wasInterrupted = true
      }
    }
    var measured = try figures(played)
    measured.roundCount = played.roundCount
    measured.plannedRoundCount = played.wasInterrupted ? count : nil
    return measured
  }
}
