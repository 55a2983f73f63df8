/// When a keychain item can be decrypted: the `pdmn` column.
package enum Accessibility: String, CaseIterable, Sendable {
  /// WHEN_UNLOCKED, expo-secure-store's default.
  case whenUnlocked = "ak"
  case afterFirstUnlock = "ck"
  case always = "dk"
  case whenUnlockedThisDeviceOnly = "aku"
  case afterFirstUnlockThisDeviceOnly = "cku"
  case alwaysThisDeviceOnly = "dku"
  case whenPasscodeSetThisDeviceOnly = "akpu"

  /// Whether the class key is usable in a lock state.
  package func isUsable(in state: LockState) -> Bool {
    switch self {
    case .whenUnlocked, .whenUnlockedThisDeviceOnly, .whenPasscodeSetThisDeviceOnly:
      state == .unlocked
    case .afterFirstUnlock, .afterFirstUnlockThisDeviceOnly:
      state != .beforeFirstUnlock
    case .always, .alwaysThisDeviceOnly:
      true
    }
  }

  /// Whether an encrypted backup carries the item to another phone.
  package var migrates: Bool {
    switch self {
    case .whenUnlocked, .afterFirstUnlock, .always: true
    default: false
    }
  }
}
