import Device
package import Simulation

/// What a history showed on one tier.
package struct Replayed: Equatable, Sendable {
  package let run: CaseRun
  package let sites: [Int: FaultSite]
  /// What was stored after each kill and power cut, and at the end.
  package let images: [String]

  /// The first failure, with its reason.
  package var failure: Judgement? { run.judgements.first(where: \.verdict.isFailure) }
}

/// A replay beside what it has shown this time.
package struct ReplayComparison: Sendable {
  package let replay: Replay
  package let shown: Replayed
  /// The first decision that was not the recorded one.
  package let divergence: Divergence?
  /// Which operation of its step the recorded one is now, when the fault met another; `nil` when it
  /// is not one that can be told.
  package let moved: (step: Int, operation: Int)?

  package var sameVerdicts: Bool { shown.run.verdicts == replay.verdicts }
  package var sameImages: Bool { shown.images == replay.images }

  package var isSame: Bool {
    divergence == nil && sameVerdicts && sameImages && shown.run.faults.neverFired.isEmpty
  }
}

extension Replay {
  /// The first decision of a run that is not the recorded one.
  ///
  /// How many alternatives there were is no difference: a save that has one more operation behind the
  /// fault is still hit at the same.
  func divergence(from shown: Replayed) -> Divergence? {
    let met = history.choices(at: shown.sites)
    let recorded = choices
    for index in 0..<max(recorded.count, met.count) {
      let (one, other) = (recorded.dropFirst(index).first, met.dropFirst(index).first)
      guard one?.label != other?.label else { continue }
      return Divergence(
        index: index, recorded: one.map(Divergence.Question.init),
        met: other.map(Divergence.Question.init))
    }
    return nil
  }
}

extension Divergence.Question {
  init(_ choice: Replay.Choice) {
    self.init(label: choice.label, count: choice.count ?? 1)
  }
}
