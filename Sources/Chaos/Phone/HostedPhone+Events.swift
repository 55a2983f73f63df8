import Device
import Linux
import Machine
package import Phone
import Ports

extension HostedPhone {
  /// Lets an event happen now.
  ///
  /// - Parameters:
  ///   - event: What happens.
  ///   - waits: Whether to wait until the kernel has forgotten the old state; an event that comes
  ///     while an operation is parked must not.
  /// - Returns: What the event did, for reports.
  /// - Throws: ``PhoneHostError/refused(_:)`` when it cannot happen now; nothing changed then. Else
  ///   what went wrong half-way.
  @discardableResult
  package func happen(
    _ event: PhoneEvent, waits: Bool = true
  ) throws(PhoneHostError) -> PhonePlan {
    let planned = state.withLock { state -> Result<PhonePlan, PhoneEventError> in
      let entropy = entropy(for: "event \(state.changeCount)", state.setup)
      return Result { () throws(PhoneEventError) in
        try state.phone.plan(for: event, entropy: entropy)
      }
    }
    var plan: PhonePlan
    switch planned {
    case .success(let made): plan = made
    case .failure(let error): throw .refused("\(error)")
    }
    if try carryOut(plan.effects, waits: waits) { plan.takes.insert(.key) }
    state.withLock { state in
      state.losses.formUnion(Loss(plan, event))
      state.changeCount += 1
    }
    return plan
  }

  /// Carries steps out.
  ///
  /// - Returns: Whether the service has removed items, by what it answers.
  /// - Throws: ``PhoneHostError``; the steps before were carried out.
  @discardableResult
  func carryOut(_ effects: [PhoneEffect], waits: Bool) throws(PhoneHostError) -> Bool {
    var removesItems = false
    for effect in effects { removesItems = try carryOut(effect, waits: waits) || removesItems }
    return removesItems
  }

  private func carryOut(_ effect: PhoneEffect, waits: Bool) throws(PhoneHostError) -> Bool {
    switch effect {
    case .endApp: try endApps()
    case .stopDaemon: stopService()
    case .startDaemon: try startService()
    case .removeTree(let path): change(waits: waits) { tree, _ in tree.remove(path) }
    case .makeTree(let path):
      change(waits: waits) { tree, now in tree.makeDirectory(path, mode: 0o755, at: now) }
    case .writeFile(let path, let bytes, let permissions):
      change(waits: waits) { tree, now in
        tree.writeFile(path, bytes, mode: permissions, at: now)
      }
    case .keepSubtree(_, let snapshot):
      let volume = withDevice { $0.live }
      state.withLock { $0.snapshots[snapshot] = volume }
    case .restoreSubtree(let path, let snapshot):
      guard let volume = state.withLock({ $0.snapshots[snapshot] }) else {
        throw .refused("no snapshot '\(snapshot)'")
      }
      change(waits: waits) { tree, now in tree.restore(path, from: volume, at: now) }
    case .syncEverything: withDevice { $0.settle() }
    case .setLockState(let lockState):
      guard isServiceRunning else { break }
      _ = try ask(ServiceRequest.setLockState(lockState))
    case .sealPaths(let paths): withDevice { $0.sealedPrefixes = paths }
    case .setFreeSpace(let free): setFreeSpace(free)
    case .daemonRequest(let text): return try demand(text) > 0
    }
    return false
  }

  private func change(waits: Bool, _ body: (inout Tree, Int64) -> Void) {
    let now = nowMs * 1_000_000
    forget(withDevice { device in device.change { body(&$0, now) } }, waits: waits)
  }

  private func setFreeSpace(_ free: Int?) {
    let capacity = state.withLock { $0.setup.capacityBytes }
    withDevice { device in
      device.capacityBytes = free.map { device.usedBytes + $0 } ?? capacity
    }
  }

  /// A request of the system, which the service must carry out.
  ///
  /// - Returns: How many items it has removed.
  private func demand(_ text: String) throws(PhoneHostError) -> Int {
    let answer = try ask(text)
    guard let count = ServiceRequest.itemsRemoved(by: answer) else {
      throw .service("refused a request of the system: \(answer)")
    }
    return count
  }

  func entropy(for purpose: String, _ setup: PhoneSetup) -> any Entropy {
    guard let seed = setup.seed else { return SystemEntropy() }
    return SeededEntropy(seed: seed, stream: purpose)
  }
}

extension Loss {
  /// What an event takes away for good.
  init(_ plan: PhonePlan, _ event: PhoneEvent) {
    self = []
    if plan.takes.contains(.key) { insert(.key) }
    if plan.takes.contains(.blob) { insert(.blob) }
    if !plan.rewinds.isEmpty { formUnion([.recency, .backup]) }
    if event == .uninstall { insert(.app) }
  }
}
