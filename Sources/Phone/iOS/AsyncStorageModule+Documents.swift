import Ports

/// What every launch does with the directories of older versions in Documents.
///
/// Source: `RNCAsyncStorage.mm`, `init`. The copy is neither atomic nor synced: a kill in the
/// middle leaves a partial store, which no later launch completes.
extension AsyncStorageModule {
  func migrateDocuments() {
    let current = "\(layout.documents)/RCTAsyncLocalStorage_V1"
    if let old = newestOldDirectory() {
      moveWithinDocuments(old, to: current)
    }
    // The twin in Documents is kept, and copied again whenever the new directory is missing.
    if isDirectory(current), files.kind(of: layout.storage) == nil {
      copy(current, to: layout.storage)
    }
  }

  /// Of two old directories the one whose manifest is older is deleted.
  private func newestOldDirectory() -> String? {
    let plain = "\(layout.documents)/RNCAsyncLocalStorage_V1"
    let expo = "\(layout.documents)/RCTAsyncLocalStorage"
    switch (isDirectory(plain), isDirectory(expo)) {
    case (true, true):
      let plainIsNewer = isNewer(plain, than: expo)
      remove(plainIsNewer ? expo : plain)
      return plainIsNewer ? plain : expo
    case (true, false): return plain
    case (false, true): return expo
    case (false, false): return nil
    }
  }

  private func moveWithinDocuments(_ old: String, to current: String) {
    if files.kind(of: current) != nil {
      guard !isNewer(current, than: old) else {
        remove(old)
        return
      }
      guard remove(current) else { return }
    }
    if copy(old, to: current) { remove(old) }
  }

  private func isDirectory(_ path: String) -> Bool { files.kind(of: path) == .directory }

  /// A missing manifest has no date, and a comparison with none says "same".
  private func isNewer(_ one: String, than other: String) -> Bool {
    guard let first = modifiedNs(one), let second = modifiedNs(other) else { return false }
    return first > second
  }

  private func modifiedNs(_ directory: String) -> Int64? {
    do {
      return try files.status("\(directory)/manifest.json").modifiedNs
    } catch {
      return nil
    }
  }

  @discardableResult
  private func remove(_ path: String) -> Bool {
    do {
      try files.removeTree(path)
      return true
    } catch {
      console.warn("Failed to remove old storage directory during migration: \(error)")
      return false
    }
  }

  @discardableResult
  private func copy(_ directory: String, to target: String) -> Bool {
    do {
      try files.makeDirectories(Path.directory(of: target), permissions: 0o755)
      try copyTree(directory, to: target)
      return true
    } catch {
      console.warn(
        "Failed to copy old storage directory to new storage directory location during "
          + "migration: \(error)")
      return false
    }
  }

  private func copyTree(_ path: String, to target: String) throws(FileError) {
    guard try files.status(path).kind == .directory else {
      let bytes = try files.contents(of: path)
      let file = try files.open(target, .createNew, permissions: 0o644)
      defer { files.close(file) }
      return try files.writeAll(bytes, to: file)
    }
    try files.makeDirectory(target, permissions: 0o755)
    for name in try files.list(path) { try copyTree("\(path)/\(name)", to: "\(target)/\(name)") }
  }
}
