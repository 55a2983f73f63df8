import Chaos

extension Verdict {
  /// What mends most apps that fail in this way; `nil` for what is no failure.
  var mend: String? {
    switch self {
    case .keep, .recover, .defer, .cleanOut, .reject: nil
    case .falseSignOut: "let a save touch one half only: keep the key, replace the blob"
    case .resurrection: "at a sign-out remove first the half without which the other opens nothing"
    case .garbageAccepted:
      "authenticate the blob (AES-GCM, or a MAC), and refuse what does not open"
    case .dataDeleted: "remove what belongs to the session, and nothing else"
    case .secretLeft: "remove both halves when one of them is useless"
    case .plaintextLeaked: "encrypt before the first write"
    case .keyReused: "draw a new key, or a new salt, for each save"
    case .limitExceeded: "check the size before a save is reported done"
    case .hang: "leave `loading` when the first look at the store fails, and look again later"
    case .crashLoop: "catch what the store throws at a start, and show the login screen"
    case .requestStorm: "let tokens expire by the device's own clock, counted from their receipt"
    case .neverConverged: "end a recovery in one start, or begin it anew in the next"
    case .guardBroken: "mark the recovery before its session is saved, and wait for the mark"
    }
  }

  /// From what opens an app to somebody else, to what only is untidy.
  private static let worstFirst: [Verdict] = [
    .guardBroken, .resurrection, .plaintextLeaked, .garbageAccepted, .falseSignOut, .dataDeleted,
    .neverConverged, .hang, .crashLoop, .requestStorm, .keyReused, .limitExceeded, .secretLeft,
  ]

  /// Its place among the failures, 0 for the worst; behind them all for what is none.
  var severity: Int { Self.worstFirst.firstIndex(of: self) ?? Self.worstFirst.count }

  /// What only hides it.
  var falseMend: String? {
    self == .falseSignOut || self == .garbageAccepted
      ? "returning null in a catch: that turns this loss into a quiet one" : nil
  }
}

extension CaseRun {
  /// The first verdict that is a failure.
  var failure: Verdict? { verdicts.first(where: \.isFailure) }
}

extension FindingStory {
  /// The smallest change that mends it.
  var mend: String? {
    guard let failure = run.failure else { return nil }
    guard failure == .falseSignOut else { return failure.mend }
    if run.faultKinds.contains(where: { [.lock, .reboot, .prewarm].contains($0) }) {
      return "tell a locked keychain from an empty one, and try again later"
    }
    return run.faultKinds.contains(where: \.isOnServer)
      ? "keep the session unless the server says that it is over" : failure.mend
  }
}
