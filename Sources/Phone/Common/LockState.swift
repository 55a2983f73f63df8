/// Whether the phone's user has unlocked it, which decides what can be decrypted.
package enum LockState: String, CaseIterable, Sendable {
  /// Started, and never unlocked since. An app may run already: pushed, or pre-warmed.
  case beforeFirstUnlock = "before-first-unlock"
  case unlocked
  /// Locked again after it was unlocked.
  case locked
}
