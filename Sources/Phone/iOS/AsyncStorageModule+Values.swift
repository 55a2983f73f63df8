import Crypto
import JSON
import Ports

/// Single values, and what one call does with them: memory first, then the disk.
extension AsyncStorageModule {
  /// What one call has done so far.
  struct Changes {
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
  func change(
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

  func value(of key: String) throws(Rejection) -> String? {
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

  func write(
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
  func removeValueFile(of key: String) throws(Rejection) {
    cache[key] = nil
    let path = try path(of: key)
    do {
      try files.unlink(path)
    } catch {
      return
    }
  }

  func checked(
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

  func merged(_ key: String, with value: String) throws(Rejection) -> String {
    guard let stored = try self.value(of: key) else { return value }
    do {
      let old = try JSONReader.read(stored, .json).value
      let new = try JSONReader.read(value, .json).value
      guard let old = old.object, let new = new.object else {
        throw Rejection("Only objects can be merged.")
      }
      return JSONWriter.text(of: .object(old.merged(with: new)))
    } catch let error as Rejection {
      throw error
    } catch {
      throw Rejection("The data couldn’t be read because it isn’t in the correct format.")
    }
  }
}
