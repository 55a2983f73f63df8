package import Crypto
package import Ports

/// Where things are on an iPhone with one app.
package struct IOSLayout: Equatable, Sendable {
  /// The container's name under ``containers``.
  package let containerName: String

  package static let bundleIdentifier = "com.example.demo"
  package static let accessGroup = "A1B2C3D4E5.com.example.demo"
  package static let containers = "/private/var/mobile/Containers/Data/Application"
  package static let keychainDirectory = "/private/var/Keychains"
  package static let keybagDirectory = "/private/var/keybags"

  package static var keychainDatabase: String { "\(keychainDirectory)/keychain-2.db" }
  /// The service leaves this behind when it finds its database corrupt.
  package static var keychainCorruptMarker: String { "\(keychainDatabase)-iscorrupt" }
  package static var keybag: String { "\(keybagDirectory)/device.kb" }

  /// The layout after the `installCount`-th installation; from 1. Every installation gets a new
  /// container, whose UUID follows from the count.
  ///
  /// - Throws: `CryptoError` when the library has no SHA-256.
  package init(installCount: Int) throws(CryptoError) {
    var bytes = Array(try sha256(Array("\(Self.bundleIdentifier) \(installCount)".utf8))[..<16])
    bytes[6] = bytes[6] & 0x0f | 0x40
    bytes[8] = bytes[8] & 0x3f | 0x80
    let digits = Array(Hexadecimal.encode(bytes).uppercased())
    let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }
    containerName = groups.joined(separator: "-")
  }

  private init(containerName: String) {
    self.containerName = containerName
  }

  /// The layout of the phone that is there: that of the one container, or `nil` without any.
  ///
  /// - Throws: `FileError` when the directory of containers is there and cannot be read.
  package static func find(on files: any FileSystem) throws(FileError) -> IOSLayout? {
    do {
      return try files.list(containers).first.map(IOSLayout.init(containerName:))
    } catch {
      if error.code == FileError.noEntry { return nil }
      throw error
    }
  }

  package var container: String { "\(Self.containers)/\(containerName)" }
  package var documents: String { "\(container)/Documents" }
  package var temporaryDirectory: String { "\(container)/tmp" }
  package var applicationSupport: String { "\(container)/Library/Application Support" }

  /// AsyncStorage's directory.
  package var storage: String {
    "\(applicationSupport)/\(Self.bundleIdentifier)/RCTAsyncLocalStorage_V1"
  }

  package var manifest: String { "\(storage)/manifest.json" }

  /// The databases of storages that `createAsyncStorage(name)` makes, a directory for each.
  package var scopedStorages: String {
    "\(applicationSupport)/\(Self.bundleIdentifier)/async-storage/databases"
  }

  package func scopedStorage(_ name: String) -> String {
    "\(scopedStorages)/\(name)/\(name).sqlite"
  }

  /// The file that holds a long value: the MD5 of its key, in lower-case digits.
  package func valueFile(for key: String) throws(CryptoError) -> String {
    "\(storage)/\(Hexadecimal.encode(try md5(Array(key.utf8))))"
  }

  /// The item of the keychain that expo-secure-store keeps a value under.
  package static func keyItem(
    for name: String, service: String = "app", suffix: String = ":no-auth"
  ) -> SecItemQuery {
    SecItemQuery(
      account: name, service: service + suffix, generic: name, accessGroup: accessGroup)
  }

  /// The parts of the storage that a power cut may leave at points of their own.
  ///
  /// The temporary files of both the manifest and the values belong to the values until they are
  /// renamed.
  package static let domains: [StorageDomain] = {
    let anyContainer = IOSLayout(containerName: "*")
    return [
      StorageDomain(
        name: "keychain", half: .key, prefix: keychainDirectory, profile: "atomic-item"),
      StorageDomain(name: "manifest", half: .blob, prefix: anyContainer.manifest, profile: "apfs"),
      StorageDomain(name: "values", half: .blob, prefix: anyContainer.container, profile: "apfs"),
    ]
  }()
}
