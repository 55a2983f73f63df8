import Crypto
package import Ports

/// Takes stock of an iPhone's two halves, without changing anything.
package enum IOSInventory {
  /// Reads both halves. `answer` is what the keychain's service answered to
  /// ``KeychainRequest/list``, or `nil` when it is not running; `layout` is `nil` when the app is
  /// not installed.
  package static func take(
    keychain answer: KeychainAnswer?, files: any FileSystem, layout: IOSLayout?
  ) -> Inventory {
    let keys = answer?.status == .success ? answer?.items : nil
    guard let layout, let storage = contents(of: layout.storage, files) else {
      return Inventory(keys: keys, blobs: [], index: .missing)
    }
    let (manifest, index) = manifest(layout, files)
    var blobs: [Inventory.BlobItem] = []
    var named: Set<String> = [layout.manifest]
    for key in manifest.keys {
      switch manifest[key] {
      case .inline(let value):
        blobs.append(item(key, file: nil, Array(value.utf8)))
      case .file, nil:
        guard let path = path(of: key, layout) else { continue }
        named.insert(path)
        blobs.append(item(key, file: path, bytes(of: path, files)))
      }
    }
    for name in storage where !named.contains("\(layout.storage)/\(name)") {
      let path = "\(layout.storage)/\(name)"
      blobs.append(item(nil, file: path, bytes(of: path, files)))
    }
    return Inventory(keys: keys, blobs: blobs, index: index)
  }

  private static func manifest(
    _ layout: IOSLayout, _ files: any FileSystem
  ) -> (AsyncStorageManifest, Inventory.Index) {
    guard files.kind(of: layout.manifest) != nil else { return (AsyncStorageManifest(), .missing) }
    guard let bytes = bytes(of: layout.manifest, files),
      let text = String(validating: bytes, as: UTF8.self)
    else { return (AsyncStorageManifest(), .unreadable) }
    guard let manifest = AsyncStorageManifest(text) else {
      return (AsyncStorageManifest(), .unparsable(bytes: bytes.count))
    }
    return (manifest, .sound(bytes: bytes.count))
  }

  private static func item(
    _ name: String?, file: String?, _ bytes: [UInt8]?
  ) -> Inventory.BlobItem {
    Inventory.BlobItem(
      name: name, file: file, bytes: bytes?.count, digest: bytes.flatMap(fingerprint))
  }

  // What cannot be read shows as missing: an inventory is a report, and has no other answer.

  private static func contents(of directory: String, _ files: any FileSystem) -> [String]? {
    do { return try files.list(directory) } catch { return nil }
  }

  private static func bytes(of path: String, _ files: any FileSystem) -> [UInt8]? {
    do { return try files.contents(of: path) } catch { return nil }
  }

  private static func path(of key: String, _ layout: IOSLayout) -> String? {
    do { return try layout.valueFile(for: key) } catch { return nil }
  }

  private static func fingerprint(_ bytes: [UInt8]) -> String? {
    do { return try Fingerprint.of(bytes) } catch { return nil }
  }
}
