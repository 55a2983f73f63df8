import Device
import Linux
import Mount
import Phone

extension PhoneHost {
  /// The command line that starts the reference app on this phone, with `words` as its own.
  func liveAppCommand(_ words: [String]) throws(PhoneHostError) -> [String] {
    let socketPath = try service().socketPath
    let setup = state.withLock { $0.setup }
    return [
      programs.app, "session", "--root", mounted.directory, "--daemon", socketPath,
    ] + setup.appOptions + words
  }

  /// Disarms every fault and lets held operations go on.
  package func disarmAll() {
    mounted.withDevice { device in
      for entry in device.faults.entries where entry.isArmed { device.disarm(entry.id) }
    }
    for operation in mounted.held { mounted.release(operation) }
  }

  /// Makes everything stored, and what the system knows, as it was at an earlier time.
  func goBack(to volume: Volume, _ earlier: State) throws(PhoneHostError) {
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
      state.phone = earlier.phone
      state.snapshots = earlier.snapshots
      state.service = nil
      state.cutCount = cuts
      state.losses = []
      state.changeCount += 1
    }
    try startService()
  }
}
