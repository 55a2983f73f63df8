import Linux

/// Tells the kernel what to forget, on a thread of its own.
///
/// The kernel may wait for an unanswered request before it forgets; the serving thread must go on
/// meanwhile, so it never notifies, and this thread never holds the mount's state.
final class Notifier: Sendable {
  private let queue: WorkQueue
  private let unfinished = Locked<[Ticket]>([])

  init() throws(SystemError) {
    queue = try WorkQueue("lab-notify")
  }

  /// Queues invalidations behind those that are under way.
  func announce(
    _ invalidations: [Invalidation], epoch: UInt64, to session: FuseSession, of mount: MountedDevice
  ) -> Ticket {
    let ticket = Ticket(invalidations, mount)
    guard !invalidations.isEmpty else {
      ticket.finish()
      return ticket
    }
    unfinished.withLock { $0.append(ticket) }
    let accepted = queue.submit { [unfinished] in
      for invalidation in invalidations { session.notify(invalidation, epoch: epoch) }
      unfinished.withLock { $0.removeAll { $0 === ticket } }
      ticket.finish()
    }
    if !accepted {
      unfinished.withLock { $0.removeAll { $0 === ticket } }
      ticket.finish()
    }
    return ticket
  }

  /// The last ticket that is not done; `nil` when the kernel knows everything.
  var latest: Ticket? { unfinished.withLock { $0.last } }

  /// What a ticket and those before it still have to tell the kernel.
  func outstanding(upTo ticket: Ticket) -> [Invalidation] {
    unfinished.withLock { tickets in
      guard let place = tickets.firstIndex(where: { $0 === ticket }) else { return [] }
      return tickets[...place].flatMap(\.invalidations)
    }
  }

  func stop() {
    queue.stop()
  }
}

/// The progress of an injected change through the kernel's caches.
package final class Ticket: Sendable {
  let invalidations: [Invalidation]
  private let mount: MountedDevice
  private let done = Locked(false)

  package enum Outcome: Equatable, Sendable {
    /// No process can see the old state any more.
    case done
    /// The kernel waits until these operations are released.
    case waits(for: [HeldOperation])
  }

  init(_ invalidations: [Invalidation], _ mount: MountedDevice) {
    self.invalidations = invalidations
    self.mount = mount
  }

  func finish() {
    done.withLock { $0 = true }
  }

  /// Waits until the kernel has forgotten, or says what it waits for.
  ///
  /// - Parameter timeoutMs: How long to wait before asking what holds it up. Without a held
  ///   operation in the way the kernel takes microseconds.
  /// - Returns: Whether it has forgotten, or what it waits for.
  package func wait(timeoutMs: Int = 100) -> Outcome {
    while true {
      if done.wait(timeoutMs: timeoutMs, until: { $0 ? true : nil }) != nil { return .done }
      let blockers = mount.held(blocking: mount.notifier.outstanding(upTo: self))
      if !blockers.isEmpty { return .waits(for: blockers) }
      // Better all that is held than to wait for ever on an operation that the rules forgot.
      if !mount.held.isEmpty { return .waits(for: mount.held) }
    }
  }
}
