package import Ports

/// AsyncStorage on iOS, in its file format: `manifest.json` and one file for each long value.
///
/// Make one for each launch of the app: index and cache live in memory, are changed before the
/// disk is, and die with the process. A call runs to its end before the next one starts, on the
/// module's serial queue. Source: react-native-async-storage `RNCAsyncStorage.mm` 2.2 and 3.0.
///
/// Durable after a call: the contents of the files that it wrote, as far as their sync reaches;
/// not their names. Not modelled: an encoding attribute that names another encoding. Storages that
/// `createAsyncStorage` of 3.x makes are ``ScopedStorageModule``.
package final class AsyncStorageModule: PlainStorage {
  /// Longer values, in UTF-16 units, get a file of their own.
  package static let inlineMax = 1024

  let layout: IOSLayout
  let files: any FileSystem
  let console: any Console
  let settings: AsyncStorageSettings
  let points: any TracePoint
  let writer: AtomicWrite

  var manifest: AsyncStorageManifest?
  var cache = ValueCache()
  var hasDirectory = false

  /// Launches the module: moves what older versions of the library left in Documents.
  package init(
    layout: IOSLayout, files: any FileSystem, entropy: any Entropy, points: any TracePoint,
    console: any Console, settings: AsyncStorageSettings
  ) {
    self.layout = layout
    self.files = files
    self.console = console
    self.settings = settings
    self.points = points
    writer = AtomicWrite(
      files: files, entropy: entropy, settings: settings,
      temporaryDirectory: layout.temporaryDirectory)
    migrateDocuments()
  }

  // MARK: One key

  package func item(_ name: String) async throws(NativeError) -> String? {
    let value: String?
    do {
      value = try await multiGet([name]).first?.value
    } catch {
      throw error.native(settings.version)
    }
    // The JavaScript of 2.x asks whether the value is truthy.
    return settings.version == .two && value == "" ? nil : value
  }

  package func setItem(_ name: String, to value: String) async throws(NativeError) {
    do {
      try await multiSet([(name, value)])
    } catch {
      throw error.native(settings.version)
    }
  }

  package func removeItem(_ name: String) async throws(NativeError) {
    do {
      try await multiRemove([name])
    } catch {
      throw error.native(settings.version)
    }
  }

  // MARK: Many keys

  /// The values of keys, in their order.
  ///
  /// - Throws: ``AsyncStorageFailure`` when any of them cannot be read.
  package func multiGet(
    _ keys: [String]
  ) async throws(AsyncStorageFailure) -> [(key: String, value: String?)] {
    let summary = "Failed to get values for keys"
    try setUp(summary)
    var errors: [AsyncStorageFailure.KeyError] = []
    var values: [(key: String, value: String?)] = []
    for key in keys {
      do {
        values.append((key, try value(of: key)))
      } catch {
        errors.append(.init(key: key, message: error.message))
      }
    }
    guard errors.isEmpty else { throw AsyncStorageFailure(summary, errors) }
    return values
  }

  /// Stores pairs in their order, then writes the manifest once, if it changed.
  ///
  /// - Throws: ``AsyncStorageFailure``; pairs without an error are stored. Memory has all new
  ///   short values, even when the manifest could not be written.
  package func multiSet(
    _ pairs: [(key: String, value: String)]
  ) async throws(AsyncStorageFailure) {
    points.reach(.beforeBlob)
    try change("Failed to set key-value pairs") { (changes) throws(Rejection) in
      for (key, value) in pairs {
        changes.attempt(key) { (changes) throws(Rejection) in
          try self.write(key, value, &changes)
        }
      }
    }
  }

  /// Removes keys in their order, then writes the manifest once, if it changed. A value's file
  /// that cannot be removed is left behind without an error.
  package func multiRemove(_ keys: [String]) async throws(AsyncStorageFailure) {
    try change("Failed to remove keys") { (changes) throws(Rejection) in
      for key in keys {
        changes.attempt(key) { (changes) throws(Rejection) in
          guard let entry = try self.checked(key, in: self.index) else { return }
          if entry == .file { try self.removeValueFile(of: key) }
          self.index[key] = nil
          changes.manifestChanged = true
        }
      }
    }
  }

  /// Merges objects into stored ones in their order, then writes the manifest once, if it changed; one
  /// that cannot be merged keeps no other back. A no-op that resolves in 3.x.
  package func mergeAll(_ pairs: [(key: String, value: String)]) async throws(NativeError) {
    guard settings.version == .two else { return }
    do {
      try change("Failed to merge values") { (changes) throws(Rejection) in
        for (key, value) in pairs {
          changes.attempt(key) { (changes) throws(Rejection) in
            let merged = try self.merged(key, with: value)
            try self.write(key, merged, &changes)
          }
        }
      }
    } catch {
      throw error.native(settings.version)
    }
  }

  /// All keys of the index, sorted; the real order is that of a hash table.
  package func allKeys() async throws(NativeError) -> [String] {
    do {
      try setUp("Failed to get all keys")
    } catch {
      throw error.native(settings.version)
    }
    return index.keys
  }

  /// Empties memory, then deletes the directory. The next call makes it again; index and cache
  /// are not read again before the next launch.
  package func clear() async throws(NativeError) {
    let summary = "Failed to clear storage"
    do {
      // Only 3.x reads the manifest first.
      if settings.version == .three { try setUp(summary) }
      if manifest != nil { manifest = AsyncStorageManifest() }
      cache.removeAll()
      try deleteDirectory(summary)
    } catch {
      throw error.native(settings.version)
    }
  }

  /// The system asks for memory: the cache goes, the index stays.
  package func receiveMemoryWarning() {
    cache.removeAll()
  }
}
