package import Device
import Linux

/// What a power cut, or another swap of the device, did.
package struct PowerCutReport: Equatable, Sendable {
  /// The names of the processes that were killed.
  package var killed: [String] = []
  /// The operations that were held and answered EIO, unapplied.
  package var refused: [String] = []
  /// Requests after the cut: they went to the old state, which is gone.
  package var lateRequestCount = 0
}

extension MountedDevice {
  /// A swap between its start and its end.
  struct CutInProgress {
    var next: StorageDevice?
    var report = PowerCutReport()
    var lateRequestCount = 0
  }

  /// Cuts the power: kills every registered process and goes to a crash state, in place.
  ///
  /// Returns when all processes are reaped, the state is swapped and the kernel has forgotten the old
  /// one. Late releases and write-back of the dead go to the old state. Whoever else has files of
  /// the old state open gets ESTALE.
  ///
  /// Must not be called on the serving thread: not from what makes `.lab/status.json`.
  ///
  /// - Throws: ``MountError/processRemains(_:)`` when a process did not end within 10 s; the state
  ///   is swapped all the same.
  @discardableResult
  package func powerCut(_ survivors: Survivors) throws(MountError) -> PowerCutReport {
    try restart { $0 = $0.crashState(survivors) }
  }

  /// Puts another device in the place of the present one, as ``powerCut(_:)`` does.
  @discardableResult
  package func replaceDevice(with device: StorageDevice) throws(MountError) -> PowerCutReport {
    try restart { $0 = device }
  }

  /// Kills every registered process and changes the device as a whole, with new inode numbers if
  /// `change` likes: for instance to a snapshot. Otherwise as ``powerCut(_:)``.
  @discardableResult
  package func restart(
    _ change: (inout StorageDevice) -> Void
  ) throws(MountError) -> PowerCutReport {
    let begun = state.wait { state -> Bool? in
      switch state.phase {
      case .cutting: return nil
      case .ended: return false
      case .serving:
        var next = state.device
        change(&next)
        beginCut(to: next, &state)
        return true
      }
    }
    guard begun == true else { throw .ended(directory) }
    return try finishCut()
  }

  /// Waits until no power cut is under way; one that a fault set off ends by itself.
  ///
  /// - Returns: The reports of all cuts so far.
  @discardableResult
  package func waitUntilServing(timeoutMs: Int? = nil) -> [PowerCutReport]? {
    state.wait(timeoutMs: timeoutMs) { $0.phase == .cutting ? nil : $0.cutReports }
  }

  /// The moment of the cut. What is done later changes nothing of the state that survives.
  func beginCut(to next: StorageDevice, _ state: inout State) {
    state.phase = .cutting
    state.cut = CutInProgress(next: next)
    state.cut.report.killed = supervisor.killAll()
    state.cut.report.refused = state.waiting.sorted { $0.key < $1.key }.compactMap {
      guard case .parked(let id) = $0.value.reason else { return nil }
      return state.device.description(of: id)
    }
    refuseAll(&state)
  }

  /// Waits for the dead, swaps the state and makes the kernel forget the old one.
  func finishCut() throws(MountError) -> PowerCutReport {
    let remaining = supervisor.waitUntilEnded(timeoutMs: 10_000)
    session.withLock { $0 }?.drain()
    let (invalidations, oldEpoch) = state.withLock { state -> ([Invalidation], UInt64) in
      guard let next = state.cut.next else { return ([], state.epoch) }
      let old = state.device
      let names = state.rootNames
        .union((old.live.list(.root) + next.live.list(.root)).map(\.name))
      let strangers = state.openCounts.keys.map(KernelNode.init).filter { $0.epoch == state.epoch }
      let epoch = state.epoch
      state.device = next
      state.cut.next = nil
      state.epoch += 1
      state.rootNames = []
      state.listings = [:]
      state.indexes.forgetAll()
      return (
        [.content(.root)] + names.sorted().map { .entry(in: .root, $0) }
          + strangers.map { .content($0.inode) }, epoch
      )
    }
    if let session = session.withLock({ $0 }) {
      _ = notifier.announce(invalidations, epoch: oldEpoch, to: session, of: self).wait()
    }
    let report = state.withLock { state -> PowerCutReport in
      state.cut.report.lateRequestCount = state.cut.lateRequestCount
      state.cutReports.append(state.cut.report)
      if state.phase == .cutting { state.phase = .serving }
      return state.cut.report
    }
    guard remaining.isEmpty else { throw .processRemains(remaining) }
    return report
  }
}
