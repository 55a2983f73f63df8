import Ports

/// Directory and manifest: made and read at the first call of a launch.
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

  var index: AsyncStorageManifest {
    get { manifest ?? AsyncStorageManifest() }
    set { manifest = newValue }
  }

  func setUp(_ summary: String) throws(AsyncStorageFailure) {
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
  func read(_ path: String) throws(Rejection) -> String? {
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

  func deleteDirectory(_ summary: String) throws(AsyncStorageFailure) {
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
