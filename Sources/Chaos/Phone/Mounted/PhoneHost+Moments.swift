import Device
import Linux
import Mount

/// Going back to a moment that a run has passed.
extension PhoneHost {
  /// What a phone is beside its device: enough to go on with another device.
  struct Standing {
    let state: HostState
    let nowMs: Int64
  }

  var standing: Standing { Standing(state: state.withLock { $0 }, nowMs: nowMs) }

  /// Goes on where a phone stood, with that device, the service started anew, and no app. The notes of
  /// the app begin anew. Everything stored is durable then.
  ///
  /// - Throws: ``PhoneHostError`` when the phone does not come back.
  func goOn(from standing: Standing, with device: StorageDevice) throws(PhoneHostError) {
    var next = device
    next.start(from: device.live)
    next.forgetFaults()
    do {
      try mounted.replaceDevice(with: next)
    } catch {
      throw .mount(error)
    }
    clock.withLock { $0 = standing.nowMs }
    forgetNotes()
    let cuts = cutCount
    state.withLock { state in
      state = standing.state
      state.cutCount = cuts
      state.losses = []
      state.items = standing.state.items.forNewNotes
    }
    service.withLock { $0 = nil }
    try startService()
  }
}
