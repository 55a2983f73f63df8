import JSON
import Ports

/// Makes a failing replay smaller: first its operations, then its faults, then its sizes, until
/// nothing can be taken away.
///
/// The contract. Each step is the first smaller history, in a fixed order, that shows the same failure
/// word when it is played; its faults are of the kinds that they were and fall behind the points that
/// they fell behind, or are gone. Nothing is drawn: the same replay gives the same result. What comes
/// out was played again and made the same decisions and showed the same verdicts once more.
package struct Shrinker {
  private let player: ReplayPlayer
  /// How many histories are played at most, per replay.
  package var triesMax = Shrinker.triesMax
  package static let triesMax = 600
  /// Asked before each try; what was reached by then is the result.
  package var shouldStop: () -> Bool = { false }

  /// - Parameter host: A phone of either tier; the simulated one is by far the faster.
  package init(on host: any HostedPhone) {
    player = ReplayPlayer(on: host)
  }

  /// A replay before and after.
  package struct Shrunk: Equatable, Sendable {
    package let before: Replay
    package let after: Replay
    package let tryCount: Int
    /// Whether nothing more can be taken away, as far as it was tried.
    package let isComplete: Bool
  }

  /// Makes a replay as small as it gets.
  ///
  /// - Parameter replay: What is to be made smaller; its own recorded results do not count.
  /// - Returns: `nil` when it shows no failure here, or another one than it says.
  /// - Throws: ``PhoneHostError`` when the lab could not play it.
  package func shrink(_ replay: Replay) throws(PhoneHostError) -> Shrunk? {
    let shown = try player.play(replay.history, named: replay.name)
    guard let failure = shown.failure?.verdict, failure == replay.failure else { return nil }
    var search = Search(player, replay.history, shown, failure) { tryCount in
      tryCount < triesMax && !shouldStop()
    }
    try search.run()
    let after = try player.record(
      search.history, named: replay.name, foundBy: replay.foundBy)
    let again = try player.replay(after)
    guard again.divergence == nil, again.sameVerdicts, after.failure == failure else {
      throw .refused("\(replay.name): two runs of one history differ")
    }
    return Shrunk(
      before: replay, after: after, tryCount: search.tryCount, isComplete: search.isComplete)
  }
}

extension Shrinker.Shrunk: CustomStringConvertible {
  /// `shrunk: 9 -> 4 decisions (31 tries)`.
  package var description: String {
    let (old, new) = (before.choices.count, after.choices.count)
    let ending = isComplete ? "" : ", not to the end"
    let tries = Counted.words(tryCount, "try", "tries")
    let size = ShrinkWords.text(old, new, "decision", isComplete: isComplete)
    return "\(size) (\(tries)\(ending))"
  }
}

/// One shrinking under way.
private struct Search {
  private let player: ReplayPlayer
  private let failure: Verdict
  private let places: [Place]
  private let goesOn: (_ tryCount: Int) -> Bool
  private(set) var history: Replay.History
  private(set) var tryCount = 0
  /// Whether every proposal was tried, and nothing more can be taken away.
  private(set) var isComplete = false

  /// What a fault may still be.
  private struct Place: Equatable {
    let kind: FaultKind
    let behind: LogicalPoint?
  }

  init(
    _ player: ReplayPlayer, _ history: Replay.History, _ shown: Replayed, _ failure: Verdict,
    while goesOn: @escaping (_ tryCount: Int) -> Bool
  ) {
    self.player = player
    self.history = history
    self.failure = failure
    self.goesOn = goesOn
    places = Self.places(in: history, shown)
  }

  mutating func run() throws(PhoneHostError) {
    var before: Replay.History
    repeat {
      before = history
      for reduction in Reduction.allCases { try pass(reduction) }
    } while history != before && goesOn(tryCount)
    isComplete = history == before && goesOn(tryCount)
  }

  /// Tries all that a reduction proposes; what is accepted is reduced further at the same place.
  private mutating func pass(_ reduction: Reduction) throws(PhoneHostError) {
    var index = 0
    var proposals = reduction.proposals(for: history)
    while index < proposals.count, goesOn(tryCount) {
      if try showsFailure(proposals[index]) {
        history = proposals[index]
        proposals = reduction.proposals(for: history)
      } else {
        index += 1
      }
    }
  }

  private mutating func showsFailure(_ smaller: Replay.History) throws(PhoneHostError) -> Bool {
    tryCount += 1
    let shown: Replayed
    do throws(PhoneHostError) {
      shown = try player.play(smaller, named: "smaller")
    } catch .refused, .missingFile {
      // Such a history cannot be: it restores a backup that is not made any more, for instance.
      return false
    }
    return shown.failure?.verdict == failure && shown.run.faults.neverFired.isEmpty
      && Self.places(in: smaller, shown).allSatisfy(places.contains)
  }

  private static func places(in history: Replay.History, _ shown: Replayed) -> [Place] {
    history.steps.enumerated().compactMap { index, step in
      step.fault.map { fault in
        Place(kind: fault.kind, behind: shown.sites[index]?.operation?.behind)
      }
    }
  }
}
