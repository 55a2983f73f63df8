/// Something that the operating system, or the person who holds the phone, does to it.
package enum PhoneEvent: Equatable, Sendable {
  /// The keychain's database is lost or found corrupt; the service starts with an empty one.
  case keychainReset
  /// The keystore loses the app's keys, as after a fault of its hardware; the app's files stay.
  case keystoreLoss
  case lock
  case unlock
  /// An orderly restart. The phone is then before its first unlock.
  case reboot
  /// The system starts the app before the first unlock, and reads may claim that nothing is there.
  case prewarm
  case uninstall
  /// A fresh container. What uninstalling left behind is still there.
  case install
  /// The owner clears the app's data in the system's settings.
  case clearData
  /// A fingerprint or a face is added, or all are removed.
  case biometricChange
  /// A backup of some halves, under a name.
  case snapshot(Set<Half>, name: String)
  /// Some halves as they were in a backup. The app is not running meanwhile.
  case restore(Set<Half>, name: String, onto: BackupTarget, BackupRules)
  /// So many bytes stay free.
  case diskFull(freeBytes: Int)
  case diskFree
}

extension PhoneEvent {
  /// The word of the catalogue for events that only one phone has.
  var word: String {
    switch self {
    case .keychainReset: "keychain-reset"
    case .keystoreLoss: "keystore-loss"
    case .lock: "lock"
    case .unlock: "unlock"
    case .reboot: "reboot"
    case .prewarm: "prewarm"
    case .uninstall: "uninstall"
    case .install: "install"
    case .clearData: "clear-data"
    case .biometricChange: "biometric-change"
    case .snapshot: "snapshot"
    case .restore: "restore"
    case .diskFull: "disk-full"
    case .diskFree: "disk-free"
    }
  }
}
