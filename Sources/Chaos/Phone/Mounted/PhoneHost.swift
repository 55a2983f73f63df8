package import Device
import Glibc
package import Linux
import Machine
package import Mount
import Phone
import Ports

/// The mounted tier: a device that the kernel serves, and processes on it.
///
/// Used by one thread at a time, but for the events that an armed fault sets off: they come on a
/// thread of the mount while the app waits, and take the same lock.
package final class PhoneHost: HostedPhone, Sendable {
  package var tier: Tier { .mounted }
  package let mounted: MountedDevice
  package let programs: Programs
  package let runtimeDirectory: String
  package let state: Locked<HostState>
  let service = Locked<SystemService?>(nil)
  /// Since when nothing has been written, by the count of operations.
  let writeBackState = Locked<(operations: Int, sinceMs: Int64)>((0, 0))
  let clock: Locked<Int64?>
  /// Started with the first app that has a server.
  let serverFront = Locked<ServerFront?>(nil)

  /// Where the programs are that a phone runs.
  package struct Programs: Sendable {
    package let app: String
    /// Whether they are forked from a zygote, or each started anew.
    package var areForked = true

    /// - Throws: ``PhoneHostError/missingProgram(_:)``.
    package init(besideExecutable executable: String) throws(PhoneHostError) {
      let folder = executable.split(separator: "/").dropLast().joined(separator: "/")
      app = "/\(folder)/lab-app"
      guard Files.exists(app) else { throw .missingProgram(app) }
    }

    func zygote(in runtimeDirectory: String) -> [String] {
      [app, "zygote", "--rehearsal", "\(runtimeDirectory)/rehearsal"]
    }
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
    if let kept { phone = kept.phone } else { phone = try HostState.newPhone(setup) }
    state = Locked(HostState(phone: phone, setup: setup, snapshots: kept?.snapshots ?? [:]))
    let owner = Locked<PhoneHost?>(nil)
    self.owner = owner
    var options = options
    options.clock = { clock.withLock { $0 }.map { $0 * 1_000_000 } ?? Clocks.realtimeNs }
    if programs.areForked { options.zygote = programs.zygote(in: runtimeDirectory) }
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

  package func reset(_ setup: PhoneSetup) throws(PhoneHostError) {
    let phone = try HostState.newPhone(setup)
    disarmAll()
    do {
      try mounted.replaceDevice(with: setup.makeDevice(for: phone))
    } catch {
      throw .mount(error)
    }
    clock.withLock { $0 = setup.seed == nil ? nil : setup.clockStartMs }
    forgetNotes()
    state.withLock { state in
      state = HostState(phone: phone, setup: setup)
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
    service.withLock { $0 = nil }
    serverFront.withLock { $0 = nil }
    owner.withLock { $0 = nil }
  }

  // MARK: - Time and chance

  package var nowMs: Int64 { clock.withLock { $0 } ?? Clocks.realtimeNs / 1_000_000 }

  @discardableResult
  package func advanceClock(byMs step: Int64) -> Bool {
    clock.withLock { now in now = now.map { Self.clock($0, movedBy: step) } }
    guard step >= Self.writeBackMs else { return false }
    mounted.withDevice { $0.settle() }
    return true
  }

  // MARK: - What happened

  /// Where the apps of a phone of the lab's own take notes.
  var acknowledgementPath: String { "\(runtimeDirectory)/acknowledgements.ndjson" }

  /// Where a program of somebody else's has its calls noted.
  var callNotesPath: String { "\(runtimeDirectory)/calls.ndjson" }

  /// Of a phone on which nothing was done there are no notes to remove.
  func forgetNotes() {
    for path in [acknowledgementPath, callNotesPath] { try? Files.remove(path) }
  }

  /// Reads what the calls of a program have shown since the last time.
  func readCallNotes() {
    guard let notes = try? Files.read(callNotesPath) else { return }
    state.withLock { state in
      let losses = state.items.follow(notes)
      if state.countsModuleLosses { state.losses.formUnion(losses) }
    }
  }

  package var acknowledged: String {
    // No app has taken a note yet.
    guard let bytes = try? Files.read(acknowledgementPath) else { return "" }
    return String(decoding: bytes, as: UTF8.self)
  }

  package var cutCount: Int { mounted.waitUntilServing()?.count ?? 0 }
}

extension PhoneHost {
  package func withDevice<Result>(_ body: (inout StorageDevice) -> Result) -> Result {
    mounted.withDevice(body)
  }

  package func forget(_ stale: Stale, waits: Bool) {
    let ticket = mounted.changed(stale)
    if waits { _ = ticket.wait() }
  }

  package func forgetCaches(for kind: OperationKind) {
    _ = mounted.forgetCaches(for: kind).wait()
  }

  package var hasApp: Bool { mounted.supervisor.members.contains { $0.role == .app } }

  package func endApps() throws(PhoneHostError) {
    do {
      try mounted.killApps()
    } catch {
      throw .mount(error)
    }
  }

  package func cutPower(_ survivors: Survivors) throws(PhoneHostError) {
    do {
      try mounted.powerCut(survivors)
    } catch {
      throw .mount(error)
    }
  }
}
