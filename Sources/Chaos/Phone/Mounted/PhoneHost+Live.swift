import Device
import Linux
import Mount
import Phone
import Ports

extension PhoneHost {
  /// The command line that starts the reference app on this phone, with `words` as its own.
  func liveAppCommand(_ words: [String]) throws(PhoneHostError) -> [String] {
    if let problem = launchProblem { throw .refused(problem) }
    let socketPath = try readyService().socketPath
    let setup = state.withLock { $0.setup }
    return [
      programs.app, "session", "--root", mounted.directory, "--daemon", socketPath,
      "--state", launchState.rawValue,
    ] + setup.options + words
  }

  /// Makes durable what has had half a minute, as the kernel's own write-back does. For a phone with
  /// the machine's clock; call it about every second.
  package func writeBack() {
    let count = mounted.withDevice { $0.operationCount }
    let isDue = writeBackState.withLock { state -> Bool in
      if state.operations != count { state = (count, nowMs) }
      return nowMs - state.sinceMs >= Self.writeBackMs
    }
    guard isDue else { return }
    mounted.withDevice { device in
      if !device.volatileDomains.isEmpty { device.settle() }
    }
  }

  /// Disarms and forgets every fault, and lets held operations go on.
  package func disarmAll() {
    mounted.withDevice { $0.forgetFaults() }
    state.withLock { state in
      state.requests = [:]
      state.eventFailures = []
    }
    for operation in mounted.held { mounted.release(operation) }
  }

  /// Makes everything stored, and what the system knows, as it was at an earlier time.
  func goBack(to volume: Volume, _ earlier: HostState) throws(PhoneHostError) {
    var device = mounted.withDevice { $0 }
    device.start(from: volume)
    device.capacityBytes = earlier.setup.capacityBytes
    device.sealedPrefixes = earlier.phone.sealedPaths
    do {
      try mounted.replaceDevice(with: device)
    } catch {
      throw .mount(error)
    }
    let cuts = cutCount
    state.withLock { state in
      let backups = state.phone.snapshots
      state.phone = earlier.phone
      state.phone.snapshots = backups
      state.cutCount = cuts
      state.losses = []
      state.changeCount += 1
    }
    service.withLock { $0 = nil }
    try startService()
  }
}
