package import Device
package import Linux
import Machine
import Phone
package import Ports
import Session
package import Simulation

/// The simulated tier: a device in memory, with the app and the service in this process.
///
/// Everything that is drawn follows from the setup's seed, as on the mounted tier. What a fault ends
/// is cut off from the device at once; its code still runs to its end, and nobody sees it. Used by one
/// thread. Held operations are given up: nobody could release them here.
package final class SimulatedPhone: HostedPhone {
  package var tier: Tier { .simulated }
  package let state: Locked<HostState>
  /// Outlives the phone in what still holds its device.
  private let clock: FixedClock
  private(set) var box: DeviceBox
  private(set) var service: SimulatedService?
  private var app: ProcessNumber?
  private var lastProcess: Int32 = 1
  private var finishedCutCount = 0
  private var acknowledgements = AcknowledgementLines()

  /// Makes a phone, sets it up as new and boots it.
  ///
  /// - Throws: ``PhoneHostError`` when the settings make no phone.
  package init(_ setup: PhoneSetup) throws(PhoneHostError) {
    let phone = try HostState.newPhone(setup)
    state = Locked(HostState(phone: phone, setup: setup))
    clock = FixedClock(startMs: setup.clockStartMs)
    box = DeviceBox(setup.makeDevice(for: phone)) { 0 }
    try boot(setup)
  }

  package func reset(_ setup: PhoneSetup) throws(PhoneHostError) {
    let phone = try HostState.newPhone(setup)
    try endApps()
    stopService()
    state.withLock { $0 = HostState(phone: phone, setup: setup) }
    clock.nowMs = setup.clockStartMs
    lastProcess = 1
    finishedCutCount = 0
    witness = nil
    acknowledgements = AcknowledgementLines()
    box = DeviceBox(setup.makeDevice(for: phone)) { 0 }
    try boot(setup)
  }

  private func boot(_ setup: PhoneSetup) throws(PhoneHostError) {
    plugIn(box.device, setup)
    let effects = state.withLock { $0.phone.setUp(entropy: entropy(for: "device", $0.setup)) }
    try carryOut(effects, waits: true)
    try startService()
  }

  private func plugIn(_ device: StorageDevice, _ setup: PhoneSetup) {
    box = DeviceBox(device) { [clock] in clock.nowMs * 1_000_000 }
    box.onEvent = { [weak self] fault, _ in self?.runEvent(of: fault) }
    box.entropy = SeededEntropy(seed: setup.seed ?? 0, stream: "sqlite")
  }

  /// What a phone is beside its device: enough to go on with another device.
  struct Standing {
    let state: HostState
    let nowMs: Int64
    let lastProcess: Int32
    let witness: ModuleWitness?
  }

  var standing: Standing {
    Standing(
      state: state.withLock { $0 }, nowMs: nowMs, lastProcess: lastProcess,
      witness: witness.map(ModuleWitness.init))
  }

  /// Goes on where a phone stood, with that device, the service started anew, and no app. The notes
  /// of the app begin anew, and so do those of what is read.
  ///
  /// - Throws: ``PhoneHostError`` when the service does not start.
  func goOn(from standing: Standing, with device: StorageDevice) throws(PhoneHostError) {
    app = nil
    // It need not tidy up a device that nobody looks at any more.
    stopService()
    state.withLock { $0 = standing.state }
    clock.nowMs = standing.nowMs
    lastProcess = standing.lastProcess
    witness = standing.witness.map(ModuleWitness.init)
    finishedCutCount = standing.state.cutCount
    acknowledgements = AcknowledgementLines()
    plugIn(device, standing.state.setup)
    box.reads = ReadTrace(of: device.live, apart: standing.state.phone.serviceFolders)
    onExchange = nil
    try startService()
  }

  /// Watches the native modules, where what they lose is no fault of a store.
  var witness: ModuleWitness?

  func noteModuleLosses() {
    guard let lost = witness?.take(), !lost.isEmpty else { return }
    moduleLossCount += 1
    state.withLock { state in state.losses.formUnion(lost) }
  }

  /// How often a module has lost what it held.
  private(set) var moduleLossCount = 0

  /// Where calls that overlap let each other go first: what they share is stored.
  static let interleaving = Interleaving.beforeCalls

  /// Decides the order of calls that overlap, in place of the command.
  var overlapChoices: Choices?

  func choices(for command: AppCommand) -> Choices {
    guard case .overlap(let overlap) = command else { return Choices(GivenOrder([])) }
    return overlapChoices ?? Choices(GivenOrder(overlap.order))
  }

  /// Told when the service has done all that follows from a request of the app.
  var onServiceRest: (() -> Void)?

  /// Told of each request to the service, of its answer, and whether there was an operation that may
  /// have changed something, when all that follows is done.
  var onExchange: ((_ request: String, _ answer: String?, _ changes: Bool) -> Void)?

  /// The folders that are the service's alone.
  var serviceFolders: [String] { state.withLock { $0.phone.serviceFolders } }

  /// Has the service answer; `nil` when none does.
  func exchange(_ request: String) -> String? {
    let count = box.device.operationCount
    let answer = service?.answer(request)
    onExchange?(request, answer, box.device.operationCount != count)
    return answer
  }

  private func nextProcess() -> ProcessNumber {
    lastProcess += 1
    return ProcessNumber(lastProcess)
  }

  // MARK: - The device

  package func withDevice<Result>(_ body: (inout StorageDevice) -> Result) -> Result {
    body(&box.device)
  }

  package func look<Result>(_ body: (DeviceFileSystem) -> Result) -> Result {
    let copy = unsealedCopy
    copy.reads = box.reads
    defer { if let reads = copy.reads { box.reads?.noteReads(of: reads) } }
    return body(DeviceFileSystem(copy, process: .unknown))
  }

  /// Nobody caches anything here.
  package func forget(_ stale: Stale, waits: Bool) {}
  package func forgetCaches(for kind: OperationKind) {}

  @discardableResult
  package func advanceClock(byMs step: Int64) -> Bool {
    clock.nowMs = Self.clock(nowMs, movedBy: step)
    guard step >= Self.writeBackMs else { return false }
    box.device.settle()
    return true
  }

  package var nowMs: Int64 { clock.nowMs }

  package func cutPower(_ survivors: Survivors) throws(PhoneHostError) {
    finishCut(survivors)
  }

  package var cutCount: Int {
    for consequence in box.takeConsequences() {
      if case .powerCut(let survivors) = consequence { finishCut(survivors) }
    }
    return finishedCutCount
  }

  private func finishCut(_ survivors: Survivors) {
    box.restart(
      after: survivors, ending: [app, service?.number].compactMap { $0 })
    service = nil
    app = nil
    finishedCutCount += 1
  }

  // MARK: - Processes

  package var hasApp: Bool { app.map(box.isAlive) ?? false }

  package func endApps() throws(PhoneHostError) {
    if let app { box.end(app) }
    app = nil
  }

  package func stopService() {
    guard let service else { return }
    box.end(service.number)
    self.service = nil
  }

  package func startService() throws(PhoneHostError) {
    noteCuts()
    let (phone, setup, count) = state.withLock { state in
      state.serviceStartCount += 1
      return (state.phone, state.setup, state.serviceStartCount)
    }
    let number = nextProcess()
    box.device.services.insert(number)
    var launch = PhoneLaunch()
    launch.chosen = setup.chosen
    let seed = (setup.seed ?? 0) &+ UInt64(count)
    let ports = PhonePorts(
      files: DeviceFileSystem(box, process: number, databaseSeed: seed),
      entropy: SeededEntropy(seed: seed, stream: phone.kind.serviceName),
      clock: FixedClock(startMs: nowMs), console: SilentConsole())
    do {
      service = SimulatedService(
        number: number,
        service: try phone.kind.service(on: ports, lockState: phone.lockState, launch),
        points: BoxTracePoints(box, number))
    } catch {
      throw .service("\(error)")
    }
  }

  package func ask(_ request: String) throws(PhoneHostError) -> String {
    if !isServiceRunning { try startService() }
    guard let answer = exchange(request) else { throw .service("ended without an answer") }
    return answer
  }

  package var isServiceRunning: Bool {
    noteCuts()
    return service.map { box.isAlive($0.number) } ?? false
  }

  package var isServiceFree: Bool { true }
  package func waitUntilServiceRests() {}

  package func start(
    _ launch: AppLaunch, reaching server: (any HTTPService)? = nil
  ) throws(PhoneHostError) -> any HostedApp {
    if launch.foreign != nil {
      throw .refused("a program of your own runs on the mounted tier only")
    }
    let (number, setup, count) = try beginLaunch()
    if let profile = launch.settings.clientProfile {
      guard let server else { throw .refused("an app with its client needs a server") }
      let started = try SimulatedClientApp(
        number, launch, profile, setup, launchCount: count, on: self, reaching: server)
      return started
    }
    let started = try SimulatedApp(
      number, launch, setup, launchCount: count, on: self, acknowledgements)
    return started
  }

  /// The process of a new app; the one before must have ended.
  ///
  /// - Returns: Its number, the phone's settings, and how many launches there were.
  /// - Throws: ``PhoneHostError`` when no app can be started now.
  func beginLaunch() throws(PhoneHostError) -> (ProcessNumber, PhoneSetup, launchCount: Int) {
    if let problem = launchProblem { throw .refused(problem) }
    if !isServiceRunning { try startService() }
    let (setup, count) = state.withLock { state in
      state.launchCount += 1
      return (state.setup, state.launchCount)
    }
    let number = nextProcess()
    box.noteApp(number)
    app = number
    return (number, setup, count)
  }

  package var acknowledged: String { acknowledgements.text }
}

/// A running service of the phone.
struct SimulatedService {
  let number: ProcessNumber
  let service: any PhoneService
  let points: BoxTracePoints

  /// The answer, and what follows it; `nil` when the service ended before it had answered.
  func answer(_ request: String) -> String? {
    let reply = service.reply(to: request)
    if reply.commitsItem { points.reach(.itemCommitted) }
    guard points.isAlive else { return nil }
    service.finish()
    return reply.text
  }
}

/// The lines of the acknowledgement log, on the side of the lab.
final class AcknowledgementLines {
  private(set) var text = ""

  func append(_ line: String) { text += line + "\n" }
}

/// Announces logical points to the device, as a process of it.
final class BoxTracePoints: TracePoint {
  private let box: DeviceBox
  private let process: ProcessNumber

  init(_ box: DeviceBox, _ process: ProcessNumber) {
    self.box = box
    self.process = process
  }

  var isAlive: Bool { box.isAlive(process) }

  func reach(_ point: LogicalPoint) { box.reach(point.rawValue, by: process) }
}
