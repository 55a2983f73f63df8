package import Device

/// All that a phone of the lab keeps in a file: its device, its backups, and what the phone model
/// remembers besides.
package struct Image: Sendable {
  package var device: StorageDevice
  /// Backups by name; each is the live view of the device at some earlier time.
  package var snapshots: [String: Volume]
  /// The phone's own state, as JSON text; not read here.
  package var phoneState: String

  package init(device: StorageDevice, snapshots: [String: Volume] = [:], phoneState: String = "") {
    self.device = device
    self.snapshots = snapshots
    self.phoneState = phoneState
  }
}
