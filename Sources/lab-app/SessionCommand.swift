import Glibc
import JSON
import Machine
import Phone
import Ports
import Session

/// One launch of the reference app: `session --root DIR --daemon SOCKET --store KIND COMMAND…`.
///
/// Prints its result as one line of JSON on standard output, warnings on standard error.
enum SessionCommand {
  private static let options =
    [
      "root", "daemon", "store", "name", "user", "size", "sdk", "size-rule", "seed", "clock-start",
      "pid", "ack", "launch",
    ] + IOSSettings.knobs.map(\.name)

  static func run(_ arguments: [String]) throws {
    let options = try Options(arguments, allowed: options)
    let launch = try Launch(options)
    let result = MainExecutor().run { await launch.result() }
    let line = try result.get()
    StandardStream.output.write("\(line)\n")
  }
}

/// What the command line says about a launch. Holds values only, so that everything else is made
/// where it runs.
private struct Launch: Sendable {
  var root: String
  var daemon: String
  var kind: StoreKind
  var command: AppCommand
  var app: AppSettings
  var phone: IOSSettings
  var seed: UInt64?
  var clockStartMs: Int64?
  var acknowledgements: String?

  init(_ options: Options) throws(UsageError) {
    root = try options.required("root")
    daemon = try options.required("daemon")
    let store = try options.required("store")
    guard let kind = StoreKind.named(store) else {
      let allowed = StoreKind.all.map(\.name).joined(separator: " ")
      throw UsageError("no store '\(store)'; allowed: \(allowed)")
    }
    self.kind = kind
    do {
      command = try AppCommand(words: options.rest)
    } catch {
      throw UsageError("\(error)")
    }
    app = try Self.appSettings(options)
    phone = try options.phoneSettings()
    phone.asyncStorage.processNumber = try options.number("pid") ?? getpid()
    seed = try options.number("seed")
    clockStartMs = try options.number("clock-start")
    acknowledgements = options["ack"]
  }

  private static func appSettings(_ options: Options) throws(UsageError) -> AppSettings {
    var settings = AppSettings()
    if let name = options["name"] { settings.sessionItem = name }
    if let user = options["user"] { settings.user = user }
    if let size: SessionText.Size = try options.word("size") { settings.size = size }
    if let rule: SizeRule = try options.word("size-rule") { settings.store.sizeRule = rule }
    if let launch: Int = try options.number("launch") { settings.launch = launch }
    if let text = options["sdk"] {
      guard let version = SDKVersion(text) else {
        throw UsageError("--sdk \(text): not a version such as \(SDKVersion.current)")
      }
      settings.sdk = version
    }
    return settings
  }

  func result() async -> Result<String, LaunchFailure> {
    do {
      return .success(JSONWriter.text(of: try await run().json))
    } catch {
      return .failure(LaunchFailure(description: "\(error)"))
    }
  }

  private func run() async throws -> AppResult {
    let files = PosixFileSystem(root: root)
    let console = StandardErrorConsole()
    let points = MountTracePoints(root: root)
    let sink = try acknowledgements.map { path in try FileAcknowledgements(path: path) }
    let secure = KeychainModule(
      daemon: SocketSystemDaemon(path: daemon), points: points,
      accessibility: phone.accessibility)
    let plain = AsyncStorageModule(
      layout: try layout(files), files: files,
      entropy: Inputs.entropy(seed: seed, stream: "temporary names"), points: points,
      console: console, settings: phone.asyncStorage)
    let ports = StorePorts(
      secure: secure, plain: plain, entropy: Inputs.entropy(seed: seed, stream: "session"),
      console: console, trace: points)
    let app = try ReferenceApp(
      kind, ports, clock: Inputs.clock(startMs: clockStartMs), log: sink, app)
    return await app.run(command)
  }

  /// The container that is there. A directory that was never a phone becomes one by being used.
  private func layout(_ files: PosixFileSystem) throws -> IOSLayout {
    if let layout = try IOSLayout.find(on: files) { return layout }
    do {
      _ = try files.status(IOSLayout.containers)
    } catch {
      guard error.code == FileError.noEntry else { throw error }
      return try IOSLayout(installCount: 1)
    }
    throw LaunchFailure(description: "the app is not installed on this phone; install it first")
  }
}

/// Why the app could not be launched.
private struct LaunchFailure: Error, CustomStringConvertible {
  var description: String
}
