import Machine
import Ports
import TestSupport

@testable import Phone

/// The key half of an Android phone in a directory of this machine, with everything that happens to
/// it noted.
final class AndroidTestPhone {
  let scratch: Scratch
  let journal = Journal()
  let console = SilentConsole()
  var settings = AndroidSettings()
  /// The files as they are.
  let bare: PosixFileSystem
  /// The files as the app's current process sees them.
  private(set) var files: NotedFileSystem
  private(set) var daemon: LocalKeystore

  static let main = AndroidLayout.secureStore
  static let backup = "\(main).bak"

  init() throws {
    scratch = try Scratch()
    bare = PosixFileSystem(root: scratch.path)
    files = NotedFileSystem(bare, journal)
    daemon = LocalKeystore(journal)
    try bare.makeDirectories(AndroidLayout.data, permissions: 0o700)
    startDaemon()
  }

  /// Kills the service, if it runs, and starts it anew.
  func startDaemon(lockState: LockState = .unlocked, seed: UInt64 = 1) {
    daemon.service = KeystoreService(
      on: PhonePorts(
        files: bare, entropy: SeededEntropy(seed: seed, stream: "keystore"),
        clock: FixedClock(startMs: 1_700_000_000_000), console: console),
      settings: settings.keystore, lockState: lockState)
  }

  func ask(_ request: KeystoreRequest) -> KeystoreAnswer? { daemon.service?.answer(request) }

  /// A new process of the app: nothing of an earlier one's memory is left.
  func launch() -> SecureStoreModule {
    files = NotedFileSystem(bare, journal)
    return SecureStoreModule(
      daemon: daemon, points: NotedPoints(journal), files: files,
      settings: settings.secureStore, preferences: settings.preferences)
  }

  /// The preferences of a new process.
  func preferences(_ path: String = main) throws(UserLocked) -> SharedPreferences {
    files = NotedFileSystem(bare, journal)
    return try SharedPreferences(path, on: files, settings: settings.preferences)
  }

  // MARK: The disk behind the app's back

  func text(of path: String) throws -> String {
    String(decoding: try bare.contents(of: path), as: UTF8.self)
  }

  func put(_ text: String, at path: String) throws {
    try bare.makeDirectories(Path.directory(of: path), permissions: 0o700)
    let file = try bare.open(path, .replace, permissions: 0o600)
    defer { bare.close(file) }
    try bare.writeAll(Array(text.utf8), to: file)
  }

  func exists(_ path: String) -> Bool { bare.kind(of: path) != nil }
}

// MARK: - SecureStore

extension AndroidTestPhone {
  /// Stores a value in a process of its own, which leaves no notes.
  func set(_ value: String, _ name: String = "k") async throws {
    try await launch().setItem(name, to: value)
    _ = journal.take()
  }

  /// What the next launch would load.
  var stored: PreferencesMap { SharedPreferences.peek(Self.main, on: bare) }

  /// The text of an entry that the next launch would load.
  func entry(_ name: String = "key_v1-k") -> String? {
    guard case .text(let text) = stored[name] else { return nil }
    return text
  }

  /// Puts entries where the next launch finds them.
  func store(_ entries: KeyValuePairs<String, String>) throws {
    var map = PreferencesMap()
    for (name, text) in entries { map[name] = .text(text) }
    try put(String(decoding: PreferencesXML.bytes(of: map), as: UTF8.self), at: Self.main)
  }
}

extension NativeError {
  /// How a function of SecureStore rejects on Android.
  static func secureStore(_ code: String, _ function: String, _ cause: String) -> NativeError {
    NativeError(
      code: code,
      message: "Call to function 'ExpoSecureStore.\(function)' has been rejected.\n"
        + "→ Caused by: \(cause)")
  }
}

/// The keystore's service in this process, with a note of every request and its status.
final class LocalKeystore: SystemDaemon {
  private let journal: Journal
  var service: KeystoreService?
  /// Asked before every request; a status answers in place of the service.
  var refuse: (KeystoreRequest) -> KeystoreStatus? = { _ in nil }

  init(_ journal: Journal) {
    self.journal = journal
  }

  func call(_ request: String) async throws(DaemonUnavailable) -> String {
    guard let service else { throw DaemonUnavailable(reason: "stopped") }
    let parsed: KeystoreRequest
    do {
      parsed = try KeystoreRequest(request)
    } catch {
      throw DaemonUnavailable(reason: "bad request: \(error)")
    }
    let answer = refuse(parsed).map { KeystoreAnswer($0) } ?? service.answer(parsed)
    journal.note("\(Self.word(for: parsed)) \(answer.status.rawValue)")
    return answer.text
  }

  private static func word(for request: KeystoreRequest) -> String {
    switch request {
    case .generateKey: "generateKey"
    case .contains: "contains"
    case .encrypt: "encrypt"
    case .decrypt: "decrypt"
    case .deleteKey: "deleteKey"
    default: request.text
    }
  }
}
