import Phone

/// Judges launches and saves by comparing identities with the acknowledgement log.
///
/// The contract. The oracle knows what was saved and acknowledged, which generation the server has,
/// and what faults took away; it never asks whether a text merely parsed.
/// - A session that was read must be one that was saved, for the same user.
/// - The server forgives exactly one missed generation; two behind is a lost session.
/// - A missing session is right only after a sign-out, before the first save, when a fault took a
///   half away, or when the power failed before any save was durable; it must then leave nothing
///   stored.
/// - A refusal to read is right while both halves stay as they were.
/// - What else the app stored and saw acknowledged stays, unless a fault took it.
package struct Oracle: Hashable, Sendable {
  /// The store keeps a session in a key half and a blob half, so no token may stand in the clear.
  private let isTwoHalf: Bool
  /// `nil` of a store that nobody knows: whether a key was used twice cannot be seen then.
  private let savesChangeKey: Bool?
  private var saves: [Save] = []
  /// How many saves there were when the user signed out last.
  private var endedSaveCount = 0
  private var serverGeneration = 0
  private var isSignedOut = true
  private var losses: Loss = []
  /// Whether an acknowledged save has had the time to become durable.
  private var hasSettled = false
  private var endedInARow = 0
  /// Whether the halves that are left were already reported; a quiet launch adds no verdict.
  private var hasReportedLeft = false
  private var refusedBySizeRule = false
  private var keysSeen: [String: Int] = [:]
  /// The halves that were stored when a save was acknowledged last.
  private var savedHalves: Set<Half> = []
  private var secrets: Set<String> = []

  private struct Save: Hashable {
    let user: String
    let generation: Int
    let fingerprint: String
    var acknowledged: Bool
  }

  package init(isTwoHalf: Bool, savesChangeKey: Bool? = true) {
    self.isTwoHalf = isTwoHalf
    self.savesChangeKey = savesChangeKey
  }

  /// A fault fired that takes something away for good.
  package mutating func note(_ loss: Loss) {
    losses.formUnion(loss)
  }

  /// Enough time has passed for everything that was written to be durable.
  package mutating func noteSettled() {
    hasSettled = hasSettled || lastAcknowledged != nil
  }

  /// The app was told that a secret of its own is stored.
  package mutating func noteSecret(_ name: String) {
    secrets.insert(name)
  }

  /// Secrets that are gone though nothing took them; reported once.
  private mutating func deleted(_ after: HalvesView) -> [Judgement] {
    guard let present = after.secrets, losses.isDisjoint(with: [.key, .recency]) else { return [] }
    let gone = secrets.subtracting(present)
    guard !gone.isEmpty else { return [] }
    secrets.formIntersection(present)
    return [
      Judgement(
        .dataDeleted, "the app's own \(gone.sorted().joined(separator: ", ")) is gone, too")
    ]
  }

  /// The size rule refused an item.
  package mutating func noteRefusedBySize() {
    refusedBySizeRule = true
  }

  /// How often one command of the app may call the system's service: several times what a sign-out
  /// of three items takes.
  package static let serviceCallsMax = 100

  /// A command that was answered, after so many calls.
  static func storm(serviceCallCount count: Int) -> [Judgement] {
    count > serviceCallsMax
      ? [Judgement(.requestStorm, "one command called the system's service \(count) times")] : []
  }

  // MARK: - Saves

  /// The newest save since the last sign-out that the app was told of as done.
  private var lastAcknowledged: Save? { saves[endedSaveCount...].last(where: \.acknowledged) }

  /// Whether there is something to lose.
  var hasSaved: Bool { lastAcknowledged != nil }

  /// A save of a generation begins; the server already has it.
  package mutating func saveBegins(user: String, generation: Int, fingerprint: String) {
    serverGeneration = generation
    isSignedOut = false
    hasReportedLeft = false
    saves.append(
      Save(user: user, generation: generation, fingerprint: fingerprint, acknowledged: false))
  }

  /// The save ended; `isDisturbed` when a fault hit it, so that the key which is stored may not be
  /// the one that was used.
  package mutating func saveEnds(
    _ answer: AppAnswer, before: HalvesView, after: HalvesView, isDisturbed: Bool = false
  ) -> [Judgement] {
    switch answer {
    case .done:
      guard var last = saves.popLast() else { return [] }
      last.acknowledged = true
      saves.append(last)
      let deleted = deleted(after)
      savedHalves = after.present
      losses = []
      return isDisturbed ? deleted : deleted + keyReuse(after)
    case .rejected(let reason):
      guard before == after else { return [] }
      if lastAcknowledged == nil { isSignedOut = true }
      return [Judgement(.reject, "the save failed (\(reason)) and both halves are as before")]
    case .noAnswer: return [Judgement(.hang, "a save did not return")]
    case .ended(let how):
      return [Judgement(.crashLoop, "the app ended by itself in a save: \(how)")]
    case .session, .absent, .garbage, .killed: return []
    }
  }

  /// Where saves derive their keys from a lasting one, a repeated blob shows a repeated key.
  private mutating func keyReuse(_ after: HalvesView) -> [Judgement] {
    guard isTwoHalf, let savesChangeKey, let key = savesChangeKey ? after.key : after.blob
    else { return [] }
    keysSeen[key, default: 0] += 1
    guard keysSeen[key, default: 0] > 1 else { return [] }
    return [Judgement(.keyReused, "two saves used the same key")]
  }

  /// The user signed out; `answer` is what the app said.
  package mutating func signOutEnds(_ answer: AppAnswer, after: HalvesView) -> [Judgement] {
    switch answer {
    case .done:
      isSignedOut = true
      endedSaveCount = saves.count
      hasSettled = false
      return after.isEmpty ? [] : [Judgement(.secretLeft, "\(Self.words(after)) after a sign-out")]
    case .noAnswer: return [Judgement(.hang, "a sign-out did not return")]
    default: return []
    }
  }

  /// Whether a launch now must show a session.
  package var expectsSession: Bool {
    !isSignedOut && losses.isEmpty && lastAcknowledged != nil
  }

  /// A call that ran beside a save has read, while there was a session before and after it.
  package func readMeanwhile(_ answer: AppAnswer) -> [Judgement] {
    switch answer {
    case .session(let user, let generation, let fingerprint):
      let shown = session(user, generation, fingerprint)
      return shown.verdict.isFailure ? [shown] : []
    case .absent: return [Judgement(.falseSignOut, "a read beside a save found no session")]
    case .garbage:
      return [Judgement(.falseSignOut, "a read beside a save found a text that is no session")]
    case .rejected, .done, .killed, .ended, .noAnswer: return []
    }
  }

  // MARK: - Launches

  /// A cold start read the session; `isDisturbed` when a fault hit it.
  package mutating func launch(
    _ answer: AppAnswer, before: HalvesView, after: HalvesView, isDisturbed: Bool = false
  ) -> [Judgement] {
    if case .ended = answer { endedInARow += 1 } else { endedInARow = 0 }
    if isTwoHalf, after.showsToken {
      return [Judgement(.plaintextLeaked, "a token stands in the clear in a file")]
    }
    return judged(answer, before: before, after: after, isDisturbed) + deleted(after)
  }

  private mutating func judged(
    _ answer: AppAnswer, before: HalvesView, after: HalvesView, _ isDisturbed: Bool
  ) -> [Judgement] {
    switch answer {
    case .session(let user, let generation, let fingerprint):
      return [session(user, generation, fingerprint)]
    case .absent:
      let isWhole = before.present.isSuperset(of: savedHalves) && !before.isEmpty
      let what = isWhole ? "no session is shown, though \(Self.words(before))" : "no session"
      return missing(what, before, after, isDisturbed)
    case .garbage:
      return missing(
        "a text that is no session: the key that is left does not open the blob", before, after,
        isDisturbed)
    case .rejected(let reason): return refused(reason, before, after)
    case .noAnswer: return [Judgement(.hang, "a cold start did not answer")]
    case .ended(let how):
      return endedInARow < 2
        ? [] : [Judgement(.crashLoop, "the app ended by itself on two launches: \(how)")]
    case .killed, .done: return []
    }
  }

  private func session(_ user: String, _ generation: Int, _ fingerprint: String) -> Judgement {
    let found = saves.lastIndex {
      $0.user == user && $0.generation == generation && $0.fingerprint == fingerprint
    }
    guard let found else {
      return Judgement(.garbageAccepted, "generation \(generation) was never saved in this form")
    }
    if isSignedOut || losses.contains(.app) || found < endedSaveCount {
      return Judgement(.resurrection, "generation \(generation) is back")
    }
    let acknowledged = lastAcknowledged?.generation ?? 0
    if refusedBySizeRule, acknowledged > generation { return Self.refusedBySize }
    let behind = serverGeneration - generation
    switch behind {
    case ...0: return Judgement(.keep, "generation \(generation), the server's own")
    case 1 where losses.contains(.recency) && acknowledged > generation:
      return Judgement(
        .keep, behind: acknowledged - generation,
        "generation \(generation), older than the acknowledged \(acknowledged); the server "
          + "forgives one")
    case 1:
      return Judgement(.recover, "generation \(generation); the server, one ahead, forgives one")
    default:
      return Judgement(
        .falseSignOut, "generation \(generation) is \(behind) behind: the server ends the session")
    }
  }

  private static let refusedBySize = Judgement(
    .limitExceeded, "the save was reported done, but the size rule refused it")

  private mutating func missing(
    _ what: String, _ before: HalvesView, _ after: HalvesView, _ isDisturbed: Bool
  ) -> [Judgement] {
    guard !isSignedOut, let last = lastAcknowledged else {
      let isUnsaved = saves.count > endedSaveCount && !hasSaved
      return left(
        after, isUnsaved ? "though no save was acknowledged" : "though nobody is signed in")
    }
    if refusedBySizeRule { return [Self.refusedBySize] }
    let neverDurable = losses.contains(.recency) && !hasSettled
    guard losses.contains(.key) || losses.contains(.blob) || neverDurable else {
      // Reported once: from here on the user sees the login screen and knows of no session.
      isSignedOut = true
      hasReportedLeft = true
      return [
        Judgement(
          .falseSignOut,
          "\(what); generation \(last.generation) was saved, \(cause(before, after, isDisturbed))")
      ]
    }
    isSignedOut = true
    hasReportedLeft = !after.isEmpty
    return after.isEmpty
      ? [Judgement(.cleanOut, "a fault took the session away, and nothing is left of it")]
      : [Judgement(.secretLeft, "\(Self.words(after)), though the session is lost")]
  }

  /// Nothing may be left where nobody is signed in; reported once.
  private mutating func left(_ after: HalvesView, _ why: String) -> [Judgement] {
    if after.isEmpty || hasReportedLeft { return [] }
    hasReportedLeft = true
    return [Judgement(.secretLeft, "\(Self.words(after)), \(why)")]
  }

  /// Why that is the store's doing, as far as it can be seen. What was missing before the app began, or
  /// went while a fault hit it, the phone's own module may have dropped.
  private func cause(_ before: HalvesView, _ after: HalvesView, _ isDisturbed: Bool) -> String {
    if losses.contains(.backup) { return "and a backup has put something older in its place" }
    let left = isDisturbed ? before.present.intersection(after.present) : before.present
    let gone = savedHalves.subtracting(left)
    guard !gone.isEmpty else { return "and no fault took a half" }
    let halves = Half.allCases.filter(gone.contains).map { "the \($0.rawValue)" }
    return "but \(halves.joined(separator: " and ")) \(halves.count > 1 ? "are" : "is") gone: "
      + "dropped by the app or the phone's own module"
  }

  private func refused(
    _ reason: String, _ before: HalvesView, _ after: HalvesView
  ) -> [Judgement] {
    if before.isUnreadablyLong {
      return [
        Judgement(
          .limitExceeded, "the save was reported done, but the phone cannot read so long a value")
      ]
    }
    if before == after {
      return [Judgement(.defer, "not readable now (\(reason)); nothing was changed")]
    }
    return [
      Judgement(.falseSignOut, "not readable (\(reason)), and \(Self.change(before, after))")
    ]
  }

  private static func words(_ halves: HalvesView) -> String {
    switch (halves.key != nil, halves.blob != nil) {
    case (true, true): "both halves are still stored"
    case (true, false): "the key is still stored"
    case (false, true): "the blob is still stored"
    case (false, false): "nothing is stored"
    }
  }

  private static func change(_ before: HalvesView, _ after: HalvesView) -> String {
    let parts = [
      before.key != after.key ? "the key half" : nil,
      before.blob != after.blob ? "the blob half" : nil,
    ]
    return parts.compactMap { $0 }.joined(separator: " and ") + " changed"
  }
}
