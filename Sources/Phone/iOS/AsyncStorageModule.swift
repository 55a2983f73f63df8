import Crypto
import JSON
package import Ports

/// AsyncStorage on iOS, in its file format: `manifest.json` and one file for each long value.
///
/// Make one for each launch of the app: index and cache live in memory, are changed before the
/// disk is, and die with the process. A call runs to its end before the next one starts, on the
/// module's serial queue. Source: react-native-async-storage `RNCAsyncStorage.mm` 2.2 and 3.0.
///
/// Durable after a call: the contents of the files that it wrote, as far as their sync reaches;
/// not their names. Not modelled: an encoding attribute that names another encoding, and the
/// scoped storage of 3.x.
package final class AsyncStorageModule: PlainStorage {
  /// Longer values, in UTF-16 units, get a file of their own.
  package static let inlineMax = 1024

  let layout: IOSLayout
  let files: any FileSystem
  let console: any Console
  let settings: AsyncStorageSettings
  private let points: any TracePoint
  private let writer: AtomicWrite

  private var manifest: AsyncStorageManifest?
  private var cache = ValueCache()
  private var hasDirectory = false

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

  /// Merges an object into a stored one, level by level. A no-op that resolves in 3.x.
  package func mergeItem(_ name: String, with value: String) async throws(NativeError) {
    guard settings.version == .two else { return }
    do {
      try change("Failed to merge values") { (changes) throws(Rejection) in
        changes.attempt(name) { (changes) throws(Rejection) in
          let merged = try self.merged(name, with: value)
          try self.write(name, merged, &changes)
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

// MARK: - Set-up

extension AsyncStorageModule {
  /// A message of the module for one key or for the manifest.
  struct Rejection: Error {
    var message: String

    init(_ message: String, _ error: CocoaError) {
      self.message = message + error.description
    }

    init(_ message: String) {
      self.message = message
    }
  }

  private var index: AsyncStorageManifest {
    get { manifest ?? AsyncStorageManifest() }
    set { manifest = newValue }
  }

  private func setUp(_ summary: String) throws(AsyncStorageFailure) {
    do {
      if !hasDirectory {
        try makeDirectory()
        hasDirectory = true
      }
      if manifest == nil { manifest = try readManifest() }
    } catch {
      throw AsyncStorageFailure(summary, [.init(key: nil, message: error.message)])
    }
  }

  private func makeDirectory() throws(Rejection) {
    do {
      try files.makeDirectories(layout.storage, permissions: 0o755)
    } catch {
      throw Rejection(
        "Failed to create storage directory.", .writing(layout.storage, error))
    }
  }

  /// A manifest that is text but no JSON is replaced by an empty one in memory, and on disk by
  /// the next write; one that cannot be read fails every call and is never overwritten.
  private func readManifest() throws(Rejection) -> AsyncStorageManifest {
    let text: String?
    do {
      text = try read(layout.manifest)
    } catch {
      console.error(
        "Could not open the existing manifest, perhaps data protection is enabled?\n\n"
          + error.message)
      throw error
    }
    guard let text else { return AsyncStorageManifest() }
    if let manifest = AsyncStorageManifest(text) { return manifest }
    console.error("Failed to parse manifest - creating a new one.")
    return AsyncStorageManifest()
  }

  /// The text of a file, or `nil` when there is none.
  private func read(_ path: String) throws(Rejection) -> String? {
    guard files.kind(of: path) != nil else { return nil }
    let message = "Failed to read storage file."
    let bytes: [UInt8]
    do {
      bytes = try files.contents(of: path)
    } catch {
      throw Rejection(message, .reading(path, error))
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Rejection(message, .wrongFormat(path))
    }
    return text
  }

  private func deleteDirectory(_ summary: String) throws(AsyncStorageFailure) {
    hasDirectory = false
    guard files.kind(of: layout.storage) != nil else { return }
    do {
      try files.removeTree(layout.storage)
    } catch {
      let rejection = Rejection(
        "Failed to delete storage directory.", .writing(layout.storage, error))
      throw AsyncStorageFailure(summary, [.init(key: nil, message: rejection.message)])
    }
  }
}

// MARK: - Values

extension AsyncStorageModule {
  /// What one call has done so far.
  private struct Changes {
    var manifestChanged = false
    var wroteInline = false
    var errors: [AsyncStorageFailure.KeyError] = []

    /// Does something for one key; an error is kept and the other keys go on.
    mutating func attempt(
      _ key: String, _ body: (inout Changes) throws(Rejection) -> Void
    ) {
      do {
        try body(&self)
      } catch {
        errors.append(.init(key: key, message: error.message))
      }
    }
  }

  /// Sets up, runs `body`, and writes the manifest once.
  private func change(
    _ summary: String, _ body: (inout Changes) throws(Rejection) -> Void
  ) throws(AsyncStorageFailure) {
    try setUp(summary)
    var changes = Changes()
    do {
      try body(&changes)
      if changes.manifestChanged { try writeManifest(afterInlineValue: changes.wroteInline) }
    } catch {
      changes.errors.append(.init(key: nil, message: error.message))
    }
    guard changes.errors.isEmpty else { throw AsyncStorageFailure(summary, changes.errors) }
  }

  private func writeManifest(afterInlineValue: Bool) throws(Rejection) {
    do {
      try writer.write(Array(index.text.utf8), to: layout.manifest)
    } catch {
      throw Rejection("Failed to write manifest file.", .writing(layout.manifest, error))
    }
    // A short value is in the manifest: both are written at the same moment.
    if afterInlineValue { points.reach(.blobWritten) }
    points.reach(.manifestWritten)
  }

  private func value(of key: String) throws(Rejection) -> String? {
    switch try checked(key, in: index) {
    case nil: return nil
    case .inline(let value): return value
    case .file: break
    }
    if let value = cache[key] { return value }
    do {
      if let value = try read(try path(of: key)) {
        cache[key] = value
        return value
      }
    } catch {
      // 2.x forgets the key until the next launch, 3.x does not.
      if settings.version == .two { index[key] = nil }
      throw error
    }
    index[key] = nil
    return nil
  }

  private func write(
    _ key: String, _ value: String, _ changes: inout Changes
  ) throws(Rejection) {
    let entry = try checked(key, in: index)
    guard value.utf16.count > Self.inlineMax else {
      if entry == .file { try removeValueFile(of: key) }
      index[key] = .inline(value)
      changes.manifestChanged = true
      changes.wroteInline = true
      return
    }
    let path = try path(of: key)
    do {
      try writer.write(Array(value.utf8), to: path)
    } catch {
      // 2.x remembers the value all the same; it is read back while the process lives.
      if settings.version == .two { cache[key] = value }
      throw Rejection("Failed to write value.", .writing(path, error))
    }
    cache[key] = value
    points.reach(.blobWritten)
    guard entry != .file else { return }
    index[key] = .file
    changes.manifestChanged = true
  }

  /// `removeItemAtPath:error:nil`: a failure leaves the file behind, and nobody hears of it.
  private func removeValueFile(of key: String) throws(Rejection) {
    cache[key] = nil
    let path = try path(of: key)
    do {
      try files.unlink(path)
    } catch {
      return
    }
  }

  private func checked(
    _ key: String, in index: AsyncStorageManifest
  ) throws(Rejection) -> AsyncStorageManifest.Entry? {
    guard !key.isEmpty else {
      throw Rejection("Invalid key - must be at least one character.  Key: ")
    }
    return index[key]
  }

  private func path(of key: String) throws(Rejection) -> String {
    do {
      return try layout.valueFile(for: key)
    } catch {
      throw Rejection("Failed to name storage file. \(error)")
    }
  }

  private func merged(_ key: String, with value: String) throws(Rejection) -> String {
    guard let stored = try self.value(of: key) else { return value }
    do {
      let old = try JSONReader.read(stored, .json).value
      let new = try JSONReader.read(value, .json).value
      guard let old = old.object, let new = new.object else {
        throw Rejection("Only objects can be merged.")
      }
      return JSONWriter.text(of: .object(Self.merged(old, new)))
    } catch let error as Rejection {
      throw error
    } catch {
      throw Rejection("The data couldn’t be read because it isn’t in the correct format.")
    }
  }

  /// Only objects are merged; everything else is replaced, lists included.
  private static func merged(_ old: JSONObject, _ new: JSONObject) -> JSONObject {
    var result = old
    for member in new.members {
      if let below = result[member.key]?.object, let change = member.value.object {
        result[member.key] = .object(merged(below, change))
      } else {
        result[member.key] = member.value
      }
    }
    return result
  }
}
