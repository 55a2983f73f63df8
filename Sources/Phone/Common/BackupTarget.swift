/// The phone that a backup is restored onto.
package enum BackupTarget: String, CaseIterable, Sendable {
  case sameDevice = "same"
  case newDevice = "new"
}
