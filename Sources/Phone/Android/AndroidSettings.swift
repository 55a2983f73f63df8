/// What differs between versions of the system and its libraries, and what nobody knows for sure.
package struct AndroidSettings: Equatable, Sendable {
  package var secureStore = SecureStoreSettings()
  package var preferences = PreferencesSettings()
  package var keystore = KeystoreSettings()
  package var asyncStorage = AndroidStorageSettings()

  /// What a backup of the app holds.
  package var backupRules = BackupContents.expo

  package enum BackupContents: String, CaseIterable, Sendable {
    /// The rules of Expo's plugin, default since SDK 52: shared preferences without
    /// `SecureStore` and `SecureStore.xml`, and no databases.
    case expo
    /// No rules, as in a bare React Native app or an older Expo: everything in the app's data.
    case none
    /// The plugin's rules with databases added by hand.
    case withDatabase = "with-database"
  }

  package init() {}
}

/// Settings of expo-secure-store on Android.
package struct SecureStoreSettings: Equatable, Sendable {
  package var version = Version.from13

  /// Since mid-2026 a delete always commits both preference files, which creates the second one.
  package var deletes = Deletes.presentOnly

  /// The `requireAuthentication` option that the app passes.
  package var requiresAuthentication = false

  package enum Version: String, CaseIterable, Sendable {
    /// From 13.0.2: an entry that cannot be decrypted is deleted, and reads as null.
    case from13 = "from-13.0.2"
    /// 12.5 to 13.0.1: such an entry rejects every read, and a missing key is made anew by reading.
    case before13 = "before-13.0.2"
    /// As from 13.0.2, and a write whose commit failed rejects; which release has it first is not
    /// known.
    case commitChecked = "commit-checked"
  }

  package enum Deletes: String, CaseIterable, Sendable {
    case presentOnly = "present-only"
    case alwaysCommits = "always-commits"
  }

  package init() {}
}

/// Settings of SharedPreferences.
package struct PreferencesSettings: Equatable, Sendable {
  /// What an error of `fsync` does. `FileUtils.sync` returns it and `writeToFile` ignores it;
  /// whether the helper swallows the exception in every version is not known.
  package var syncError = SyncError.ignored

  package enum SyncError: String, CaseIterable, Sendable {
    case ignored
    case fails
  }

  package init() {}
}

/// Settings of the keystore's service.
package struct KeystoreSettings: Equatable, Sendable {
  /// How the service's database journals; keystore2 was moved to WAL by a flag.
  package var journal = Journal.delete

  /// What "clear data" does to the app's keys, and a restore, which clears the data of an installed
  /// app first; not known for every version.
  package var clearDataKeepsKeys = false

  package enum Journal: String, CaseIterable, Sendable {
    case delete
    case wal
  }

  package init() {}
}

/// Settings of AsyncStorage on Android.
package struct AndroidStorageSettings: Equatable, Sendable {
  package var version = AsyncStorageVersion.two

  /// How `RKStorage` journals: it follows the version of Android.
  package var journal = Journal.truncate

  /// Whether `RKStorage` syncs at all. Off is no phone's: it shows what the syncs are for.
  package var syncs = true

  /// How the default storage of 3.x journals: Room decides by the phone's memory.
  package var roomJournal = RoomJournal.wal

  /// What the Room databases do with a damaged file; not known for sure.
  package var roomCorruption = RoomCorruption.byHelper

  /// `AsyncStorage_db_size_in_MB` of the Gradle properties, for `RKStorage` only.
  package var sizeMiB = 6

  /// `config_cursorWindowSize`: a longer row can be written and not be read. Makers may differ.
  package var cursorWindowBytes = 2048 * 1024

  /// The name that the app gives to `createAsyncStorage`.
  package var scopeName = "app"

  package enum Journal: String, CaseIterable, Sendable {
    /// Android 10 and later: TRUNCATE with FULL.
    case truncate
    /// Android 9: the compatibility WAL, with NORMAL, which it takes from the platform's
    /// configuration.
    case wal
    /// Android 9 where that configuration says FULL.
    case walFull = "wal-full"
    /// Before Android 9: PERSIST with FULL.
    case persist
  }

  package enum RoomJournal: String, CaseIterable, Sendable {
    /// With NORMAL.
    case wal
    /// A phone with little memory: TRUNCATE with FULL.
    case truncate
  }

  package enum RoomCorruption: String, CaseIterable, Sendable {
    /// The framework's error handler deletes the file, under the helper and under the driver.
    case byHelper = "by-helper"
    /// Nobody deletes anything: every call fails.
    case stays
  }

  package init() {}
}

extension AndroidSettings: KnobSettings {
  /// The settings with some knobs turned.
  ///
  /// - Parameter chosen: Values by name; names of other phones' knobs are passed over.
  /// - Throws: ``KnobError`` for a value that a knob does not have.
  package init(_ chosen: [String: String]) throws(KnobError) {
    try set(chosen)
  }

  /// All knobs, in the order of lists.
  package static let knobs = [
    Knob(
      "async-storage", AsyncStorageVersion.self,
      summary: "the version of AsyncStorage, and of 3.x the default export or a scoped storage"),
    Knob(
      "secure-store", SecureStoreSettings.Version.self,
      summary: "what SecureStore does with an entry that cannot be decrypted, or a failed commit"),
    Knob(
      "secure-store-delete", SecureStoreSettings.Deletes.self,
      summary: "which preference files a delete writes"),
    Knob(
      name: "require-authentication", values: ["off", "on"],
      summary: "whether SecureStore's keys need the owner's fingerprint or face"),
    Knob(
      "rkstorage-journal", AndroidStorageSettings.Journal.self,
      summary: "how RKStorage journals: Android 10 and later, 9, or before"),
    Knob(
      name: "rkstorage-sync", values: ["as-shipped", "off"],
      summary: "whether RKStorage syncs; off is no phone's, and shows what its syncs are for"),
    Knob(
      name: "rkstorage-mib", values: ["6", "10", "50"],
      summary: "how many MiB RKStorage may hold (AsyncStorage_db_size_in_MB)"),
    Knob(
      name: "cursor-window-kib", values: ["2048", "1024", "4096"],
      summary: "how many KiB a row may have that Android can read back"),
    Knob(
      "room-journal", AndroidStorageSettings.RoomJournal.self,
      summary: "how AsyncStorage 3 journals: WAL, or truncate on a phone with little memory"),
    Knob(
      "room-corruption", AndroidStorageSettings.RoomCorruption.self,
      summary: "what the databases of AsyncStorage 3 do with a damaged file"),
    Knob(
      "preferences-sync-error", PreferencesSettings.SyncError.self,
      summary: "what a failed fsync of a preference file does"),
    Knob(
      "keystore-journal", KeystoreSettings.Journal.self,
      summary: "how the keystore's database journals"),
    Knob(
      name: "clear-data-keys", values: ["removed", "kept"],
      summary: "what clearing the app's data, also before a restore, does to its Keystore keys"),
    Knob(
      "backup-rules", BackupContents.self,
      summary: "what a backup of the app holds: Expo's rules, none, or with databases added"),
  ]

  package mutating func turn(_ name: String, to value: String) {
    switch name {
    case "async-storage": asyncStorage.version = word(value, asyncStorage.version)
    case "secure-store": secureStore.version = word(value, secureStore.version)
    case "secure-store-delete": secureStore.deletes = word(value, secureStore.deletes)
    case "require-authentication": secureStore.requiresAuthentication = value == "on"
    case "rkstorage-journal": asyncStorage.journal = word(value, asyncStorage.journal)
    case "rkstorage-sync": asyncStorage.syncs = value == "as-shipped"
    case "rkstorage-mib": asyncStorage.sizeMiB = number(value)
    case "cursor-window-kib": asyncStorage.cursorWindowBytes = number(value) << 10
    case "room-journal": asyncStorage.roomJournal = word(value, asyncStorage.roomJournal)
    case "room-corruption": asyncStorage.roomCorruption = word(value, asyncStorage.roomCorruption)
    case "preferences-sync-error": preferences.syncError = word(value, preferences.syncError)
    case "keystore-journal": keystore.journal = word(value, keystore.journal)
    case "clear-data-keys": keystore.clearDataKeepsKeys = value == "kept"
    case "backup-rules": backupRules = word(value, backupRules)
    default: preconditionFailure("every knob is wired")
    }
  }

  private func number(_ text: String) -> Int {
    guard let number = Int(text) else { preconditionFailure("'\(text)' is a number of its knob") }
    return number
  }
}
