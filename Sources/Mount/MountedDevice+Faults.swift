package import Device
import Glibc
import Linux

extension MountedDevice {
  /// What remains to be done when the state is unlocked again.
  enum Followup {
    case nothing
    case event(FaultID, key: Int)
    case answerLater(milliseconds: Int, key: Int)
    case finishCut
    case announce(Stale)
  }

  /// Carries out what the device said about a request: parks it, lets it wait, or concludes it.
  func settle(
    _ performed: Performed, _ request: Unanswered, _ state: inout State
  ) -> Followup {
    if state.phase != .serving { return settleLate(performed, request, &state) }
    switch performed.answer {
    case .parked(let id):
      let key = park(request, .parked(id), &state)
      if case .event(let fault) = performed.consequence { return .event(fault, key: key) }
      return .nothing
    case .reply(let result):
      guard performed.delayMs > 0 else { return conclude(result, performed, request, &state) }
      let key = park(request, .delayed(performed), &state)
      return .answerLater(milliseconds: performed.delayMs, key: key)
    }
  }

  /// A request that comes after the power has gone: a late release or write-back, or somebody who is
  /// not registered. It sees the old state; nothing more follows from it.
  private func settleLate(
    _ performed: Performed, _ request: Unanswered, _ state: inout State
  ) -> Followup {
    if state.phase == .cutting { state.cut.lateRequestCount += 1 }
    switch performed.answer {
    case .parked(let id):
      state.device.abandon(id)
      request.refuse(EIO)
    case .reply(let result): answer(result, request, &state)
    }
    return .nothing
  }

  private func park(
    _ request: Unanswered, _ reason: Unanswered.Reason, _ state: inout State
  ) -> Int {
    let key = state.nextKey
    state.nextKey += 1
    state.waiting[key] = (request, reason)
    request.noteInterrupts(as: key)
    return key
  }

  /// Kills or cuts, then answers.
  ///
  /// The signal goes first: the caller sleeps in its system call until the answer comes, and dies on
  /// the way back without having seen it. Answered first, it could go on for a moment.
  private func conclude(
    _ result: Result<Response, DeviceError>, _ performed: Performed, _ request: Unanswered,
    _ state: inout State
  ) -> Followup {
    var next = performed.stale.isEmpty ? Followup.nothing : .announce(performed.stale)
    switch performed.consequence {
    case .kill(let process) where state.device.services.contains(process):
      for app in supervisor.members where app.role == .app { kill(app.number, &state) }
    case .kill(let process): kill(process, &state)
    case .powerCut(let survivors):
      beginCut(to: state.device.crashState(survivors), &state)
      next = .finishCut
    case .event, nil: break
    }
    state.noteRefused(performed, result, of: request.call)
    if !performed.fired.isEmpty, case .read(let inode, _, _) = request.call.request,
      case .success = result
    {
      // The kernel takes a short answer for the end of the file.
      var stale = performed.stale
      stale.inodes.append(inode)
      next = .announce(stale)
    }
    answer(result, request, &state)
    return next
  }

  func follow(_ next: Followup) {
    switch next {
    case .nothing: break
    case .event(let fault, let key):
      worker.submit { [self] in
        options.event(self, fault)
        // Its caller must not go on to see the old state; but the kernel may wait for its request.
        _ = notifier.latest?.wait()
        resume(key)
      }
    case .answerLater(let milliseconds, let key):
      timer.submit(afterMs: milliseconds) { [self] in resume(key) }
    case .finishCut: cutter.submit { [self] in _ = try? finishCut() }
    case .announce(let stale): _ = changed(stale)
    }
  }

  // MARK: - Held operations

  /// The operations that wait for a ``release(_:)``, an event or the end of a delay, oldest first.
  package var held: [HeldOperation] {
    state.withLock { state in held(in: state) { _ in true } }
  }

  /// Waits until a number of operations are held.
  ///
  /// - Returns: The held operations; `nil` when the time ran out.
  package func waitUntilHeld(count: Int = 1, timeoutMs: Int? = nil) -> [HeldOperation]? {
    state.wait(timeoutMs: timeoutMs) { state in
      state.waiting.count >= count ? held(in: state) { _ in true } : nil
    }
  }

  /// Applies a held operation and answers it. One that is no longer held is no error.
  package func release(_ operation: HeldOperation) {
    resume(operation.key)
  }

  /// Those held operations that keep the kernel from forgetting.
  func held(blocking invalidations: [Invalidation]) -> [HeldOperation] {
    state.withLock { state in
      held(in: state) { call in invalidations.contains { call.request.blocks($0) } }
    }
  }

  private func held(in state: State, where isWanted: (Call) -> Bool) -> [HeldOperation] {
    state.waiting.sorted { $0.key < $1.key }.filter { isWanted($0.value.request.call) }.map {
      HeldOperation(
        key: $0.key, process: $0.value.request.process,
        words: words($0.value.request.call.request, state.device))
    }
  }

  private func words(_ request: Request, _ device: StorageDevice) -> String {
    let kind = request.kind?.rawValue ?? "release"
    switch request {
    case .point(let name): return "\(kind) \(name)"
    case .lookUp(let directory, let name), .create(in: let directory, let name, _),
      .makeNode(in: let directory, let name, _, _), .makeDirectory(in: let directory, let name, _),
      .symbolicLink(in: let directory, let name, _, _), .link(_, in: let directory, let name),
      .unlink(in: let directory, let name), .removeDirectory(in: let directory, let name),
      .rename(from: let directory, let name, _, _, _):
      return "\(kind) \(device.live.path(of: name, in: directory))"
    case .attributes(let inode), .read(let inode, _, _), .list(let inode), .readLink(let inode),
      .open(let inode), .release(let inode), .write(let inode, _, _),
      .setAttributes(let inode, _), .allocate(let inode, _, _, _), .sync(let inode, _),
      .syncDirectory(let inode), .extendedAttribute(let inode, _),
      .extendedAttributes(let inode), .setExtendedAttribute(let inode, _, _, _),
      .removeExtendedAttribute(let inode, _):
      return "\(kind) \(device.live.path(of: inode))"
    case .statistics: return kind
    }
  }

  private func resume(_ key: Int) {
    let next = state.withLock { state -> Followup in
      guard let (request, reason) = state.waiting.removeValue(forKey: key) else { return .nothing }
      switch reason {
      case .parked(let id):
        return settle(state.device.resume(id, at: now), request, &state)
      case .delayed(var performed):
        performed.delayMs = 0
        return settle(performed, request, &state)
      }
    }
    follow(next)
  }

  // MARK: - Ending processes

  /// Kills a registered process, and answers what it waits for with EIO, unapplied.
  package func kill(_ process: ProcessNumber) {
    state.withLock { kill(process, &$0) }
  }

  /// Kills the registered apps and waits until they are reaped; system daemons go on.
  ///
  /// - Returns: The names of the apps.
  /// - Throws: ``MountError/processRemains(_:)`` when one did not end within 10 s.
  @discardableResult
  package func killApps() throws(MountError) -> [String] {
    let apps = supervisor.members.filter { $0.role == .app }
    for app in apps { kill(app.number) }
    let remaining = supervisor.waitUntilEnded(.app, timeoutMs: 10_000)
    guard remaining.isEmpty else { throw .processRemains(remaining) }
    return apps.map(\.name)
  }

  private func kill(_ process: ProcessNumber, _ state: inout State) {
    guard supervisor.kill(process) else { return }
    refuseAll(&state) { $0.process == process }
  }

  /// Answers waiting requests with EIO; what was parked is not applied.
  func refuseAll(_ state: inout State, where isWanted: (Unanswered) -> Bool = { _ in true }) {
    for (key, waiting) in state.waiting where isWanted(waiting.request) {
      state.waiting[key] = nil
      if case .parked(let id) = waiting.reason { state.device.abandon(id) }
      waiting.request.refuse(EIO)
    }
  }

  /// The caller of a waiting request got a signal. Only a deadly one ends the wait: no other would
  /// interrupt a call on a local file system.
  ///
  /// Comes on the serving thread with a lock of libfuse's held, so the rest is done elsewhere.
  func interrupted(_ key: Int) {
    timer.submit { [self] in
      state.withLock { state in
        guard let request = state.waiting[key]?.request else { return }
        guard ProcessTable.isDying(thread: request.call.caller.thread) else { return }
        refuseAll(&state) { $0 === request }
      }
    }
  }
}
