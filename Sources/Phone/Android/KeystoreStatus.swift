/// What the keystore answers: response codes of keystore2 above zero, error codes of KeyMint below.
package struct KeystoreStatus: RawRepresentable, Equatable, Hashable, Sendable {
  package let rawValue: Int32

  package init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  package static let success = KeystoreStatus(rawValue: 0)

  /// The service or its database cannot be used; also: disk full.
  package static let systemError = KeystoreStatus(rawValue: 4)
  package static let keyNotFound = KeystoreStatus(rawValue: 7)
  /// The lock screen or the biometrics that the key needs are gone.
  package static let keyPermanentlyInvalidated = KeystoreStatus(rawValue: 17)
  package static let invalidArgument = KeystoreStatus(rawValue: 20)

  /// The owner did not show that it is them.
  package static let userNotAuthenticated = KeystoreStatus(rawValue: -26)
  /// The tag does not fit: another key, or other bytes.
  package static let verificationFailed = KeystoreStatus(rawValue: -30)
  /// The key is of another phone, or damaged.
  package static let invalidKeyBlob = KeystoreStatus(rawValue: -33)
  package static let invalidNonce = KeystoreStatus(rawValue: -52)
}
