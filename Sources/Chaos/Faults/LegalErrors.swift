package import Device

/// Which errors a file call can really give to an app, and why. No other one can be injected: a
/// finding from an impossible error would be a defect of the lab.
///
/// Source: the manual pages of the calls, and the kernels' file systems on flash storage.
package enum LegalErrors {
  /// The error and when a phone gives it.
  package static func reasons(for kind: OperationKind) -> [(error: DeviceError, reason: String)] {
    switch kind {
    case .open, .lookUp, .attributes:
      [
        (.inputOutput, "the medium cannot be read"),
        (.noAccess, "the container's permissions are damaged"),
        (.notPermitted, "file protection: the phone is locked"),
      ]
    case .read, .list:
      [
        (.inputOutput, "the medium cannot be read"),
        (.notPermitted, "file protection: the phone was locked after the file was opened"),
      ]
    case .write, .allocate:
      [
        (.noSpace, "the volume is full"),
        (.quotaExceeded, "the app's quota is used up"),
        (.inputOutput, "the medium cannot be written"),
      ]
    case .sync, .syncDirectory:
      [
        (.inputOutput, "delayed data could not be written"),
        (.noSpace, "delayed allocation found no room"),
        (.quotaExceeded, "delayed allocation met the quota"),
      ]
    case .create, .makeDirectory, .symbolicLink, .link:
      [
        (.noSpace, "no room for a name or an inode"),
        (.quotaExceeded, "the app's quota is used up"),
        (.inputOutput, "the medium cannot be written"),
        (.noAccess, "the container's permissions are damaged"),
        (.notPermitted, "file protection: the phone is locked"),
        (.readOnly, "the volume was remounted read-only after an error"),
      ]
    case .rename, .unlink, .removeDirectory:
      [
        (.noSpace, "a copy-on-write file system needs room even to remove"),
        (.inputOutput, "the medium cannot be written"),
        (.noAccess, "the container's permissions are damaged"),
        (.readOnly, "the volume was remounted read-only after an error"),
      ]
    case .truncate, .setAttributes, .setExtendedAttribute:
      [
        (.inputOutput, "the medium cannot be written"),
        (.noSpace, "a copy-on-write file system needs room even to shrink"),
        (.readOnly, "the volume was remounted read-only after an error"),
      ]
    case .point: []
    }
  }

  /// - Throws: ``FaultGrammarError`` that names the errors which the call can give.
  package static func check(_ error: DeviceError, for kind: OperationKind) throws(FaultGrammarError)
  {
    let legal = reasons(for: kind).map(\.error)
    guard legal.contains(error) else {
      throw FaultGrammarError(
        "\(kind.rawValue) cannot give \(error.symbol) on a phone",
        allowed: legal.map(\.symbol).joined(separator: " "))
    }
  }
}
