import Chaos
import Linux
import Machine
import Phone
import Ports
import Session
import Simulation

/// A folder of this machine in place of a phone's storage, with the phone's service in this process.
final class DiskPlace: StoragePlace {
  static let name = "disk"

  private let folder: String
  private let clock = FixedClock(startMs: HostedPlace.setup(.ios).clockStartMs)

  var name: String { Self.name }
  var nowMs: Int64 { clock.nowMs }

  /// - Parameter scratch: A folder that this makes; the caller removes it.
  /// - Throws: `SystemError` when it cannot be made.
  init(in scratch: String) throws {
    try Files.makeDirectory(scratch)
    folder = "\(scratch)/disk"
  }

  func launch(_ phone: PhoneKind, _ store: StoreKind) throws -> any HostedApp {
    if Files.exists(folder) { try Files.removeTree(folder) }
    try Files.makeDirectory(folder)
    let seed = StorageSuite.seed
    let ports = PhonePorts(
      files: PosixFileSystem(root: folder, databaseSeed: seed),
      entropy: SeededEntropy(seed: seed, stream: phone.serviceName), clock: clock,
      console: SilentConsole())
    for effect in try phone.phone([:]).setUp(entropy: ports.entropy) {
      try effect.setUp(on: ports.files)
    }
    return try DiskApp(phone, store, on: ports, folder)
  }

  func advanceClock(byMs step: Int64) { clock.nowMs += step }

  func effort() -> StorageEffort? { nil }
}

/// An app in this process, over the files of a folder.
private final class DiskApp: HostedApp {
  private let simulator = Simulator(Choices(GivenOrder([])), interleaving: .beforeCalls)
  private let process: SimulatedProcess
  private let app: ReferenceApp
  private let service: any PhoneService

  let isRunning = true

  init(_ phone: PhoneKind, _ store: StoreKind, on ports: PhonePorts, _ folder: String) throws {
    process = simulator.process("app")
    service = try phone.service(on: ports, lockState: .unlocked, PhoneLaunch())
    // There is no lab to tell.
    let points = MountTracePoints(root: folder)
    let modules = try phone.modules(
      on: ports, daemon: NeighbouringService(service), points: points, crashes: process,
      PhoneLaunch())
    app = try ReferenceApp(
      store,
      StorePorts(
        secure: process.secureStorage(over: modules.secure),
        plain: process.plainStorage(over: modules.plain),
        entropy: SeededEntropy(seed: StorageSuite.seed, stream: "session"),
        console: ports.console, trace: points),
      clock: ports.clock)
  }

  func perform(_ words: [String], atMs now: Int64) -> AppReply {
    let command: AppCommand
    do {
      command = try AppCommand(words: words)
    } catch {
      return .ended("\(error)")
    }
    var result: AppResult?
    process.spawn("main") { [app] in result = await app.run(command) }
    _ = simulator.run()
    return result.map { .result($0) } ?? .noAnswer
  }

  func end() { service.stop() }
}
