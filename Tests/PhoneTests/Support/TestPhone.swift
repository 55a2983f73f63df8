import Foundation
import Machine
import Phone
import Ports
import TestSupport

/// A phone in a directory of this machine, with everything that happens to it noted.
final class TestPhone {
  let scratch: Scratch
  let journal = Journal()
  let console = SilentConsole()
  let layout: IOSLayout
  var settings: IOSSettings
  /// The files as the app's current process sees them.
  private(set) var files: NotedFileSystem
  /// The files as they are.
  let bare: PosixFileSystem
  var daemon: LocalDaemon
  /// The files as the keychain's service sees them.
  let serviceFiles: NotedFileSystem
  let serviceJournal = Journal()
  private var launchCount: UInt64 = 0

  init(
    _ settings: IOSSettings = IOSSettings(), lockState: LockState = .unlocked,
    databaseSeed: UInt64? = nil
  ) throws {
    var settings = settings
    settings.asyncStorage.processNumber = 0x1a2b
    self.settings = settings
    scratch = try Scratch()
    layout = try IOSLayout(installCount: 1)
    bare = PosixFileSystem(root: scratch.path, databaseSeed: databaseSeed)
    files = NotedFileSystem(bare, journal)
    serviceFiles = NotedFileSystem(bare, serviceJournal)
    daemon = LocalDaemon(
      Self.service(serviceFiles, console, settings, lockState, seed: 1), journal)
  }

  private static func service(
    _ files: any FileSystem, _ console: SilentConsole, _ settings: IOSSettings,
    _ lockState: LockState, seed: UInt64
  ) -> KeychainService {
    KeychainService(
      files: files, entropy: SeededEntropy(seed: seed, stream: "keychain"),
      clock: FixedClock(startMs: 1_700_000_000_000), console: console,
      settings: settings.keychain, lockState: lockState)
  }

  /// Kills the service and starts it anew.
  func restartDaemon(lockState: LockState = .unlocked, seed: UInt64 = 2) {
    daemon = LocalDaemon(
      Self.service(serviceFiles, console, settings, lockState, seed: seed), journal)
  }

  func ask(_ request: KeychainRequest) -> KeychainAnswer? {
    defer { daemon.service?.finish() }
    return daemon.service?.answer(request)
  }

  /// A new process of the app: nothing of an earlier one's memory is left.
  func launch() -> AsyncStorageModule {
    launchCount += 1
    files = NotedFileSystem(bare, journal)
    return AsyncStorageModule(
      layout: layout, files: files,
      entropy: SeededEntropy(seed: launchCount, stream: "temporary names"),
      points: NotedPoints(journal), console: console, settings: settings.asyncStorage)
  }

  func keychain() -> KeychainModule {
    KeychainModule(
      daemon: daemon, points: NotedPoints(journal), accessibility: settings.accessibility,
      updateSetsAccessibility: settings.updateSetsAccessibility)
  }

  // MARK: The disk behind the app's back

  func text(of path: String) throws -> String {
    String(decoding: try Data(contentsOf: url(path)), as: UTF8.self)
  }

  func put(_ bytes: [UInt8], at path: String) throws {
    let url = url(path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: url)
  }

  func put(_ text: String, at path: String) throws {
    try put(Array(text.utf8), at: path)
  }

  func url(_ path: String) -> URL { URL(filePath: scratch.path + path) }

  func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: scratch.path + path)
  }

  func names(in path: String) throws -> [String] { try bare.list(path) }
}

/// A value that gets a file of its own.
let longValue = String(repeating: "0123456789abcdef", count: 100)
let otherLongValue = String(repeating: "fedcba9876543210", count: 100)
