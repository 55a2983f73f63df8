import Crypto
import Ports

/// The keys of the phone itself, from which the class keys of keychain items are derived.
///
/// A real phone keeps them in its secure processor; here they are 32 bytes in a file outside of
/// the keychain's directory, so that the two can be lost apart. Another phone has another key, and
/// cannot decrypt this one's items. The file is durable before the first item is.
struct Keybag {
  static let keyBytes = 32

  private var classKeys: [Accessibility: [UInt8]] = [:]

  /// Reads the phone's key, or makes one where there is none. A damaged file counts as none.
  ///
  /// - Throws: ``KeybagFailure``; a file that was half written is replaced at the next try.
  init(on files: any FileSystem, entropy: any Entropy) throws(KeybagFailure) {
    do {
      if let key = try Self.stored(on: files) {
        self = try Keybag(deviceKey: key)
      } else {
        self = try Self.replaced(on: files, entropy: entropy)
      }
    } catch let error as FileError {
      throw KeybagFailure(reason: error.description)
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
    let key = entropy.bytes(keyBytes)
    let temporary = "\(IOSLayout.keybag).new"
    try files.makeDirectories(IOSLayout.keybagDirectory, permissions: 0o700)
    let file = try files.open(temporary, .replace, permissions: 0o600)
    do {
      defer { files.close(file) }
      try files.writeAll(key, to: file)
      try files.sync(file)
    }
    try files.rename(temporary, to: IOSLayout.keybag)
    try files.syncDirectory(IOSLayout.keybagDirectory)
    return try Keybag(deviceKey: key)
  }

  private static func stored(on files: any FileSystem) throws(FileError) -> [UInt8]? {
    do {
      let key = try files.contents(of: IOSLayout.keybag)
      return key.count == keyBytes ? key : nil
    } catch {
      if error.code == FileError.noEntry { return nil }
      throw error
    }
  }
}
