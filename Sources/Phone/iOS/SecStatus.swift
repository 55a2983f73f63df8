import SQLite

/// An `OSStatus` of Apple's Security framework.
package struct SecStatus: RawRepresentable, Equatable, Hashable, Sendable {
  package let rawValue: Int32

  package init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  package static let success = SecStatus(rawValue: 0)
  package static let inputOutput = SecStatus(rawValue: -36)
  package static let parameter = SecStatus(rawValue: -50)
  package static let userCanceled = SecStatus(rawValue: -128)
  /// The service or its database cannot be used; also: disk full.
  package static let notAvailable = SecStatus(rawValue: -25291)
  package static let authenticationFailed = SecStatus(rawValue: -25293)
  package static let duplicateItem = SecStatus(rawValue: -25299)
  package static let itemNotFound = SecStatus(rawValue: -25300)
  /// The key of the item's class is locked.
  package static let interactionNotAllowed = SecStatus(rawValue: -25308)
  package static let decode = SecStatus(rawValue: -26275)
  package static let missingEntitlement = SecStatus(rawValue: -34018)

  /// What expo-secure-store says for it.
  package var text: String {
    switch self {
    case .inputOutput: "I/O error."
    case .parameter: "One or more parameters passed to a function were not valid."
    case .userCanceled: "User canceled the operation."
    case .notAvailable: "No keychain is available. You may need to restart your computer."
    case .authenticationFailed:
      "Authentication failed. Provided passphrase/PIN is incorrect or there is no user "
        + "authentication method configured for this device."
    case .duplicateItem: "The specified item already exists in the keychain."
    case .itemNotFound: "The specified item could not be found in the keychain."
    case .interactionNotAllowed: "User interaction is not allowed."
    case .decode: "Unable to decode the provided data."
    case .missingEntitlement: "A required entitlement isn't present."
    default: "Unknown Keychain Error."
    }
  }
}

extension SecStatus {
  /// What the service answers when its database fails. A full disk is not told apart from a
  /// database that cannot be opened.
  init(_ code: DatabaseError.Code) {
    self = code == .inputOutput ? .inputOutput : .notAvailable
  }
}
