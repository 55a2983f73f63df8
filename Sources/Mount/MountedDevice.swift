package import Device
import Glibc
import Linux

/// A `StorageDevice` that processes see as a file system.
///
/// One thread serves the kernel's requests in their order of arrival; each is one call of
/// `StorageDevice.perform` and one answer, both while the state is locked, so that no answer shows a state
/// that has been swapped meanwhile. Faults that wait, events, power cuts and cache invalidations run
/// on other threads, never on that one.
///
/// ``unmount()`` must be called; until then the serving thread keeps the object alive.
package final class MountedDevice: Sendable {
  /// Absolute, without links.
  package var directory: String { mountPoint.path }
  /// Whether the folder was made for this mount, and goes with it.
  package var madeDirectory: Bool { mountPoint.wasMade }
  package let supervisor: Supervisor

  let options: MountOptions
  let state: Locked<State>
  let notifier: Notifier
  let folder: VirtualFolder
  /// Runs events of the operating system.
  let worker: WorkQueue
  /// Finishes power cuts that faults set off; an event may wait for one.
  let cutter: WorkQueue
  /// Sends delayed answers.
  let timer: WorkQueue
  private let mountPoint: MountPoint
  let session = Locked<FuseSession?>(nil)

  /// What one thread at a time may touch.
  struct State {
    var device: StorageDevice
    var epoch: UInt64 = 0
    var phase = Phase.serving
    /// Requests without an answer, by key.
    var waiting: [Int: (request: Unanswered, reason: Unanswered.Reason)] = [:]
    var nextKey = 1
    /// How often the kernel was told of an inode and has not forgotten it.
    var lookUpCounts: [UInt64: UInt64] = [:]
    var openCounts: [UInt64: Int] = [:]
    /// Names in the root that the kernel has seen in this epoch.
    var rootNames: Set<FileName> = []
    /// By the thread that asked.
    var refusedReads: [Int32: RefusedRead] = [:]
    var listings: [UInt64: [Row]] = [:]
    var indexes = SharedIndexes()
    var nextHandle: UInt64 = 1
    /// Requests that were owed an answer.
    var requestCount = 0
    var toolErrors: [String: Int] = [:]
    var cut = CutInProgress()
    var cutReports: [PowerCutReport] = []
    var onOperation: OperationWatcher?
  }

  /// Told of the device as it is after each operation, and of who made it. It runs while the device is
  /// locked, before the caller has its answer.
  package typealias OperationWatcher = @Sendable (ProcessNumber, StorageDevice) -> Void

  enum Phase: Equatable {
    case serving
    /// The power is off: nothing is parked, no fault's consequence counts.
    case cutting
    case ended
  }

  typealias Row = (name: [UInt8], attributes: stat)

  /// Mounts a device on an empty or a new folder.
  ///
  /// - Throws: ``MountError``; nothing is mounted or left behind then.
  package init(
    at directory: String, device: StorageDevice, options: MountOptions = MountOptions()
  ) throws(MountError) {
    mountPoint = try MountPoint(preparing: directory)
    self.options = options
    state = Locked(State(device: device))
    folder = VirtualFolder(options)
    do {
      supervisor = try Supervisor(zygote: options.zygote)
      notifier = try Notifier()
      worker = try WorkQueue("lab-events")
      cutter = try WorkQueue("lab-cut")
      timer = try WorkQueue("lab-timer")
    } catch {
      mountPoint.removeIfMade()
      throw .system(error)
    }
    do {
      let session = try FuseSession(at: mountPoint, options, owner: self)
      self.session.withLock { $0 = session }
      try session.start(self)
    } catch {
      stopThreads()
      mountPoint.removeIfMade()
      throw error
    }
  }

  /// Kills the registered processes, answers what waits, unmounts and removes a folder that was
  /// made. A second call does nothing.
  package func unmount() {
    let session = self.session.withLock { session -> FuseSession? in
      defer { session = nil }
      return session
    }
    guard let session else { return }
    waitUntilServing()
    state.withLock { state in
      state.phase = .ended
      supervisor.killAll()
      refuseAll(&state)
    }
    supervisor.waitUntilEnded(timeoutMs: 5_000)
    stopThreads()
    session.close()
  }

  private func stopThreads() {
    worker.stop()
    cutter.stop()
    timer.stop()
    notifier.stop()
    supervisor.stop()
  }

  /// The serving thread is at its end: asked to stop, or unmounted by hand.
  func servingEnded() {
    state.withLock { state in
      state.phase = .ended
      refuseAll(&state)
    }
  }

  /// Waits until the mount is gone, which somebody may bring about by hand.
  ///
  /// - Returns: `false` when the time ran out.
  package func waitUntilEnded(timeoutMs: Int? = nil) -> Bool {
    state.wait(timeoutMs: timeoutMs) { $0.phase == .ended ? true : nil } ?? false
  }

  // MARK: - The device

  /// Nanoseconds since 1970, by the mount's clock.
  var now: Int64 { options.clock() }

  /// Runs `body` alone with the device.
  ///
  /// What it changes must be announced with `changed`, or the kernel goes on showing the old
  /// state. To replace all of it use ``replaceDevice(with:)``.
  package func withDevice<Result, Failure>(
    _ body: (inout StorageDevice) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try state.withLock { state throws(Failure) in try body(&state.device) }
  }

  /// Has somebody watch every operation from now on; `nil` for nobody.
  package func watchOperations(_ watcher: OperationWatcher?) {
    state.withLock { $0.onOperation = watcher }
  }

  /// Tells the kernel to forget what changed without it.
  package func changed(_ stale: Stale) -> Ticket {
    let names = stale.names.map { Invalidation.entry(in: $0.directory, $0.name) }
    return announce(stale.inodes.map(Invalidation.content) + names)
  }

  /// Tells the kernel to forget attributes and bytes of inodes that changed without it.
  package func changed(_ inodes: [InodeID]) -> Ticket {
    announce(inodes.map(Invalidation.content))
  }

  /// Tells the kernel that a name was removed for good, so that watchers of the inode hear of it.
  package func removed(_ name: FileName, in directory: InodeID, _ inode: InodeID) -> Ticket {
    announce([.removed(in: directory, name, inode)])
  }

  /// Tells the kernel to forget what it would answer by itself, so that an operation of this kind
  /// reaches the device.
  ///
  /// A look-up brings attributes with it; so names are forgotten for look-ups only.
  package func forgetCaches(for kind: OperationKind) -> Ticket {
    announce(
      withDevice { device -> [Invalidation] in
        let inodes = device.live.inodes.keys.sorted()
        switch kind {
        case .read, .attributes: return inodes.map(Invalidation.content)
        case .lookUp:
          return inodes.flatMap { inode in
            device.live.list(inode).map { .entry(in: inode, $0.name) }
          }
        default: return []
        }
      })
  }

  func announce(_ invalidations: [Invalidation]) -> Ticket {
    let epoch = state.withLock { $0.epoch }
    guard let session = session.withLock({ $0 }) else {
      let ticket = Ticket(invalidations, self)
      ticket.finish()
      return ticket
    }
    return notifier.announce(invalidations, epoch: epoch, to: session, of: self)
  }

  // MARK: - What is known

  /// Calls that the mount could not serve, with how often: errors of the tool, never of the app.
  package var toolErrors: [String: Int] { state.withLock { $0.toolErrors } }

  /// How many requests of the kernel have come for the phone: each is one round trip between a caller
  /// and this process.
  package var requestCount: Int { state.withLock { $0.requestCount } }

  func countToolError(_ call: String) {
    state.withLock { $0.toolErrors[call, default: 0] += 1 }
  }
}
