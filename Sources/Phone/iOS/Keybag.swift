import Crypto
import Ports

/// The keys of the phone itself, from which the class keys of keychain items are derived.
///
/// They come from the ``DeviceSecret``, which is durable before the first item is.
struct Keybag {
  static let keyBytes = DeviceSecret.byteCount

  private let deviceKey: [UInt8]
  /// Those that were asked for.
  private var classKeys: [Accessibility: [UInt8]] = [:]

  /// Reads the phone's key, or makes one where there is none.
  ///
  /// - Throws: ``KeybagFailure``.
  init(on files: any FileSystem, entropy: any Entropy) throws(KeybagFailure) {
    do {
      deviceKey = try DeviceSecret.load(IOSLayout.keybag, on: files, entropy: entropy)
    } catch {
      throw KeybagFailure(reason: "\(error)")
    }
  }

  private init(deviceKey: [UInt8]) {
    self.deviceKey = deviceKey
  }

  /// The key of a class, whatever the lock state; who asks has checked it.
  ///
  /// - Throws: `CryptoError` when the library cannot derive it.
  mutating func key(of accessibility: Accessibility) throws(CryptoError) -> [UInt8] {
    if let known = classKeys[accessibility] { return known }
    let info = Array("keychain class \(accessibility.rawValue)".utf8)
    let key = try HKDF.derive(from: deviceKey, salt: [], info: info, count: Self.keyBytes)
    classKeys[accessibility] = key
    return key
  }

  /// Makes the key of another phone and stores it in place of the one that is there.
  static func replaced(
    on files: any FileSystem, entropy: any Entropy
  ) throws -> Keybag {
    try Keybag(deviceKey: DeviceSecret.replace(IOSLayout.keybag, on: files, entropy: entropy))
  }
}
