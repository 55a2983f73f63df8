import Device
import Phone
import Ports

/// Faults of a case: armed, counted, and what they leave in storage.
extension CasePlayer {
  /// Where a fault waits for its moment.
  enum Armed {
    case device(FaultID)
    case server(Int)
  }

  /// The step under way: `my-save.json5:12`.
  var here: String { file.isEmpty ? "line \(stepLine)" : "\(file):\(stepLine)" }

  func arm(_ fault: FaultRequest) throws(PhoneHostError) -> Armed {
    guard fault.kind.isOnServer else { return .device(try host.arm(fault)) }
    return .server(try injectIntoServer(fault).id ?? 0)
  }

  func injectIntoServer(_ fault: FaultRequest) throws(PhoneHostError) -> InjectReport {
    guard let client else { throw .refused("\(here): \(fault) needs a server") }
    do {
      return try client.server.inject(fault)
    } catch {
      throw .refused("\(here): \(error)")
    }
  }

  func conclude(_ armed: Armed, _ fault: FaultRequest) throws(PhoneHostError) {
    switch armed {
    case .device(let id): try conclude(id, fault)
    case .server(let id): concludeServer(id, fault)
    }
  }

  private func concludeServer(_ id: Int, _ fault: FaultRequest) {
    faults.armed += 1
    if client?.server.conclude(id) ?? 0 > 0 {
      faults.fired += 1
      client?.noteFired(fault)
    } else {
      faults.neverFired.append("\(fault), line \(stepLine); no request of the app fitted")
    }
  }

  /// Waits for what a fault set in motion, disarms it, and counts whether it fired.
  private func conclude(_ id: FaultID, _ fault: FaultRequest) throws(PhoneHostError) {
    host.noteCuts()
    faults.armed += 1
    let hasFired = host.withDevice { device in
      device.disarm(id)
      return device.faults.entries.contains { $0.id == id && $0.firedCount > 0 }
    }
    guard hasFired else {
      faults.neverFired.append("\(fault), line \(stepLine); reached: \(reached)")
      return
    }
    faults.fired += 1
    client?.noteFired(fault)
    host.noteLoss(by: fault)
    if fault.kind.group == .process || fault.kind.group == .power {
      try noteImage(after: fault)
    }
  }

  /// The points that the step under way has announced.
  private var reached: String {
    let end = host.withDevice { $0.operationCount }
    let names = points(in: stepStart..<end).map(\.rawValue)
    return names.isEmpty ? "no point" : names.joined(separator: " ")
  }

  func noteImage(after fault: FaultRequest) throws(PhoneHostError) {
    images.append(host.withDevice { $0.liveDigest() })
    try noteStored("after \(fault)")
  }

  func noteStored(_ moment: String) throws(PhoneHostError) {
    let device = host.withDevice { $0 }
    guard device.recording != nil else { return }
    do {
      stored.append(try StoredImage(moment, of: device))
    } catch {
      throw .refused("\(error)")
    }
  }

  /// What was done to the storage, when the device was recorded.
  func trace() throws(PhoneHostError) -> StorageTrace? {
    let device = host.withDevice { $0 }
    guard device.recording != nil else { return nil }
    do {
      return try StorageTrace(of: device, stored)
    } catch {
      throw .refused("\(error)")
    }
  }
}
