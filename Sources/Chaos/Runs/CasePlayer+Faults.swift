import Backend
import Device
import Linux
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

  /// A program keeps the session under names of its own: what is to hit the file of the session's item
  /// hits the longest value of AsyncStorage that a save has written, if it has a file.
  func aimed(_ request: FaultRequest) throws(PhoneHostError) -> FaultRequest {
    guard launch.foreign != nil, isValueFile(request.values.path),
      host.withDevice({ $0.live.files(matching: PathPattern(request.values.path)) }).isEmpty
    else { return request }
    let names = host.state.withLock { $0.items.written[.blob] ?? [] }
    let values = try host.inventory().blobs.filter { blob in
      blob.file != nil && blob.name.map(names.contains) == true
    }
    guard let longest = values.max(by: { $0.bytes ?? 0 < $1.bytes ?? 0 }), let file = longest.file,
      isValueFile(file), longest.bytes ?? 0 > request.values.length
    else { return request }
    var aimed = request
    aimed.values.path = file
    return aimed
  }

  /// AsyncStorage on iOS has a file for each long value, named by the MD5 of its key.
  private func isValueFile(_ path: String) -> Bool {
    guard let name = path.split(separator: "/").last else { return false }
    return name.utf8.count == 32 && name.allSatisfy(\.isHexDigit)
  }

  /// A program may end the process that carries out its calls. That says nothing of its store.
  func checkEnd(of app: any HostedApp, _ armed: Armed?) throws(PhoneHostError) {
    guard let foreign = launch.foreign, let signal = app.endSignal else { return }
    host.noteCuts()
    if case .device(let id)? = armed, hasFired(id) { return }
    throw .adapter(
      "the app '\(foreign.words.joined(separator: " "))' has ended the process that carries out its "
        + "calls (signal \(signal))")
  }

  private func hasFired(_ id: FaultID) -> Bool {
    host.withDevice { device in
      device.faults.entries.contains { $0.id == id && $0.firedCount > 0 }
    }
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
    let entry = client?.server.conclude(id)
    if entry?.fired ?? 0 > 0 {
      faults.fired += 1
      client?.noteFired(fault)
    } else {
      let hasMet = entry?.hasMet ?? false
      noteNeverFired(
        fault, [hasMet ? "it changed no reply of the server" : "no request of the app fitted"])
    }
  }

  /// Waits for what a fault set in motion, disarms it, and counts whether it fired.
  private func conclude(_ id: FaultID, _ fault: FaultRequest) throws(PhoneHostError) {
    host.noteCuts()
    faults.armed += 1
    host.withDevice { $0.disarm(id) }
    guard hasFired(id) else {
      noteNeverReached(fault)
      return
    }
    faults.fired += 1
    client?.noteFired(fault)
    host.noteLoss(by: fault)
    if fault.kind.group == .process || fault.kind.group == .power {
      try noteImage(after: fault)
    }
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
