import Ports

/// The storage of the user is not open before the first unlock; the framework refuses with an
/// `IllegalStateException`.
struct UserLocked: Error {
  static let text =
    "SharedPreferences in credential encrypted storage are not available until after user "
    + "(id 0) is unlocked"
}

/// One file of preferences in one launch of the app, as `SharedPreferencesImpl` keeps it.
///
/// The whole map is in memory, is changed there first, and is written whole. A writer sets the old
/// file aside as `.bak`, writes a new one, syncs it and removes the `.bak`; a loader that finds a
/// `.bak` takes it for the truth. So a write is done when the `.bak` is gone, and not before:
///
/// - A kill before that brings back the old values, even when the new file is complete.
/// - The directory is never synced: a power cut may bring the `.bak`, and with it the old values,
///   back after `commit` has returned true.
/// - The very first write has no `.bak`: a kill in it leaves a cut file.
///
/// A file that cannot be read or parsed is an empty map, and no error. Memory is not rolled back
/// after a failed write, so this process reads the new values and the next one the old.
///
/// `apply` writes on a thread of its own some 100 ms later. Here its write waits until the next
/// `commit`, which goes behind it in the same queue, or until ``finishQueued()``.
///
/// Left out, because nothing can be seen of it: `chmod` after the write (the file is made with its
/// mode), and the `stat` by which processes that share a file would notice each other.
final class SharedPreferences {
  enum Edit {
    case put(String, String)
    case remove(String)

    var name: String {
      switch self {
      case .put(let name, _), .remove(let name): name
      }
    }
  }

  /// A state of the memory that is to be written.
  private struct Write {
    var map: PreferencesMap
    var generation: Int
    var isCommit: Bool
  }

  private let path: String
  private let backup: String
  private let files: any FileSystem
  private let settings: PreferencesSettings

  private(set) var map: PreferencesMap
  private var memoryGeneration = 0
  private var diskGeneration = 0
  private var queued: [Write] = []

  /// Loads the file; a `.bak` replaces it first.
  ///
  /// - Throws: ``UserLocked``; nothing was touched.
  init(
    _ path: String, on files: any FileSystem, settings: PreferencesSettings
  ) throws(UserLocked) {
    let backup = Self.backup(of: path)
    self.path = path
    self.backup = backup
    self.files = files
    self.settings = settings
    let hasBackup = files.kind(of: backup) != nil
    guard Self.isOpen(hasBackup ? backup : path, on: files) else { throw UserLocked() }
    if hasBackup {
      _ = Self.succeeds { () throws(FileError) in try files.unlink(path) }
      _ = Self.succeeds { () throws(FileError) in try files.rename(backup, to: path) }
    }
    map = Self.loaded(path, on: files)
  }

  /// What the next launch would load, without touching anything.
  static func peek(_ path: String, on files: any FileSystem) -> PreferencesMap {
    let backup = backup(of: path)
    return loaded(files.kind(of: backup) == nil ? path : backup, on: files)
  }

  /// The text under a name; a value of another type counts as none.
  func text(_ name: String) -> String? {
    guard case .text(let text) = map[name] else { return nil }
    return text
  }

  /// Changes the memory, then writes it.
  ///
  /// - Returns: Whether the disk holds what the memory holds. Without a change since the last
  ///   write it is not written, unless there is no file.
  func commit(_ edits: [Edit]) -> Bool {
    change(edits, isCommit: true)
    return finishQueued()
  }

  /// Changes the memory; the write follows.
  func apply(_ edits: [Edit]) {
    change(edits, isCommit: false)
  }

  /// Writes what ``apply(_:)`` left to be written.
  ///
  /// - Returns: Whether the last of the writes succeeded.
  @discardableResult
  func finishQueued() -> Bool {
    let writes = queued
    queued = []
    return writes.reduce(true) { _, next in write(next) }
  }

  private func change(_ edits: [Edit], isCommit: Bool) {
    var isChanged = false
    for edit in edits {
      let value: PreferenceValue? = if case .put(_, let text) = edit { .text(text) } else { nil }
      guard map[edit.name] != value else { continue }
      map[edit.name] = value
      isChanged = true
    }
    if isChanged { memoryGeneration += 1 }
    queued.append(Write(map: map, generation: memoryGeneration, isCommit: isCommit))
  }
}

// MARK: - The file

extension SharedPreferences {
  private static let directoryPermissions: UInt16 = 0o771
  private static let permissions: UInt16 = 0o660

  /// `writeToFile`
  private func write(_ write: Write) -> Bool {
    if files.kind(of: path) != nil {
      let isNewer = diskGeneration < write.generation
      // Of several applied states only the latest is worth a write.
      guard isNewer, write.isCommit || write.generation == memoryGeneration else { return true }
      guard setAside() else { return false }
    }
    guard let file = create() else { return false }
    let isWritten = Self.succeeds { () throws(FileError) in
      defer { files.close(file) }
      try files.writeAll(PreferencesXML.bytes(of: write.map), to: file)
      do throws(FileError) {
        try files.sync(file)
      } catch {
        if settings.syncError == .fails { throw error }
      }
    }
    guard isWritten else {
      _ = Self.succeeds { () throws(FileError) in try files.unlink(path) }
      return false
    }
    _ = Self.succeeds { () throws(FileError) in try files.unlink(backup) }
    diskGeneration = write.generation
    return true
  }

  /// Leaves the old values in the `.bak` only. One that is there already holds the older, sound
  /// values of a write that failed.
  private func setAside() -> Bool {
    guard files.kind(of: backup) == nil else {
      _ = Self.succeeds { () throws(FileError) in try files.unlink(path) }
      return true
    }
    return Self.succeeds { () throws(FileError) in try files.rename(path, to: backup) }
  }

  /// Whatever the failure is, it is taken for a missing directory first.
  private func create() -> FileHandleID? {
    if let file = opened() { return file }
    let isMade = Self.succeeds { () throws(FileError) in
      try files.makeDirectory(Path.directory(of: path), permissions: Self.directoryPermissions)
    }
    return isMade ? opened() : nil
  }

  private func opened() -> FileHandleID? {
    do {
      return try files.open(path, .replace, permissions: Self.permissions)
    } catch {
      return nil
    }
  }

  private static func backup(of path: String) -> String { "\(path).bak" }

  private static func loaded(_ path: String, on files: any FileSystem) -> PreferencesMap {
    do {
      return try PreferencesXML.map(from: try files.contents(of: path))
    } catch {
      return PreferencesMap()
    }
  }

  /// Whether the lock state lets the file be opened; a missing one is no hindrance.
  private static func isOpen(_ path: String, on files: any FileSystem) -> Bool {
    do {
      files.close(try files.open(path, .read, permissions: 0))
      return true
    } catch {
      return error.code != FileError.notPermitted && error.code != FileError.noAccess
    }
  }

  /// The calls of `java.io.File`: a failure is an answer, and its reason is lost.
  private static func succeeds(_ body: () throws(FileError) -> Void) -> Bool {
    do {
      try body()
      return true
    } catch {
      return false
    }
  }
}
