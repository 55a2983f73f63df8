package import Device
package import Ports

/// What an exploration has shown so far.
package struct Exploration: Sendable {
  package let plan: ExplorationPlan
  /// How many crashes were looked at: moments times what each may leave behind.
  package var originCount = 0
  /// What was judged: images that differ, or with which something else is known.
  package var images: [Image] = []
  /// How many images had to be recovered: the others agree with one in all that was read of it, or in
  /// what the app has read and the service answered.
  package var recoveredCount = 0
  /// How many recoveries were followed to their end: the others had come to the state of one.
  package var endingCount = 0
  /// Where the states were too many, and drawn.
  package var sampledMomentCount = 0
  /// How many orders of overlapping calls were played, and how many alternatives were left out.
  package var orderCount = 0
  package var cutOrderCount = 0
  /// How many operations were refused, one error each.
  package var errorCount = 0
  /// How many more could have been, where they were drawn.
  package var cutErrorCount = 0
  /// How often a module of the phone had lost a half by itself after that.
  package var moduleLossCount = 0
  /// How many bits were flipped, and in how many files they were drawn.
  package var flipCount = 0
  package var sampledFileCount = 0
  /// The moments of the saves, in order.
  package var moments: [Moment] = []
  /// What they, refused calls and flipped bits came to.
  package var map = CrashMap()
  package var causes: [Cause] = []
  package var wasInterrupted = false

  init(_ plan: ExplorationPlan) {
    self.plan = plan
  }

  package var isExhaustive: Bool {
    sampledMomentCount == 0 && cutOrderCount == 0 && sampledFileCount == 0 && cutErrorCount == 0
      && !wasInterrupted
  }

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
    /// The position of the step in its history, and what it does.
    package let step: Int
    package let title: String
    package let point: LogicalPoint?
    /// The position of the image in ``Exploration/images``.
    package var killed: Int?
    package var cut: [Int] = []
  }

  /// Violations that are alike: the same failure by the same kind of crash, behind the same point.
  package struct Cause: Equatable, Sendable {
    package let failure: Verdict
    package let point: LogicalPoint?
    package let kind: DisturbanceKind
    /// How many crashes in a row it took.
    package let depth: Int
    package var images: Set<Int> = []
    /// How often it was seen.
    package var occurrenceCount = 1
    /// Of the first occurrence.
    package let because: String
    package var replay: Replay
  }

  /// A scenario file that shows a violation again.
  package struct Replay: Equatable, Sendable {
    package let name: String
    package let text: String
    /// What was shown after the last crash.
    package var verdicts: [Verdict]
    /// Whether it did, when it was run.
    package var isConfirmed = false
    /// What it plays; `nil` until it was run.
    package var history: Chaos.Replay.History?
    /// The same, as small as it gets; `nil` until it was made smaller.
    package var finding: Finding?

    /// The finding, when its replay shows the failure again: one that shows something else proves nothing.
    package var shown: Finding? { isConfirmed ? finding : nil }
  }

  /// How many images came to each verdict, in the order of ``Verdict``; `nil` for nothing to judge.
  package var outcomes: [(verdict: Verdict?, count: Int)] {
    let verdicts: [Verdict?] = Verdict.allCases + [nil]
    return verdicts.compactMap { verdict in
      let count = images.count { $0.outcome?.verdict == verdict }
      return count > 0 ? (verdict, count) : nil
    }
  }

  /// Makes the replay of each cause as small as it gets.
  ///
  /// - Parameters:
  ///   - phone: Where they are played.
  ///   - shouldStop: Asked before each try; then the others stay as they were found.
  /// - Throws: ``PhoneHostError`` when the lab could not play one.
  package mutating func shrinkReplays(
    on phone: any HostedPhone, shouldStop: @escaping () -> Bool = { false }
  ) throws(PhoneHostError) {
    for index in causes.indices {
      guard let history = causes[index].replay.history else { continue }
      causes[index].replay.finding = try Finding(
        history, named: causes[index].replay.name, foundBy: "lab explore", on: phone,
        shrinkingOn: phone, shouldStop: shouldStop)
      if shouldStop() { wasInterrupted = true }
    }
  }

  /// How many images show a failure.
  package var violationCount: Int { images.count(where: \.isViolation) }
}
