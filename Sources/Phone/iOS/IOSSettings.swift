/// What differs between versions of the system and its libraries, and what nobody knows for sure.
package struct IOSSettings: Equatable, Sendable {
  package var keychain = KeychainSettings()
  package var asyncStorage = AsyncStorageSettings()

  /// The `keychainAccessible` option that the app passes; none means WHEN_UNLOCKED.
  package var accessibility = Accessibility.whenUnlocked

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
