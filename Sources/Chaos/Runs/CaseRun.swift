package import Device
package import Phone

/// What one case of a scenario showed with one store.
package struct CaseRun: Equatable, Sendable {
  package let scenario: String
  package let name: String
  package let parts: [String]
  package let phone: PhoneKind
  package let tier: Tier
  package let store: String
  /// What was above the store, as the setting `client` says it.
  package let client: String
  package let judgements: [Judgement]
  package let faults: FaultTally
  /// The distinct stored images just after each kill or power cut.
  package let images: [ImageDigest]
  /// The kinds of fault that the case was to meet, in order.
  package let faultKinds: [FaultKind]
  /// What was done and seen, a row for each step.
  package let story: [StoryRow]
  /// What the storage was asked for meanwhile, of a run that is told in detail.
  package var operations: [StoryOperation] = []
  /// What was done to the storage, of a runner that traces it.
  package let trace: StorageTrace?
  package var outcome: Outcome

  package enum Outcome: Equatable, Sendable {
    case asExpected
    /// What should have been shown.
    case unexpected(Scenario.Expected)
    /// A fault was armed and never fired, so what was shown proves nothing.
    case neverFired
  }

  package var verdicts: [Verdict] { judgements.map(\.verdict) }

  /// Whether it ran without its faults, as the control of the others.
  package let isControl: Bool
}

/// The faults of a run: how many were armed, how many fired, and which never did.
package struct FaultTally: Equatable, Sendable {
  package var armed = 0
  package var fired = 0
  /// Each in clauses: the fault and its line, then what else is known of it.
  package var neverFired: [String] = []

  package static let clauseSeparator = "; "

  package init() {}

  package static func += (left: inout FaultTally, right: FaultTally) {
    left.armed += right.armed
    left.fired += right.fired
    left.neverFired += right.neverFired
  }
}

/// One row of a finding's story: what the app did, and the halves after it.
package struct StoryRow: Equatable, Sendable {
  package let text: String
  package let key: StoryHalf
  package let blob: StoryHalf
  /// What somebody with the app in their hand saw; `nil` when there was nothing to see.
  package let sees: String?
  /// The row in which the fault fell.
  package let isFault: Bool
  /// The row in which a failure showed.
  package let isFailure: Bool
  /// Whether it is no step, but says something about the rows before it.
  package var isRemark = false
}

/// What one half held behind a row of a story.
package struct StoryHalf: Equatable, Sendable {
  /// Tells values apart; `nil` for nothing stored.
  package let digest: String?
  /// Whether all that the half holds would survive a power cut.
  package let isDurable: Bool
  /// `nil` for nothing, and for what cannot be read.
  package var peek: Peek?

  /// What a report may tell of a value.
  package struct Peek: Equatable, Sendable {
    package let bytes: Int
    /// The first four hexadecimal digits of its digest, of each of its items.
    package let mark: String

    /// Four digits tell the values of a story apart, and lead back to none.
    init?(digests: String?, bytes: Int?) {
      guard let digests, let bytes else { return nil }
      self.bytes = bytes
      mark = digests.split(separator: " ").map { String($0.prefix(4)) }.joined(separator: " ")
    }
  }
}

/// All runs of one scenario with one phone and one store.
package struct ScenarioRun: Equatable, Sendable {
  package let scenario: Scenario
  package let phone: PhoneKind
  package let store: String
  package var controls: [CaseRun] = []
  package var cases: [CaseRun] = []
  /// The parts of the cases that were not asked for, each once.
  package private(set) var otherParts: [String] = []
  /// Whether some cases were left out on purpose.
  package var isPartial = false

  init(_ scenario: Scenario, phone: PhoneKind, store: String) {
    self.scenario = scenario
    self.phone = phone
    self.store = store
  }

  mutating func leaveOut(_ one: ScenarioCase) {
    otherParts += one.parts.filter { !otherParts.contains($0) }
  }

  /// Every run that counts, controls included.
  package var all: [CaseRun] { controls + cases }

  package var faults: FaultTally {
    all.reduce(into: FaultTally()) { $0 += $1.faults }
  }
}
