package import SQLite

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

/// Settings of the service that owns the keychain.
package struct KeychainSettings: Equatable, Sendable {
  /// The service sets none; Apple's SQLite is believed to use NORMAL with a WAL, so a stored item
  /// survives a kill and not a power cut. Debian's would be FULL.
  package var synchronous = Connection.Synchronous.normal

  /// Deleting needs no decryption, so it likely works while the class key is locked; not
  /// confirmed on a device.
  package var deletesWhileLocked = true

  /// What a read of an existing item answers before the first unlock. Apps that were pre-warmed
  /// report both.
  package var beforeFirstUnlock = BeforeFirstUnlock.locked

  /// Without a passcode there is no `akpu` class.
  package var hasPasscode = true

  /// Makes SQLite's own generator start from a number at each start of the service, so that two
  /// equal runs write equal bytes. `nil`: from the system.
  package var databaseSeed: UInt32?

  package enum BeforeFirstUnlock: String, CaseIterable, Sendable {
    case locked
    case notFound = "not-found"
  }

  package init() {}
}

/// Settings of AsyncStorage on iOS.
package struct AsyncStorageSettings: Equatable, Sendable {
  package var version = Version.two

  /// `RCTAsyncStorageExcludeFromBackup` in the app's Info.plist, which is YES by default. The
  /// flag is a setting and not an attribute of the directory, so the gap that `clear()` leaves
  /// until the next launch is not modelled.
  package var excludesFromBackup = true

  /// Where the atomic write puts its temporary file. Which one sandboxed apps take is not known.
  package var temporaryFile = TemporaryFile.sibling

  /// The process number in the name of temporary files.
  package var processNumber: Int32 = 1

  /// The 2.x package, or the default export of 3.x; both keep one format.
  package enum Version: String, CaseIterable, Sendable {
    case two = "v2"
    case three = "v3"
  }

  package enum TemporaryFile: String, CaseIterable, Sendable {
    /// `.dat.nosync<PID>.XXXXXX` beside the target.
    case sibling
    /// In a directory of its own under the container's `tmp`.
    case itemReplacement = "item-replacement"
  }

  package init() {}
}
