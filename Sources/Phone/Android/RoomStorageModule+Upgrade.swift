import Ports

/// How a Room database starts from the file of another one.
///
/// Source: androidx Room, `SQLiteCopyOpenHelper`, with `createFromFile`.
extension RoomStorageModule {
  /// Copies `RKStorage` to `AsyncStorage`, if there is one and not the other.
  ///
  /// Only the main file is copied: what a journal would take back, or a WAL holds, is not. The copy
  /// is written aside, synced, and renamed; neither directory is synced. A kill before the rename
  /// leaves the file aside for good, and the next launch copies again; after it, the next launch
  /// migrates what is there.
  ///
  /// An `AsyncStorage` that is there is never copied over, even when it is empty because the first
  /// launch was cut while it made one.
  ///
  /// - Throws: `FileError`; the file aside may be left.
  func prepareFile() throws(FileError) {
    let target = AndroidLayout.asyncStorage
    guard upgrades, files.kind(of: target) == nil else { return }
    let bytes = try files.contents(of: AndroidLayout.rkStorage)
    let aside = "\(AndroidLayout.cache)/room-copy-helper\(randomNumber).tmp"
    // `createTempFile` makes it, and it is opened again to be written.
    files.close(try files.open(aside, .createNew, permissions: 0o600))
    try write(bytes, to: aside)
    try files.makeDirectories(AndroidLayout.databases, permissions: 0o771)
    try files.rename(aside, to: target)
  }

  private func write(_ bytes: [UInt8], to path: String) throws(FileError) {
    let file = try files.open(path, .replace, permissions: 0o600)
    defer { files.close(file) }
    try files.writeAll(bytes, to: file)
    try files.sync(file)
  }

  private var randomNumber: UInt64 {
    entropy.bytes(8).reduce(0) { $0 << 8 | UInt64($1) }
  }
}
