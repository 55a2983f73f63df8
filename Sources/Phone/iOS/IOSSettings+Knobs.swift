/// The settings by name, for command lines and scenario files.
extension IOSSettings {
  /// A setting that has a closed list of values.
  package struct Knob: Equatable, Sendable {
    package var name: String
    /// What it may be set to; the first is the default.
    package var values: [String]
    package var summary: String
  }

  /// All knobs, in the order of lists.
  package static let knobs = [
    Knob(
      name: "async-storage", values: ["v2", "v3"], summary: "the major version of AsyncStorage"),
    Knob(
      name: "temporary-file", values: ["sibling", "item-replacement"],
      summary: "where an atomic write puts its temporary file"),
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

  /// Turns a knob.
  ///
  /// - Throws: ``KnobError``; nothing was changed.
  package mutating func set(_ name: String, to value: String) throws(KnobError) {
    guard let knob = Self.knobs.first(where: { $0.name == name }) else {
      throw .unknown(name: name)
    }
    guard knob.values.contains(value) else {
      throw .badValue(name: name, value: value, allowed: knob.values)
    }
    switch name {
    case "async-storage": asyncStorage.version = Self.word(value, asyncStorage.version)
    case "temporary-file":
      asyncStorage.temporaryFile = Self.word(value, asyncStorage.temporaryFile)
    case "async-storage-backup": asyncStorage.excludesFromBackup = value == "excluded"
    case "file-protection": fileProtection = Self.word(value, fileProtection)
    case "backup": backupIsEncrypted = value == "encrypted"
    case "accessibility": accessibility = Self.word(value, accessibility)
    case "keychain-synchronous": keychain.synchronous = Self.word(value, keychain.synchronous)
    case "delete-while-locked": keychain.deletesWhileLocked = value == "works"
    case "before-first-unlock":
      keychain.beforeFirstUnlock = Self.word(value, keychain.beforeFirstUnlock)
    case "passcode": keychain.hasPasscode = value == "set"
    default: preconditionFailure("every knob is wired")
    }
  }

  /// The value with this word; the list of the knob has been asked already.
  private static func word<Value: RawRepresentable<String>>(
    _ word: String, _ present: Value
  ) -> Value {
    guard let value = Value(rawValue: word) else {
      preconditionFailure("'\(word)' is a value of its knob")
    }
    return value
  }
}
