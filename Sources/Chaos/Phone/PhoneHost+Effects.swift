import Device
import Glibc
import Linux
import Mount
package import Phone

extension PhoneHost {
  /// Lets an event happen now.
  ///
  /// - Parameters:
  ///   - event: What happens.
  ///   - waits: Whether to wait until the kernel has forgotten the old state; an event that comes
  ///     while an operation is parked must not.
  /// - Returns: What the event did, for reports.
  /// - Throws: ``PhoneHostError/refused(_:)`` when it cannot happen now; nothing changed then. Else
  ///   what went wrong half-way.
  @discardableResult
  package func happen(
    _ event: PhoneEvent, waits: Bool = true
  ) throws(PhoneHostError) -> PhonePlan {
    let planned = state.withLock { state -> Result<PhonePlan, PhoneEventError> in
      let entropy = entropy(for: "event \(state.changeCount)", state.setup)
      return Result { () throws(PhoneEventError) in
        try state.phone.plan(for: event, entropy: entropy)
      }
    }
    let plan: PhonePlan
    switch planned {
    case .success(let made): plan = made
    case .failure(let error): throw .refused("\(error)")
    }
    try carryOut(plan.effects, waits: waits)
    state.withLock { state in
      state.losses.formUnion(Loss(plan, event))
      state.changeCount += 1
    }
    return plan
  }

  func carryOut(_ effects: [PhoneEffect], waits: Bool) throws(PhoneHostError) {
    for effect in effects { try carryOut(effect, waits: waits) }
  }

  private func carryOut(_ effect: PhoneEffect, waits: Bool) throws(PhoneHostError) {
    switch effect {
    case .endApp: try endApps()
    case .stopDaemon: stopService()
    case .startDaemon: try startService()
    case .removeTree(let path): change(waits: waits) { tree, _ in tree.remove(path) }
    case .makeTree(let path):
      change(waits: waits) { tree, now in tree.makeDirectory(path, mode: 0o755, at: now) }
    case .writeFile(let path, let bytes, let permissions):
      change(waits: waits) { tree, now in
        tree.writeFile(path, bytes, mode: permissions, at: now)
      }
    case .keepSubtree(_, let snapshot):
      let volume = mounted.withDevice { $0.live }
      state.withLock { $0.snapshots[snapshot] = volume }
    case .restoreSubtree(let path, let snapshot):
      guard let volume = state.withLock({ $0.snapshots[snapshot] }) else {
        throw .refused("no snapshot '\(snapshot)'")
      }
      change(waits: waits) { tree, now in tree.restore(path, from: volume, at: now) }
    case .syncEverything: mounted.withDevice { $0.settle() }
    case .setLockState(let lockState):
      guard let service = runningService else { break }
      _ = try service.ask(ServiceRequest.setLockState(lockState))
    case .sealPaths(let paths): mounted.withDevice { $0.sealedPrefixes = paths }
    case .setFreeSpace(let free): setFreeSpace(free)
    case .daemonRequest(let text): try ask(text)
    }
  }

  private func change(waits: Bool, _ body: (inout Tree, Int64) -> Void) {
    let now = nowMs * 1_000_000
    let stale = mounted.withDevice { device in device.change { body(&$0, now) } }
    let ticket = mounted.changed(stale)
    if waits { _ = ticket.wait() }
  }

  private func setFreeSpace(_ free: Int?) {
    let capacity = state.withLock { $0.setup.capacityBytes }
    mounted.withDevice { device in
      device.capacityBytes = free.map { device.usedBytes + $0 } ?? capacity
    }
  }

  private func ask(_ text: String) throws(PhoneHostError) {
    let answer = try service().ask(text)
    guard ServiceRequest.succeeded(answer) else {
      throw .service("refused a request of the system: \(answer)")
    }
  }

  // MARK: - Processes

  /// Ends the app's processes without notice and waits until they are gone.
  ///
  /// - Throws: ``PhoneHostError/mount(_:)`` when one does not end.
  package func endApps() throws(PhoneHostError) {
    do {
      try mounted.killApps()
    } catch {
      throw .mount(error)
    }
  }

  private func stopService() {
    guard let service = state.withLock({ $0.service }) else { return }
    mounted.kill(service.number)
    _ = try? service.child.wait(timeoutMs: 5_000)
    state.withLock { $0.service = nil }
  }

  var runningService: SystemService? {
    state.withLock { state in state.service.flatMap { $0.isRunning ? $0 : nil } }
  }

  /// The service; started again when it has died, as launchd does.
  func service() throws(PhoneHostError) -> SystemService {
    if let running = runningService { return running }
    try startService()
    guard let started = runningService else { throw .service("ended right after its start") }
    return started
  }

  /// Waits until the service has done what it does after an answer, such as a checkpoint, so that
  /// every operation of a step falls into that step. A service that is dying is waited for, too.
  func waitUntilServiceRests() {
    guard let service = runningService else { return }
    if (try? service.ask(ServiceRequest.ping)) == nil {
      _ = try? service.child.wait(timeoutMs: 5_000)
    }
  }

  private var serviceName: String { state.withLock { $0.setup.kind.serviceName } }

  /// Where the phone's service listens.
  var socketPath: String { "\(runtimeDirectory)/\(serviceName).sock" }

  func startService() throws(PhoneHostError) {
    noteCuts()
    let (service, output) = try spawnService()
    guard let line = try? output.read(count: 64), !line.isEmpty else {
      throw .service("did not start")
    }
    state.withLock { $0.service = service }
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

extension Loss {
  /// What an event takes away for good.
  init(_ plan: PhonePlan, _ event: PhoneEvent) {
    self = []
    if plan.takes.contains(.key) { insert(.key) }
    if plan.takes.contains(.blob) { insert(.blob) }
    if !plan.rewinds.isEmpty { insert(.recency) }
    if event == .uninstall { insert(.app) }
  }
}
