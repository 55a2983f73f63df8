package import Device
package import Ports

/// One device that several simulated processes share, with the virtual time of its requests.
///
/// Not thread-safe: the simulator runs on one thread.
package final class DeviceBox {
  package var device: StorageDevice
  private let now: () -> Int64
  private var consequences: [Performed.Consequence] = []
  private var ended: Set<ProcessNumber> = []
  /// Those that a fault at an operation of a service ends; the service goes on.
  private var apps: Set<ProcessNumber> = []
  private var hasPower = true

  /// Runs an event of the operating system while the request that set it off is parked. Without it
  /// an event does nothing.
  package var onEvent: ((FaultID, DeviceBox) -> Void)?

  /// Told of each operation that a fault could have hit by its number, once it is done.
  package var onOperation: ((ProcessNumber) -> Void)?

  /// Lets virtual time pass while SQLite waits for a lock, in microseconds. Nobody can let go of it
  /// meanwhile, unless this runs other processes.
  package var onSleep: ((Int) -> Void)?

  /// What SQLite draws from a machine.
  package var entropy: any Entropy = SeededEntropy(seed: 0, stream: "sqlite")

  /// The databases that SQLite's connections have open, in the order of opening.
  var databases: [DeviceVFSDatabase] = []

  /// Notes what requests read, for whoever has set it.
  package var reads: ReadTrace?

  var nowNs: Int64 { now() }

  /// Puts a device where processes share it; `now` gives nanoseconds since 1970, of the virtual clock.
  package init(_ device: StorageDevice, now: @escaping () -> Int64) {
    self.device = device
    self.now = now
  }

  /// Whether a process still runs: neither killed nor without power.
  package func isAlive(_ process: ProcessNumber) -> Bool {
    hasPower && !ended.contains(process)
  }

  /// Performs a request of a process that is alive, and notes what follows from it.
  ///
  /// A request that an event parks is applied after the event. One that is held is given up, for no
  /// other process could release it here: it fails with EIO, unapplied.
  func perform(_ request: Request, by process: ProcessNumber) -> Result<Response, DeviceError> {
    let result = answer(request, by: process)
    reads?.note(request, result, isOfService: device.services.contains(process))
    return result
  }

  /// Where a name leads to, when a look-up of it would succeed and do nothing else: no fault waits that
  /// could hit it, and it is no link. `nil` where the request has to be performed.
  func plainLookUp(
    _ name: FileName, in directory: InodeID, by process: ProcessNumber
  ) -> InodeID? {
    guard device.faults.isQuiet, isAlive(process), let id = device.live.child(name, of: directory),
      device.live[id]?.kind != .symbolicLink
    else { return nil }
    return id
  }

  private func answer(
    _ request: Request, by process: ProcessNumber
  ) -> Result<Response, DeviceError> {
    guard isAlive(process) else { return .failure(.inputOutput) }
    let performed = device.perform(request, by: process, at: now())
    if performed.number != nil, request.kind != .point { onOperation?(process) }
    if let consequence = performed.consequence {
      consequences.append(consequence)
      switch consequence {
      case .kill(let victim) where device.services.contains(victim): ended.formUnion(apps)
      case .kill(let victim): ended.insert(victim)
      case .powerCut: hasPower = false
      case .event: break
      }
    }
    switch performed.answer {
    case .reply(let result): return result
    case .parked(let id):
      guard case .event(let fault) = performed.consequence else {
        device.abandon(id)
        return .failure(.inputOutput)
      }
      onEvent?(fault, self)
      guard isAlive(process), case .reply(let result) = device.resume(id, at: now()).answer else {
        device.abandon(id)
        return .failure(.inputOutput)
      }
      return result
    }
  }

  /// What the requests since the last call have set off, in order.
  package func takeConsequences() -> [Performed.Consequence] {
    defer { consequences = [] }
    return consequences
  }

  /// From here on a process counts as an app of the phone.
  package func noteApp(_ process: ProcessNumber) {
    apps.insert(process)
  }

  /// A process has come to a logical point.
  package func reach(_ point: String, by process: ProcessNumber) {
    _ = perform(.point(point), by: process)
  }

  /// Ends a process, as an event of the operating system may.
  package func end(_ process: ProcessNumber) {
    ended.insert(process)
  }

  /// Goes to the state after a power cut and turns the power on again. Processes from before it
  /// stay ended: a restart has a new process number.
  package func restart(after survivors: Survivors, ending processes: [ProcessNumber]) {
    device = device.crashState(survivors)
    ended.formUnion(processes)
    hasPower = true
  }
}
