package import Device
package import Images
import JSON
import Linux
import Mount
package import Phone

/// A phone that was kept in an image file: what is stored, its backups, and what the system knows.
package struct KeptPhone: Sendable {
  package let device: StorageDevice
  package let phone: any PhoneModel
  package let snapshots: [String: Volume]
}

/// Keeps a live phone in an image file.
///
/// Used by one thread. A lab that is killed between two saves leaves the earlier one.
package final class PhoneKeeper {
  private let file: ImageFile
  private var saved: Version?

  /// What has to differ for another save.
  private struct Version: Equatable {
    let operations: Int
    let changes: Int
  }

  /// Opens an image file, and makes one where there is none.
  ///
  /// - Throws: `ImageError`; the file is as it was.
  package init(at path: String) throws(ImageError) {
    file = try ImageFile(at: path, creating: true)
  }

  /// The phone in the file; `nil` in a new one.
  ///
  /// - Parameter setup: The settings of the phone, which the file does not hold.
  /// - Returns: The phone, or `nil`.
  /// - Throws: `ImageError` when the content contradicts itself.
  package func load(_ setup: PhoneSetup) throws(ImageError) -> KeptPhone? {
    guard let image = try file.load() else { return nil }
    do {
      let phone = try PhoneKind.phone(stored: image.phoneState, setup.chosen)
      return KeptPhone(device: image.device, phone: phone, snapshots: image.snapshots)
    } catch {
      throw .damaged(path: file.path, reason: "the phone's state: \(error)")
    }
  }

  /// Saves the phone if anything has happened to it since the last time.
  ///
  /// - Throws: `ImageError`; the file then holds the phone of the last time.
  package func save(_ host: PhoneHost) throws(ImageError) {
    let (phone, snapshots, changes) = host.state.withLock {
      ($0.phone, $0.snapshots, $0.changeCount)
    }
    let device = host.mounted.withDevice { $0 }
    let version = Version(operations: device.operationCount, changes: changes)
    guard version != saved else { return }
    try file.save(
      Image(
        device: device, snapshots: snapshots,
        phoneState: JSONWriter.text(of: phone.stored)))
    saved = version
    let oldest = try file.oldestOperation()?.number
    host.state.withLock { $0.oldestSaved = oldest }
  }
}
