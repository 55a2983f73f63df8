package import SQLite

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

  package enum BeforeFirstUnlock: String, CaseIterable, Sendable {
    case locked
    case notFound = "not-found"
  }

  package init() {}
}
