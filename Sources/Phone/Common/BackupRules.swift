/// Whether a backup follows the platform.
package enum BackupRules: String, CaseIterable, Sendable {
  /// What the platform leaves out of backups, or ties to the old phone, is gone afterwards.
  case platform
  /// Every byte as it was, whatever the platform says: a synthetic state.
  case verbatim
}
