import Crypto
import Ports

/// The keys of the phone itself, from which the class keys of keychain items are derived.
///
/// They come from the ``DeviceSecret``, which is durable before the first item is.
struct Keybag {
  static let keyBytes = DeviceSecret.byteCount

  private var classKeys: [Accessibility: [UInt8]] = [:]

  /// Reads the phone's key, or makes one where there is none.
  ///
  /// - Throws: ``KeybagFailure``.
  init(on files: any FileSystem, entropy: any Entropy) throws(KeybagFailure) {
    do {
      self = try Keybag(
        deviceKey: DeviceSecret.load(IOSLayout.keybag, on: files, entropy: entropy))
    } catch {
      throw KeybagFailure(reason: "\(error)")
    }
  }

  private init(deviceKey: [UInt8]) throws(CryptoError) {
    for accessibility in Accessibility.allCases {
      let info = Array("keychain class \(accessibility.rawValue)".utf8)
      classKeys[accessibility] = try HKDF.derive(
        from: deviceKey, salt: [], info: info, count: Self.keyBytes)
    }
  }

  /// The key of a class, whatever the lock state; who asks has checked it.
  func key(of accessibility: Accessibility) -> [UInt8] {
    guard let key = classKeys[accessibility] else {
      preconditionFailure("every class has a key")
    }
    return key
  }

  /// Makes the key of another phone and stores it in place of the one that is there.
  static func replaced(
    on files: any FileSystem, entropy: any Entropy
  ) throws -> Keybag {
    try Keybag(deviceKey: DeviceSecret.replace(IOSLayout.keybag, on: files, entropy: entropy))
  }
}
