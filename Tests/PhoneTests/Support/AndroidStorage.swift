import Foundation
import Machine
import Phone
import Ports
import SQLite
import TestSupport

/// The blob half of an Android phone, in a directory of this machine.
final class AndroidStorage {
  let scratch: Scratch
  let journal = Journal()
  let console = SilentConsole()
  let crashes = CrashRecorder()
  /// The files as they are.
  let bare: PosixFileSystem
  /// The files as the app's current process sees them.
  private(set) var files: NotedFileSystem
  var settings = AndroidStorageSettings()
  private var launchCount: UInt64 = 0

  init() throws {
    scratch = try Scratch()
    bare = PosixFileSystem(root: scratch.path)
    files = NotedFileSystem(bare, journal)
    try FileManager.default.createDirectory(
      at: url(AndroidLayout.cache), withIntermediateDirectories: true)
  }

  /// A new process of the app with AsyncStorage 2.
  func launchTwo() -> RKStorageModule {
    prepareLaunch()
    return RKStorageModule(
      files: files, points: NotedPoints(journal), console: console, crashes: crashes,
      settings: settings)
  }

  /// A new process of the app with the default export of AsyncStorage 3.
  func launchThree() -> RoomStorageModule {
    prepareLaunch()
    return RoomStorageModule(
      files: files, entropy: SeededEntropy(seed: launchCount, stream: "temporary names"),
      points: NotedPoints(journal), console: console, settings: settings)
  }

  /// A new process of the app with a storage that `createAsyncStorage` made.
  func launchScoped() -> ScopedStorageModule {
    prepareLaunch()
    return ScopedStorageModule(
      files: files, points: NotedPoints(journal), console: console, settings: settings)
  }

  private func prepareLaunch() {
    launchCount += 1
    files = NotedFileSystem(bare, journal)
  }

  /// The phone as a kill at this moment leaves it.
  func killed() throws -> AndroidStorage {
    let left = try AndroidStorage()
    left.settings = settings
    try FileManager.default.removeItem(at: left.url("/data"))
    try FileManager.default.copyItem(at: url("/data"), to: left.url("/data"))
    return left
  }

  // MARK: The disk behind the app's back

  func url(_ path: String) -> URL { URL(filePath: scratch.path + path) }

  func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: url(path).path) }

  func size(_ path: String) throws -> Int { try bare.status(path).sizeBytes }

  func bytes(of path: String) throws -> [UInt8] { Array(try Data(contentsOf: url(path))) }

  func names(in path: String) throws -> [String] { try bare.list(path) }

  func put(_ bytes: [UInt8], at path: String) throws {
    try FileManager.default.createDirectory(
      at: url(path).deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: url(path))
  }

  func remove(_ path: String) throws { try FileManager.default.removeItem(at: url(path)) }

  func copy(_ path: String, to target: String) throws {
    try FileManager.default.copyItem(at: url(path), to: url(target))
  }

  func connect(_ path: String) throws -> Connection { try Connection(url(path).path) }

  /// Moves what is in a WAL into the main file.
  func checkpoint(_ path: String) throws {
    _ = try connect(path).value("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /// Writes nonsense over a file from a page on; pages count from 1.
  func damage(_ path: String, fromPage page: Int) throws {
    var bytes = try bytes(of: path)
    for index in bytes.indices.dropFirst((page - 1) * 4096) { bytes[index] = 0xff }
    try put(bytes, at: path)
  }

  /// Leaves `RKStorage`, which has ``longValue`` under `k`, as a kill does that comes after a
  /// transaction wrote ``otherLongValue`` into the main file and before it was committed: with a
  /// hot journal.
  func killedInTransaction() async throws -> AndroidStorage {
    let keys = ["k"] + (0..<50).map { "filler \($0)" }
    try await launchTwo().multiSet(keys.map { ($0, longValue) })
    let connection = try connect(AndroidLayout.rkStorage)
    try connection.setJournalMode(.truncate)
    try connection.run("PRAGMA cache_size=1")
    try connection.run("BEGIN EXCLUSIVE")
    try connection.run("UPDATE catalystLocalStorage SET value = ?", .text(otherLongValue))
    return try killed()
  }
}

/// Notes the exceptions that ended the app.
final class CrashRecorder: CrashHandler {
  private(set) var exceptions: [String] = []

  func crash(_ exception: String) {
    exceptions.append(exception)
  }
}

extension NativeError {
  /// What any call rejects with in AsyncStorage 3.
  static func three(_ message: String) -> NativeError {
    NativeError(code: "AsyncStorageError", message: message)
  }
}
