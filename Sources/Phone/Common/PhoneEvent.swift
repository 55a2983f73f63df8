/// Something that the operating system, or the person who holds the phone, does to it.
package enum PhoneEvent: Equatable, Sendable {
  /// The keychain's database is lost or found corrupt; the service starts with an empty one.
  case keychainReset
  case lock
  case unlock
  /// An orderly restart. The phone is then before its first unlock.
  case reboot
  /// The system starts the app before the first unlock, and reads may claim that nothing is there.
  case prewarm
  case uninstall
  /// A fresh container. What uninstalling left behind is still there.
  case install
  /// A backup of some halves, under a name.
  case snapshot(Set<Half>, name: String)
  /// Some halves as they were in a backup. The app is not running meanwhile.
  case restore(Set<Half>, name: String, onto: BackupTarget, BackupRules)
  /// So many bytes stay free.
  case diskFull(freeBytes: Int)
  case diskFree
}
