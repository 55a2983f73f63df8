/// What differs between versions of the system and its libraries, and what nobody knows for sure.
package struct IOSSettings: Equatable, Sendable {
  package var keychain = KeychainSettings()
  package var asyncStorage = AsyncStorageSettings()

  /// The `keychainAccessible` option that the app passes, where a call does not say it itself; none
  /// means WHEN_UNLOCKED.
  package var accessibility = Accessibility.whenUnlocked

  /// Whether expo-secure-store gives an item that is there the class that the app passes, as since
  /// August 2026 (#49128); which release has it first is not known. Before, the class stayed what it
  /// was when the item was added.
  package var updateSetsAccessibility = false

  /// Whether backups of the phone are encrypted (iCloud ones always are). An unencrypted one
  /// carries keychain items back to the same phone only.
  package var backupIsEncrypted = true

  /// How the app's files are protected. The default class opens at the first unlock; with the
  /// `complete` entitlement files close again when the phone locks; with `none` they are always
  /// readable.
  package var fileProtection = FileProtection.untilFirstUnlock

  package enum FileProtection: String, CaseIterable, Sendable {
    case untilFirstUnlock = "until-first-unlock"
    case complete
    case none
  }

  package init() {}
}
