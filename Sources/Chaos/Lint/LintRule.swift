/// What `lab lint` looks for, most harmful first.
package enum LintRule: String, CaseIterable, Sendable {
  case halvesApart = "halves-apart"
  case unsyncedAtAcknowledgement = "unsynced-at-acknowledgement"
  case directoryNotSynced = "directory-not-synced"
  case keyReused = "key-reused"
  case itemOverLimit = "item-over-limit"

  /// One line for `lab list rules`.
  package var summary: String {
    switch self {
    case .halvesApart:
      "lint: one half of a session was new and the other old, or one of them is missing: a kill in "
        + "between loses the session"
    case .unsyncedAtAcknowledgement:
      "lint: a save was acknowledged (S1) while a power cut could still take it"
    case .directoryNotSynced:
      "lint: a name was made, moved or removed, its directory was never synced, and the "
        + "persistence profile does not keep names in order"
    case .keyReused:
      "lint: the ciphertexts of two saves begin alike, so the key and its counter were used twice"
    case .itemOverLimit: "lint: an item is over, or near, what a platform takes or gives back"
    }
  }
}
