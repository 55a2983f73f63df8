import Ports

/// Foundation's "write atomically": a temporary file, synced, and renamed over the target.
///
/// The content is durable when this returns, as far as `fsync(2)` makes it so (no F_FULLFSYNC);
/// the name is not, because nobody syncs the directory. The attribute that notes the encoding is
/// set after the sync, and what it fails with is ignored. Source: swift-foundation `Data+Writing.swift`, traced on Linux.
struct AtomicWrite {
  private static let permissions: UInt16 = 0o600
  private static let attemptCount = 7
  private static let encodingAttribute = "com.apple.TextEncoding"
  private static let encodingValue = Array("utf-8;134217984".utf8)

  let files: any FileSystem
  let entropy: any Entropy
  let settings: AsyncStorageSettings
  /// Where item-replacement directories are made.
  let temporaryDirectory: String

  /// - Throws: `FileError`; the target is as before, and the temporary file is gone unless
  ///   removing it failed too.
  func write(_ bytes: [UInt8], to path: String) throws(FileError) {
    let place = try makePlace(for: path)
    do {
      try fill(place.file, bytes)
      try files.rename(place.path, to: path)
      files.close(place.file)
    } catch {
      files.close(place.file)
      discard(place)
      throw error
    }
    if let directory = place.directory { removeQuietly(directory) }
  }

  private struct Place {
    var file: FileHandleID
    var path: String
    /// The directory that was made for this file alone.
    var directory: String?
  }

  private func makePlace(for path: String) throws(FileError) -> Place {
    switch settings.temporaryFile {
    case .sibling:
      let process = String(settings.processNumber, radix: 16, uppercase: true)
      let prefix = "\(Path.directory(of: path))/.dat.nosync\(process)."
      let (file, name) = try withFreshName(prefix) { (name) throws(FileError) in
        try files.open(name, .createNew, permissions: Self.permissions)
      }
      return Place(file: file, path: name)
    case .itemReplacement:
      try files.makeDirectories(temporaryDirectory, permissions: 0o700)
      let prefix = "\(temporaryDirectory)/NSIRD_demo_"
      let (_, directory) = try withFreshName(prefix) { (name) throws(FileError) in
        try files.makeDirectory(name, permissions: 0o700)
      }
      let name = "\(directory)/\(Path.name(of: path))"
      do {
        let file = try files.open(name, .createNew, permissions: Self.permissions)
        return Place(file: file, path: name, directory: directory)
      } catch {
        removeQuietly(directory)
        throw error
      }
    }
  }

  private func fill(_ file: FileHandleID, _ bytes: [UInt8]) throws(FileError) {
    try files.writeAll(bytes, to: file)
    if settings.syncsFiles { try files.sync(file) }
    do {
      try files.setAttribute(Self.encodingAttribute, Self.encodingValue, of: file)
    } catch {
      // Foundation ignores every error of an attribute.
      return
    }
  }

  /// Draws six letters or digits until the name is free, as `mkstemp(3)` does.
  private func withFreshName<Result>(
    _ prefix: String, _ body: (String) throws(FileError) -> Result
  ) throws(FileError) -> (Result, String) {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
    var attempt = 1
    while true {
      let drawn = entropy.bytes(6).map { letters[Int($0) % letters.count] }
      let name = prefix + String(drawn)
      do {
        return (try body(name), name)
      } catch {
        guard error.code == FileError.exists, attempt < Self.attemptCount else { throw error }
        attempt += 1
      }
    }
  }

  /// Foundation does not report what happens to the temporary file of a failed write.
  private func discard(_ place: Place) {
    do {
      try files.unlink(place.path)
      if let directory = place.directory { removeQuietly(directory) }
    } catch {
      // The file stays behind, as it does on the phone.
      return
    }
  }

  private func removeQuietly(_ directory: String) {
    do {
      try files.removeDirectory(directory)
    } catch {
      // The target is in place, or its failure is on the way to the caller; an empty directory
      // under `tmp` is the system's to clear.
      return
    }
  }
}
