import JSON
import Machine
import Phone
import Ports

/// The keychain's service as a process: `system-daemon --root DIR --socket PATH`.
///
/// It says `ready` on standard output when it listens, and serves until it is told to quit or is
/// killed. Requests and answers: ``KeychainRequest``, ``KeychainAnswer``.
enum SystemDaemonCommand {
  private static let options =
    ["root", "socket", "lock-state", "seed", "clock-start"] + IOSSettings.knobs.map(\.name)

  static func run(_ arguments: [String]) throws {
    let options = try Options(arguments, allowed: options)
    guard options.rest.isEmpty else { throw UsageError("too many words: \(options.rest[0])") }
    let seed = try options.number("seed", as: UInt64.self)
    var settings = try options.phoneSettings()
    settings.keychain.databaseSeed = seed.map { UInt32(truncatingIfNeeded: $0) }
    let service = KeychainService(
      files: PosixFileSystem(root: try options.required("root")),
      entropy: Inputs.entropy(seed: seed, stream: "keychain"),
      clock: Inputs.clock(startMs: try options.number("clock-start")),
      console: StandardErrorConsole(), settings: settings.keychain,
      lockState: try options.word("lock-state") ?? .unlocked)
    let points = MountTracePoints(root: try options.required("root"))
    let server = try RequestServer(path: try options.required("socket"))
    StandardStream.output.write("ready\n")
    try server.serve(
      { answer($0, service, points) },
      afterwards: { service.finish() })
    service.stop()
  }

  private static func answer(
    _ text: String, _ service: KeychainService, _ points: MountTracePoints
  ) -> (text: String, next: RequestServer.Next) {
    do {
      let request = try KeychainRequest(text)
      let answer = service.answer(request)
      if request.changesItems, answer.status == .success { points.reach(.itemCommitted) }
      return (answer.text, request == .quit ? .stop : .goOn)
    } catch {
      StandardErrorConsole().error("keychain: bad request: \(error)")
      return (KeychainAnswer(.parameter).text, .goOn)
    }
  }
}
