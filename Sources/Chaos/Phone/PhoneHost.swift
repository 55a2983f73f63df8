import Device
import Glibc
import Linux
import Machine
package import Mount
package import Phone
import Ports

/// A phone that is there: a mounted device, the service of its keys as a process, and what the
/// operating system does to both.
///
/// Used by one thread at a time, but for the events that an armed fault sets off: they come on a
/// thread of the mount while the app waits, and take the same lock.
package final class PhoneHost: Sendable {
  package let mounted: MountedDevice
  package let programs: Programs
  let runtimeDirectory: String
  let state: Locked<State>
  private let clock: Locked<Int64?>

  /// Where the programs are that a phone runs.
  package struct Programs: Sendable {
    package let app: String

    /// - Throws: ``PhoneHostError/missingProgram(_:)``.
    package init(besideExecutable executable: String) throws(PhoneHostError) {
      let folder = executable.split(separator: "/").dropLast().joined(separator: "/")
      app = "/\(folder)/lab-app"
      guard Files.exists(app) else { throw .missingProgram(app) }
    }
  }

  struct State {
    var phone: any PhoneModel
    var setup: PhoneSetup
    var service: SystemService?
    var snapshots: [String: Volume] = [:]
    /// The request behind each armed fault.
    var requests: [FaultID: FaultRequest] = [:]
    var losses: Loss = []
    var cutCount = 0
    var launchCount = 0
    var serviceStartCount = 0
    /// Since when nothing has been written, by the count of operations.
    var writeBack: (operations: Int, sinceMs: Int64) = (0, 0)
    /// How often the operating system has changed something, for whoever keeps the phone.
    var changeCount = 0
    /// The oldest operation that the image file holds, if there is a file.
    var oldestSaved: OperationNumber?
    /// What went wrong in events that an armed fault set off, where no caller waits for an answer.
    var eventFailures: [String] = []
  }

  /// Mounts a phone, sets it up as new and boots it.
  ///
  /// - Parameters:
  ///   - directory: The mount point; a missing last folder is made, and removed at the end.
  ///   - runtimeDirectory: A private folder for sockets, outside the mount.
  ///   - programs: Where the phone's programs are.
  ///   - setup: What the phone is like.
  ///   - kept: A phone from an image; `nil` for a new one.
  ///   - options: How it is mounted.
  /// - Throws: ``PhoneHostError``; nothing is mounted or left behind then.
  package init(
    at directory: String, runtimeDirectory: String, programs: Programs, setup: PhoneSetup,
    kept: KeptPhone? = nil, options: MountOptions = MountOptions()
  ) throws(PhoneHostError) {
    self.programs = programs
    self.runtimeDirectory = runtimeDirectory
    let clock = Locked<Int64?>(setup.seed == nil ? nil : setup.clockStartMs)
    self.clock = clock
    let phone: any PhoneModel
    if let kept { phone = kept.phone } else { phone = try Self.newPhone(setup) }
    state = Locked(State(phone: phone, setup: setup, snapshots: kept?.snapshots ?? [:]))
    let owner = Locked<PhoneHost?>(nil)
    self.owner = owner
    var options = options
    options.clock = { clock.withLock { $0 }.map { $0 * 1_000_000 } ?? Clocks.realtimeNs }
    options.pointNames = Set(LogicalPoint.allCases.map(\.rawValue))
    options.event = { _, fault in owner.withLock { $0 }?.runEvent(of: fault) }
    do {
      mounted = try MountedDevice(
        at: directory,
        device: kept?.device ?? setup.makeDevice(for: phone), options: options)
    } catch {
      throw .mount(error)
    }
    owner.withLock { $0 = self }
    do throws(PhoneHostError) {
      if kept == nil { try setUp() } else { try startService() }
    } catch {
      shutDown()
      throw error
    }
  }

  /// Breaks the cycle through the mount's options at the end.
  private let owner: Locked<PhoneHost?>

  private static func newPhone(
    _ setup: PhoneSetup
  ) throws(PhoneHostError) -> any PhoneModel {
    do {
      return try setup.kind.phone(setup.chosen)
    } catch {
      throw .refused("\(error)")
    }
  }

  /// Makes the phone new: another device, other settings, nothing stored, no fault armed.
  ///
  /// - Throws: ``PhoneHostError``; the phone is then in no state to be used.
  package func reset(_ setup: PhoneSetup) throws(PhoneHostError) {
    let phone = try Self.newPhone(setup)
    disarmAll()
    do {
      try mounted.replaceDevice(with: setup.makeDevice(for: phone))
    } catch {
      throw .mount(error)
    }
    clock.withLock { $0 = setup.seed == nil ? nil : setup.clockStartMs }
    state.withLock { state in
      state = State(phone: phone, setup: setup)
      state.cutCount = cutCount
    }
    try setUp()
  }

  private func setUp() throws(PhoneHostError) {
    let effects = state.withLock { $0.phone.setUp(entropy: entropy(for: "device", $0.setup)) }
    try carryOut(effects, waits: true)
    try startService()
  }

  /// Ends everything and unmounts. A second call does nothing.
  package func shutDown() {
    mounted.unmount()
    state.withLock { $0.service = nil }
    owner.withLock { $0 = nil }
  }

  // MARK: - Time and chance

  /// The phone's clock, milliseconds since 1970.
  package var nowMs: Int64 { clock.withLock { $0 } ?? Clocks.realtimeNs / 1_000_000 }

  /// Moves the virtual clock. After half a minute the kernel has written everything back by itself,
  /// so all that was stored is durable.
  ///
  /// - Returns: Whether everything became durable.
  @discardableResult
  package func advanceClock(byMs step: Int64) -> Bool {
    clock.withLock { now in now = now.map { min(max(0, $0 + step), Self.clockMaxMs) } }
    guard step >= Self.writeBackMs else { return false }
    mounted.withDevice { $0.settle() }
    return true
  }

  /// The year 2223: a time stamp in nanoseconds holds little more.
  private static let clockMaxMs: Int64 = 8_000_000_000_000

  /// Linux's `dirty_expire_centisecs`, and the order of magnitude of a phone's.
  static let writeBackMs: Int64 = 30_000

  func entropy(for purpose: String, _ setup: PhoneSetup) -> any Entropy {
    guard let seed = setup.seed else { return SystemEntropy() }
    return SeededEntropy(seed: seed, stream: purpose)
  }

  // MARK: - What happened

  /// What faults have taken away since the last call.
  func takeLosses() -> Loss {
    noteCuts()
    return state.withLock { state in
      defer { state.losses = [] }
      return state.losses
    }
  }

  /// How many power cuts there were.
  var cutCount: Int { mounted.waitUntilServing()?.count ?? 0 }

  /// Counts power cuts that a fault set off, and boots the phone after one: the owner unlocks it
  /// before anything else can happen.
  func noteCuts() {
    let count = cutCount
    state.withLock { state in
      guard count > state.cutCount else { return }
      state.cutCount = count
      state.losses.insert(.recency)
      state.service = nil
    }
  }

  /// Why the system does not start the app now; `nil` when it does.
  var launchProblem: String? { state.withLock { $0.phone.launchProblem } }

  /// Another version of the app, or of the system: knobs are turned while the app is not running.
  func update(_ knobs: [String: String]) throws(PhoneHostError) {
    try endApps()
    let problem = state.withLock { state -> KnobError? in
      do throws(KnobError) {
        try state.phone.update(knobs)
        state.setup.chosen.merge(knobs) { $1 }
        return nil
      } catch {
        return error
      }
    }
    if let problem { throw .refused("\(problem)") }
  }

  /// Which phone it is.
  package var kind: PhoneKind { state.withLock { $0.phone.kind } }

  /// The names of the durability domains that hold a half.
  func domains(of half: Half) -> [String] {
    state.withLock { $0.phone.domains }.filter { $0.half == half }.map(\.name)
  }

  /// What went wrong in events that an armed fault set off.
  var eventFailures: [String] { state.withLock { $0.eventFailures } }
}
