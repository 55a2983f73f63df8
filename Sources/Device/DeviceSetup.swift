/// How a device is made.
package struct DeviceSetup: Sendable {
  /// Of several whose prefix covers a path, the first holds it.
  package var domains: [DurabilityDomain] = []
  /// For every path outside the named domains.
  package var restProfile = PersistenceProfile.ordered
  package var capacityBytes = 1 << 30
  /// How many operations the log keeps at least; a million take some 50 MB.
  package var logLimit = 1_000_000
  /// How many changes may be pending before the kernel's own write-back makes all durable, as it
  /// would on a real phone after some seconds.
  package var pendingLimit = 65_536
  /// The point that ends an item, for profiles that keep items whole.
  package var itemPoint = "I1"
  /// The time stamp of the root directory, nanoseconds since 1970.
  package var startNs: Int64 = 0

  package init() {}
}
