import Ports

/// The databases that apps left behind which ran in the Expo client, one for each experience.
///
/// Source: `AsyncStorageExpoMigration.java`. The copy is neither atomic nor synced: a kill in the
/// middle leaves a cut or empty `RKStorage`, and no later launch tries again. It goes below an open
/// database, which finds out by the counter in the file's header. A journal is neither copied nor
/// deleted.
extension RKStorageModule {
  private static let prefix = "RKStorage-scoped-experience-"

  func takeOverScopedExperience() {
    guard files.kind(of: AndroidLayout.rkStorage) == nil else { return }
    let found = scopedExperiences()
    guard let newest = newest(of: found) else { return }
    do {
      try ensureDatabase()
      try copy(newest, to: AndroidLayout.rkStorage)
    } catch {
      console.warn("Failed to migrate scoped database \(Path.name(of: newest)): \(error)")
      return
    }
    for path in found {
      do {
        try files.unlink(path)
      } catch {
        console.warn("Failed to delete scoped database \(Path.name(of: path))")
      }
    }
  }

  private func scopedExperiences() -> [String] {
    do {
      return try files.list(AndroidLayout.databases)
        .filter { $0.hasPrefix(Self.prefix) && !$0.hasSuffix("-journal") }
        .map { "\(AndroidLayout.databases)/\($0)" }
    } catch {
      return []
    }
  }

  /// Android asks for the time of creation, which its file systems answer with that of the last
  /// change. A file without one is older than all others.
  private func newest(of paths: [String]) -> String? {
    var newest: (path: String, modifiedNs: Int64)?
    for path in paths {
      let modifiedNs = modifiedNs(path)
      if modifiedNs > newest?.modifiedNs ?? -1 { newest = (path, modifiedNs) }
    }
    return newest?.path ?? paths.first
  }

  private func modifiedNs(_ path: String) -> Int64 {
    do {
      return try files.status(path).modifiedNs
    } catch {
      return -1
    }
  }

  private func copy(_ path: String, to target: String) throws(FileError) {
    let bytes = try files.contents(of: path)
    let file = try files.open(target, .replace, permissions: 0o660)
    defer { files.close(file) }
    try files.writeAll(bytes, to: file)
  }
}
