package import Device
package import Linux
package import Phone
package import Ports
package import Session
package import Simulation

/// A phone of the lab, in memory or mounted: a device, the service of its keys, and what the
/// operating system does to both.
///
/// What differs between the tiers is required here; what is the same, the extensions have.
package protocol HostedPhone: AnyObject {
  var tier: Tier { get }
  var state: Locked<HostState> { get }
  /// The phone's clock, milliseconds since 1970.
  var nowMs: Int64 { get }
  /// The lines that the app has noted since the phone was new, as `AcknowledgementLog` writes them.
  var acknowledged: String { get }

  /// Looks at the device, or changes it, while no request is served.
  func withDevice<Result>(_ body: (inout StorageDevice) -> Result) -> Result

  /// Has the lab look at the files as they are, beside the kernel: that sets off no fault, leaves
  /// nothing in a cache and changes nothing.
  func look<Result>(_ body: (DeviceFileSystem) -> Result) -> Result

  /// Whoever caches what the device had must ask again.
  ///
  /// - Parameters:
  ///   - stale: What has changed.
  ///   - waits: Whether to return only when nothing old can be seen any more; an event that comes
  ///     while an operation is parked must not wait.
  func forget(_ stale: Stale, waits: Bool)

  /// Whoever would answer calls of this kind from a cache must ask again.
  func forgetCaches(for kind: OperationKind)

  /// Makes the phone new: another device, other settings, nothing stored, no fault armed.
  ///
  /// - Throws: ``PhoneHostError``; the phone is then in no state to be used.
  func reset(_ setup: PhoneSetup) throws(PhoneHostError)

  /// Moves the virtual clock. After half a minute the kernel has written everything back by itself,
  /// so all that was stored is durable.
  ///
  /// - Parameter step: How far.
  /// - Returns: Whether everything became durable.
  func advanceClock(byMs step: Int64) -> Bool

  /// Whether an app runs that a kill could end.
  var hasApp: Bool { get }

  /// Ends the app's processes without notice and waits until they are gone.
  ///
  /// - Throws: ``PhoneHostError`` when one does not end.
  func endApps() throws(PhoneHostError)

  func stopService()

  /// Starts the service anew; it comes up in the phone's lock state.
  ///
  /// - Throws: ``PhoneHostError`` when it does not start.
  func startService() throws(PhoneHostError)

  /// Asks the service, which is started again when it has died; both are JSON texts.
  ///
  /// - Parameter request: What to ask.
  /// - Returns: Its answer.
  /// - Throws: ``PhoneHostError/service(_:)`` when it does not answer.
  func ask(_ request: String) throws(PhoneHostError) -> String

  /// Whether the service can answer at all: none of its operations is held.
  var isServiceFree: Bool { get }

  /// Whether the service runs.
  var isServiceRunning: Bool { get }

  /// Waits until the service has done what it does after an answer, so that every operation of a
  /// step falls into that step.
  func waitUntilServiceRests()

  /// Cuts the power and turns it on again.
  ///
  /// - Throws: ``PhoneHostError`` when the phone does not come back.
  func cutPower(_ survivors: Survivors) throws(PhoneHostError)

  /// How many power cuts there were. Waits for one that is under way.
  var cutCount: Int { get }

  /// Starts the app anew; whatever it had in memory is gone.
  ///
  /// - Parameters:
  ///   - launch: The reference app, or the one with its client, as its settings say.
  ///   - server: What the client reaches; the reference app needs none.
  /// - Returns: The running app.
  /// - Throws: ``PhoneHostError`` when it cannot be started.
  func start(
    _ launch: AppLaunch, reaching server: (any HTTPService)?
  ) throws(PhoneHostError) -> any HostedApp
}

/// A running app of the lab: takes one command at a time.
package protocol HostedApp: AnyObject {
  var isRunning: Bool { get }

  /// Has the app carry out a command at a moment of the phone's clock.
  func perform(_ words: [String], atMs now: Int64) -> AppReply

  /// The signal that has ended its process; `nil` for one that runs, or has ended in another way.
  var endSignal: Int32? { get }

  /// Ends the app and waits for its end.
  func end()
}

extension HostedApp {
  package var endSignal: Int32? { nil }
}

/// What became of a command of the app.
package enum AppReply: Equatable, Sendable {
  case result(AppResult)
  /// The process was killed.
  case killed
  /// The process ended by itself; how.
  case ended(String)
  case noAnswer
}

/// What the lab knows of a phone beside its device.
package struct HostState: Sendable {
  var phone: any PhoneModel
  var setup: PhoneSetup
  var snapshots: [String: Volume] = [:]
  /// The request behind each armed fault.
  var requests: [FaultID: FaultRequest] = [:]
  var losses: Loss = []
  var cutCount = 0
  /// How many launches of the app and starts of the service there were: each draws anew.
  var launchCount = 0
  var serviceStartCount = 0
  /// How often the operating system has changed something, for whoever keeps the phone.
  var changeCount = 0
  /// The oldest operation that the image file holds, if there is a file.
  var oldestSaved: OperationNumber?
  /// What went wrong in events that an armed fault set off, where no caller waits for an answer.
  var eventFailures: [String] = []
  /// What a program of somebody else's keeps the session as.
  var items = ItemMemory()
  /// Whether what the phone's own modules lose counts as lost; see ``ModuleWitness``.
  var countsModuleLosses = false
}

extension HostState {
  static func newPhone(_ setup: PhoneSetup) throws(PhoneHostError) -> any PhoneModel {
    do {
      return try setup.kind.phone(setup.chosen)
    } catch {
      throw .refused("\(error)")
    }
  }
}

extension HostedPhone {
  package func look<Result>(_ body: (DeviceFileSystem) -> Result) -> Result {
    body(DeviceFileSystem(unsealedCopy, process: .unknown))
  }

  /// The device as it is, to look at every file of it.
  var unsealedCopy: DeviceBox {
    var device = withDevice { $0 }
    device.sealedPrefixes = []
    return DeviceBox(device) { 0 }
  }

  /// Linux's `dirty_expire_centisecs`, and the order of magnitude of a phone's.
  static var writeBackMs: Int64 { 30_000 }

  /// A moment later or earlier, from 1970 to the year 2223: a time stamp in nanoseconds holds little
  /// more.
  static func clock(_ nowMs: Int64, movedBy step: Int64) -> Int64 {
    min(max(0, nowMs + step), 8_000_000_000_000)
  }

  /// Which phone it is.
  package var kind: PhoneKind { state.withLock { $0.phone.kind } }

  /// The names of the durability domains that hold a half.
  func domains(of half: Half) -> [String] {
    state.withLock { $0.phone.domains }.filter { $0.half == half }.map(\.name)
  }

  /// Why the system does not start the app now; `nil` when it does.
  var launchProblem: String? { state.withLock { $0.phone.launchProblem } }

  /// How an app stands that is started now: one on a locked phone the system has started, and nobody
  /// sees it.
  var launchState: AppState {
    state.withLock { $0.phone.lockState == .unlocked ? .active : .background }
  }

  /// What went wrong in events that an armed fault set off.
  var eventFailures: [String] { state.withLock { $0.eventFailures } }

  /// Another version of the app, or of the system: knobs are turned while the app is not running.
  func update(_ knobs: [String: String]) throws(PhoneHostError) {
    try endApps()
    let planned = state.withLock { state in
      Result { () throws(KnobError) in
        let effects = try state.phone.update(knobs)
        state.setup.chosen.merge(knobs) { $1 }
        return effects
      }
    }
    let effects: [PhoneEffect]
    switch planned {
    case .success(let made): effects = made
    case .failure(let error): throw .refused("\(error)")
    }
    guard !effects.isEmpty else { return }
    let removesItems = try carryOut(effects, waits: true)
    state.withLock { state in
      if removesItems { state.losses.insert(.key) }
      state.changeCount += 1
    }
  }

  /// What faults have taken away since the last call.
  func takeLosses() -> Loss {
    noteCuts()
    return state.withLock { state in
      defer { state.losses = [] }
      return state.losses
    }
  }

  /// Counts power cuts that a fault set off.
  func noteCuts() {
    let count = cutCount
    state.withLock { state in
      guard count > state.cutCount else { return }
      state.cutCount = count
      state.losses.insert(.recency)
    }
  }
}
