/// A phone's storage device: what is stored now, what would survive, and every operation between.
package struct Device: Sendable {
  package init(_ setup: DeviceSetup) { fatalError() }

  /// Performs one request, after asking the armed faults.
  ///
  /// - Parameters:
  ///   - request: The call.
  ///   - process: Who calls; decides whom a kill hits.
  ///   - timeNs: Nanoseconds since 1970, for the time stamps of inodes.
  package mutating func perform(
    _ request: Request, by process: ProcessNumber, at timeNs: Int64
  ) -> Performed { fatalError() }

  /// Applies a parked request now. Faults are not asked again.
  package mutating func resume(_ parked: ParkedID, at timeNs: Int64) -> Performed { fatalError() }

  /// Forgets a parked request whose process is gone; nothing is applied.
  package mutating func abandon(_ parked: ParkedID) { fatalError() }

  /// The device after a power loss now: live and durable views are equal, nothing is pending,
  /// every inode but the root has a new number, and faults, domains and snapshots stay.
  package func crashState(_ survivors: Survivors) -> Device { fatalError() }

  package mutating func arm(_ fault: ArmedFault) -> FaultID { fatalError() }
  package mutating func disarm(_ fault: FaultID) { fatalError() }

  /// Every fault ever armed, in order, with what became of it.
  package var faults: [(id: FaultID, fault: ArmedFault, status: ArmedFault.Status)] { fatalError() }

  /// The operations since the device was made or its log was cleared; the oldest are dropped
  /// when the log is full.
  package var log: [OperationRecord] { fatalError() }
}

package struct DeviceSetup: Sendable {}
package struct OperationRecord: Sendable {}

/// One file, directory or link of one view.
package struct Inode: Sendable {
  package enum Kind: UInt8, Sendable { case file, directory, symbolicLink, fifo, socket }
}
