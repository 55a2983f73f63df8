package import Ports

/// Takes stock of an iPhone's two halves, without changing anything.
package enum IOSInventory {
  /// Reads both halves. `answer` is what the keychain's service answered to
  /// ``KeychainRequest/list``, or `nil` when it is not running; `layout` is `nil` when the app is
  /// not installed. Databases of scoped storages are opened, so `files` has to lead SQLite to a copy.
  package static func take(
    keychain answer: KeychainAnswer?, files: any FileSystem, layout: IOSLayout?,
    readsOrphans: Bool = true
  ) -> Inventory {
    let keys = answer?.status == .success ? answer?.items : nil
    guard let layout else { return Inventory(keys: keys, blobs: [], indexes: []) }
    var scoped = DatabaseInventory()
    scoped.addScoped(below: layout.scopedStorages, files)
    let (manifest, state) = manifest(layout, files)
    return Inventory(
      keys: keys, blobs: values(manifest, layout, files, readsOrphans) + scoped.blobs,
      indexes: [Inventory.Index(name: Path.name(of: layout.manifest), state: state)]
        + scoped.indexes)
  }

  private static func values(
    _ manifest: AsyncStorageManifest, _ layout: IOSLayout, _ files: any FileSystem,
    _ readsOrphans: Bool
  ) -> [Inventory.BlobItem] {
    guard let storage = contents(of: layout.storage, files) else { return [] }
    var blobs: [Inventory.BlobItem] = []
    var named: Set<String> = [layout.manifest]
    for key in manifest.keys {
      switch manifest[key] {
      case .inline(let value):
        blobs.append(.init(name: key, file: nil, value: Array(value.utf8)))
      case .file, nil:
        guard let path = path(of: key, layout) else { continue }
        named.insert(path)
        blobs.append(.init(name: key, file: path, value: bytes(of: path, files)))
      }
    }
    for name in storage where !named.contains("\(layout.storage)/\(name)") {
      let path = "\(layout.storage)/\(name)"
      let value = readsOrphans ? bytes(of: path, files) : nil
      blobs.append(.init(name: nil, file: path, value: value))
    }
    return blobs
  }

  private static func manifest(
    _ layout: IOSLayout, _ files: any FileSystem
  ) -> (AsyncStorageManifest, Inventory.Index.State) {
    guard files.kind(of: layout.manifest) != nil else { return (AsyncStorageManifest(), .missing) }
    guard let bytes = bytes(of: layout.manifest, files),
      let text = String(validating: bytes, as: UTF8.self)
    else { return (AsyncStorageManifest(), .unreadable) }
    guard let manifest = AsyncStorageManifest(text) else {
      return (AsyncStorageManifest(), .unparsable(bytes: bytes.count))
    }
    return (manifest, .sound(bytes: bytes.count))
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
}
