import Crypto
import Device

/// What a case did to a phone's storage, to be compared with the same case on another tier.
package struct StorageTrace: Equatable, Sendable {
  /// In the order in which they were carried out.
  package let calls: [StorageCall]
  /// After each kill and each power cut, and at the end.
  package let images: [StoredImage]

  /// Takes what a device has recorded since it was new.
  init(of device: StorageDevice, _ images: [StoredImage]) throws(CryptoError) {
    var requests: [OperationNumber: Request] = [:]
    for step in device.recording?.steps ?? [] {
      if let number = step.number { requests[number] = step.request }
    }
    var calls: [StorageCall] = []
    for record in device.log {
      let call = try StorageCall(record, requests[record.number], services: device.services)
      if let call { calls.append(call) }
    }
    self.calls = calls
    self.images = images
  }

  /// The calls of each file, in their order.
  var callsByFile: [String: [StorageCall]] {
    var files: [String: [StorageCall]] = [:]
    for call in calls {
      for file in call.files { files[file, default: []].append(call) }
    }
    return files
  }
}
