package import Device
package import Ports

/// What an exploration has shown so far.
package struct Exploration: Sendable {
  package let plan: ExplorationPlan
  /// How many crashes were looked at: moments times what each may leave behind.
  package var originCount = 0
  /// What was recovered: images that differ, or with which something else is known.
  package var images: [Image] = []
  /// Where the states were too many, and drawn.
  package var sampledMomentCount = 0
  /// The moments of the saves, in order.
  package var moments: [Moment] = []
  package var causes: [Cause] = []
  package var wasInterrupted = false

  init(_ plan: ExplorationPlan) {
    self.plan = plan
  }

  package var isExhaustive: Bool { sampledMomentCount == 0 && !wasInterrupted }

  /// What two cold starts on an image showed.
  package struct Image: Equatable, Sendable {
    package let digest: ImageDigest
    package let judgements: [Judgement]

    /// The first failure, or else the first verdict; `nil` when there was no session to judge.
    package var outcome: Judgement? {
      judgements.first { $0.verdict.isFailure } ?? judgements.first
    }

    package var isViolation: Bool { judgements.contains { $0.verdict.isFailure } }
  }

  /// An operation of a save, and what its crashes came to.
  package struct Moment: Equatable, Sendable {
    /// Which save of the history, from 1.
    package let save: Int
    package let point: LogicalPoint?
    /// The position of the image in ``Exploration/images``.
    package var killed: Int?
    package var cut: [Int] = []
  }

  /// Violations that are alike: the same failure by the same kind of crash, behind the same point.
  package struct Cause: Equatable, Sendable {
    package let failure: Verdict
    package let point: LogicalPoint?
    package let isCut: Bool
    /// How many crashes in a row it took.
    package let depth: Int
    package var images: Set<Int> = []
    /// Of the first image.
    package let because: String
    package var replay: Replay
  }

  /// A scenario file that shows a violation again.
  package struct Replay: Equatable, Sendable {
    package let name: String
    package let text: String
    /// What was shown after the last crash.
    package let verdicts: [Verdict]
    /// Whether it did, when it was run.
    package var isConfirmed = false
  }

  /// How many images came to each verdict, in the order of ``Verdict``; `nil` for nothing to judge.
  package var outcomes: [(verdict: Verdict?, count: Int)] {
    let verdicts: [Verdict?] = Verdict.allCases + [nil]
    return verdicts.compactMap { verdict in
      let count = images.count { $0.outcome?.verdict == verdict }
      return count > 0 ? (verdict, count) : nil
    }
  }

  /// How many images show a failure.
  package var violationCount: Int { images.count(where: \.isViolation) }
}
