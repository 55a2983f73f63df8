import Device
import Linux
import Mount
import Phone

/// The service of the phone's keys, as a process.
extension PhoneHost {
  package func stopService() {
    guard let service = service.withLock({ $0 }) else { return }
    mounted.kill(service.number)
    _ = try? service.child.wait(timeoutMs: 5_000)
    self.service.withLock { $0 = nil }
  }

  var runningService: SystemService? {
    service.withLock { service in service.flatMap { $0.isRunning ? $0 : nil } }
  }

  package var isServiceRunning: Bool { runningService != nil }

  package var isServiceFree: Bool {
    guard let number = runningService?.number else { return true }
    return !mounted.held.contains { $0.process == number }
  }

  package func ask(_ request: String) throws(PhoneHostError) -> String {
    try readyService().ask(request)
  }

  /// The service; started again when it has died, as launchd does.
  func readyService() throws(PhoneHostError) -> SystemService {
    if let running = runningService { return running }
    try startService()
    guard let started = runningService else { throw .service("ended right after its start") }
    return started
  }

  /// What follows an answer is a checkpoint, for example. A service that is dying is waited for, too.
  package func waitUntilServiceRests() {
    guard let service = runningService else { return }
    if (try? service.ask(ServiceRequest.ping)) == nil {
      _ = try? service.child.wait(timeoutMs: 5_000)
    }
  }

  private var serviceName: String { state.withLock { $0.setup.kind.serviceName } }

  /// Where the phone's service listens.
  var socketPath: String { "\(runtimeDirectory)/\(serviceName).sock" }

  package func startService() throws(PhoneHostError) {
    noteCuts()
    let (service, output) = try spawnService()
    guard let line = try? output.read(count: 64), !line.isEmpty else {
      throw .service("did not start")
    }
    self.service.withLock { $0 = service }
  }

  /// Only the child keeps the writing end of the pipe, so that its death ends a read.
  private func spawnService() throws(PhoneHostError) -> (SystemService, Descriptor) {
    let socketPath = socketPath
    return try Self.system { () throws(SystemError) in
      let (output, writing) = try Descriptor.pipe()
      var launch = ChildProcess.Launch(serviceCommand(socketPath))
      // On a phone of the lab's own, what the service complains of is what the case provokes.
      let isLive = state.withLock { $0.setup.seed == nil }
      launch.descriptors = [nil, writing, isLive ? .standardError : nil]
      launch.leavesTerminal = true
      let (number, child) = try mounted.supervisor.spawn(
        launch, role: .systemDaemon, name: "\(serviceName) service")
      mounted.withDevice { _ = $0.services.insert(number) }
      return (SystemService(number: number, child: child, socketPath: socketPath), output)
    }
  }

  private func serviceCommand(_ socketPath: String) -> [String] {
    let (phone, setup, startCount) = state.withLock { state in
      state.serviceStartCount += 1
      return (state.phone, state.setup, state.serviceStartCount)
    }
    var command = [
      programs.app, "system-daemon", "--root", mounted.directory, "--socket", socketPath,
      "--lock-state", phone.lockState.rawValue,
    ]
    command += setup.options
    if let seed = setup.seed {
      // Each start draws anew, or the nonces of its ciphers would repeat.
      command += ["--seed", String(seed &+ UInt64(startCount)), "--clock-start", String(nowMs)]
    }
    return command
  }

  static func system<Result>(
    _ body: () throws(SystemError) -> Result
  ) throws(PhoneHostError) -> Result {
    do throws(SystemError) {
      return try body()
    } catch {
      throw .system(error)
    }
  }
}
