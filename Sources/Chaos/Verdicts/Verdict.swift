/// What one launch, or one refused save, showed.
package enum Verdict: String, CaseIterable, Sendable {
  // Right behaviour.
  case keep, recover, `defer`, cleanOut, reject

  // Failures.
  case falseSignOut, resurrection, garbageAccepted, dataDeleted, secretLeft, plaintextLeaked
  case keyReused, limitExceeded, hang, crashLoop, requestStorm, neverConverged
  case guardBroken

  package var isFailure: Bool {
    switch self {
    case .keep, .recover, .defer, .cleanOut, .reject: false
    case .falseSignOut, .resurrection, .garbageAccepted, .dataDeleted, .secretLeft,
      .plaintextLeaked, .keyReused, .limitExceeded, .hang, .crashLoop, .requestStorm,
      .neverConverged, .guardBroken:
      true
    }
  }

  /// One line for `lab list verdicts`.
  package var meaning: String {
    switch self {
    case .keep: "the session is usable; nothing was lost"
    case .recover: "usable again after one refresh, without the user doing anything"
    case .defer: "cannot be decided now: says so, deletes nothing, tries again later"
    case .cleanOut: "signed out once and completely: both halves are gone"
    case .reject: "a save or sign-in reported its failure, and both halves are as before"
    case .falseSignOut: "a user is signed out whose session could have been kept"
    case .resurrection: "a session is back after a sign-out"
    case .garbageAccepted:
      "a session was accepted that nobody saved, or an address that belongs to no sign-in"
    case .dataDeleted: "the app deleted its own data because the session was missing"
    case .secretLeft: "a half is still stored after a sign-out or clean-out"
    case .plaintextLeaked: "a token is stored outside the key half in the clear"
    case .keyReused: "a key served for more than one save"
    case .limitExceeded:
      "a save was reported done that a size rule refused, or that cannot be read again"
    case .hang: "the app did not answer"
    case .crashLoop: "the app ended by itself on two launches in a row"
    case .requestStorm:
      "the app called the system's service more than \(Oracle.serviceCallsMax) times for one command, or "
        + "asked for tokens more than \(SessionEnding.tokenCallsMax) times in a minute (setting tokenCallsMax)"
    case .neverConverged: "two launches without a fault still disagree"
    case .guardBroken:
      "a screen was open that must not be: recovery was lost, or another user's data"
    }
  }
}

/// A verdict with what it was judged on.
package struct Judgement: Equatable, Sendable {
  package let verdict: Verdict
  /// How many acknowledged generations a kept session is behind; only after a power cut or restore.
  package var generationsBehind = 0
  /// One sentence, free of secrets.
  package let because: String

  init(_ verdict: Verdict, behind: Int = 0, _ because: String) {
    self.verdict = verdict
    generationsBehind = behind
    self.because = because
  }
}
