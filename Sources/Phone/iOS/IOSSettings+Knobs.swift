/// The settings by name, for command lines and scenario files.
extension IOSSettings: KnobSettings {
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
      name: "async-storage", values: ["v2", "v3", "v3-scoped"],
      summary: "the version of AsyncStorage, and of 3.x the default export or a scoped storage"),
    Knob(
      name: "temporary-file", values: ["sibling", "item-replacement"],
      summary: "where an atomic write puts its temporary file"),
    Knob(
      name: "atomic-write", values: ["synced", "unsynced"],
      summary: "whether an atomic write syncs its temporary file"),
    Knob(
      name: "async-storage-backup", values: ["excluded", "included"],
      summary: "whether backups hold AsyncStorage"),
    Knob(
      name: "file-protection", values: ["until-first-unlock", "complete", "none"],
      summary: "when locking closes the app's files"),
    Knob(
      name: "backup", values: ["encrypted", "unencrypted"],
      summary: "whether a new phone can use the keychain items of a backup"),
    Knob(
      name: "accessibility", values: ["ak", "ck", "dk", "aku", "cku", "dku", "akpu"],
      summary: "the class of the app's keychain items"),
    Knob(
      name: "keychain-update", values: ["keeps-class", "sets-class"],
      summary: "whether a save changes the class of an item that is there"),
    Knob(
      name: "keychain-synchronous", values: ["normal", "full", "off", "extra"],
      summary: "when the keychain's database syncs"),
    Knob(
      name: "delete-while-locked", values: ["works", "refused"],
      summary: "what a locked keychain does with a delete"),
    Knob(
      name: "before-first-unlock", values: ["locked", "not-found"],
      summary: "what a read answers before the first unlock"),
    Knob(name: "passcode", values: ["set", "none"], summary: "whether the phone has a passcode"),
  ]

  package mutating func turn(_ name: String, to value: String) {
    switch name {
    case "async-storage": asyncStorage.version = word(value, asyncStorage.version)
    case "temporary-file":
      asyncStorage.temporaryFile = word(value, asyncStorage.temporaryFile)
    case "atomic-write": asyncStorage.syncsFiles = value == "synced"
    case "async-storage-backup": asyncStorage.excludesFromBackup = value == "excluded"
    case "file-protection": fileProtection = word(value, fileProtection)
    case "backup": backupIsEncrypted = value == "encrypted"
    case "accessibility": accessibility = word(value, accessibility)
    case "keychain-update": updateSetsAccessibility = value == "sets-class"
    case "keychain-synchronous": keychain.synchronous = word(value, keychain.synchronous)
    case "delete-while-locked": keychain.deletesWhileLocked = value == "works"
    case "before-first-unlock":
      keychain.beforeFirstUnlock = word(value, keychain.beforeFirstUnlock)
    case "passcode": keychain.hasPasscode = value == "set"
    default: preconditionFailure("every knob is wired")
    }
  }
}
