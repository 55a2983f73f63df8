import Device
import JSON
import Machine
import Phone
import Ports
import Session
import Simulation
import Zoo

/// One launch of the reference app on a simulated phone.
final class SimulatedApp: HostedApp {
  let number: ProcessNumber
  private let box: DeviceBox
  private let clock: FixedClock
  private let app: ReferenceApp
  private let crashes: NotedCrash
  private let service: CountingDaemon
  private unowned let phone: SimulatedPhone
  private let simulator = Simulator(
    Choices(GivenOrder([])), interleaving: SimulatedPhone.interleaving)
  private let process: SimulatedProcess

  init(
    _ number: ProcessNumber, _ launch: AppLaunch, _ setup: PhoneSetup, launchCount: Int,
    on phone: SimulatedPhone, _ acknowledgements: AcknowledgementLines
  ) throws(PhoneHostError) {
    self.number = number
    self.phone = phone
    box = phone.box
    process = simulator.process("app") { [box] in box.isAlive(number) }
    clock = FixedClock(startMs: phone.nowMs)
    do {
      let modules = try phone.modules(for: number, in: process, clock, setup, launchCount)
      crashes = modules.crashes
      service = modules.service
      app = try ReferenceApp(
        KnownStores.known(launch.store), modules.ports, clock: clock,
        log: LivingSink(acknowledgements, modules.points),
        launch.appSettings(launchCount: launchCount), state: launch.state)
    } catch let error as PhoneHostError {
      throw error
    } catch {
      throw .refused("\(error)")
    }
  }

  var isRunning: Bool { box.isAlive(number) }

  func perform(_ words: [String], atMs now: Int64) -> AppReply {
    guard isRunning else { return .killed }
    defer { phone.noteModuleLosses() }
    clock.nowMs = now
    let command: AppCommand
    do {
      command = try AppCommand(words: words)
    } catch {
      return .ended("\(error)")
    }
    var result: AppResult?
    simulator.choices = phone.choices(for: command)
    process.spawn("main") { [app, process] in result = await app.run(command, with: process) }
    let outcome = simulator.run()
    if let exception = crashes.exception { return .ended(exception) }
    guard isRunning else { return .killed }
    if let divergence = simulator.choices.finish() { return .ended("\(divergence)") }
    guard outcome == .finished, var result else { return .noAnswer }
    result.serviceCallCount = service.takeCount()
    return .result(result)
  }

  func end() { box.end(number) }
}

/// What one launch of an app may touch on a simulated phone.
struct LaunchedModules {
  let ports: StorePorts
  let points: BoxTracePoints
  let service: CountingDaemon
  let crashes: NotedCrash
}

extension SimulatedPhone {
  /// Loads the phone's native modules into a process of an app.
  ///
  /// - Throws: ``PhoneHostError/refused(_:)`` when the settings make no modules.
  func modules(
    for number: ProcessNumber, in process: SimulatedProcess, _ clock: any WallClock,
    _ setup: PhoneSetup, _ launchCount: Int
  ) throws(PhoneHostError) -> LaunchedModules {
    let seed = (setup.seed ?? 0) &+ UInt64(launchCount)
    var start = PhoneLaunch()
    start.chosen = setup.chosen
    start.processNumber = Int32(1000 + launchCount)
    let service = CountingDaemon(PhoneDaemon(self, number))
    let (points, crashes) = (BoxTracePoints(box, number), NotedCrash(box, number))
    let files = PhonePorts(
      files: DeviceFileSystem(box, process: number, databaseSeed: seed),
      entropy: SeededEntropy(seed: seed, stream: "temporary names"), clock: clock,
      console: SilentConsole())
    do {
      let modules = try setup.kind.modules(
        on: files, daemon: service, points: points, crashes: crashes, start)
      var ports = StorePorts(
        secure: process.secureStorage(
          over: witness?.secure(over: modules.secure) ?? modules.secure),
        plain: process.plainStorage(over: witness?.plain(over: modules.plain) ?? modules.plain),
        entropy: SeededEntropy(seed: seed, stream: "session"), console: SilentConsole(),
        trace: points)
      ports.crash = crashes.crash
      ports.clock = clock
      return LaunchedModules(ports: ports, points: points, service: service, crashes: crashes)
    } catch {
      throw .refused("\(error)")
    }
  }
}

extension KnownStores {
  /// - Throws: ``PhoneHostError/refused(_:)`` when there is no such store.
  static func known(_ name: String) throws(PhoneHostError) -> StoreKind {
    guard let kind = named(name) else { throw .refused("no store '\(name)'") }
    return kind
  }
}

/// The channel from the app to the phone's service; it closes with the app.
private final class PhoneDaemon: SystemDaemon {
  private unowned let phone: SimulatedPhone
  private let process: ProcessNumber

  init(_ phone: SimulatedPhone, _ process: ProcessNumber) {
    self.phone = phone
    self.process = process
  }

  func call(_ request: String) async throws(DaemonUnavailable) -> String {
    guard phone.box.isAlive(process) else { throw DaemonUnavailable(reason: "the app has ended") }
    let answer = phone.exchange(request)
    phone.onServiceRest?()
    guard let answer else {
      throw DaemonUnavailable(reason: "no service answers")
    }
    return answer
  }
}

/// Takes notes of an app for as long as it lives.
private final class LivingSink: AcknowledgementSink {
  private let lines: AcknowledgementLines
  private let points: BoxTracePoints

  init(_ lines: AcknowledgementLines, _ points: BoxTracePoints) {
    self.lines = lines
    self.points = points
  }

  func append(_ line: String) throws(AcknowledgementFailure) {
    guard points.isAlive else { throw AcknowledgementFailure(reason: "the app has ended") }
    lines.append(line)
  }
}

/// What ended the app from within; said as the mounted tier does. Code that still runs after the end of
/// its process ends nothing any more.
final class NotedCrash: CrashHandler {
  private let box: DeviceBox
  private let process: ProcessNumber
  private(set) var exception: String?

  init(_ box: DeviceBox, _ process: ProcessNumber) {
    self.box = box
    self.process = process
  }

  func crash(_ exception: String) {
    guard box.isAlive(process) else { return }
    self.exception = "exit code \(ProcessCrash.exitCode)"
    box.end(process)
  }
}
