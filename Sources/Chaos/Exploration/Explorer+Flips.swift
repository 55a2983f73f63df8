import Device
import Phone

/// Flips: after the last save, when everything is durable, one bit of each stored byte of both halves
/// is changed, as bit rot would, and the app starts. Which bit follows from the byte's place.
extension Explorer {
  func exploreFlips(of histories: [ExploredHistory]) throws(PhoneHostError) {
    for history in histories {
      let settled = (history.isOpenOverlap ? history.ordered(by: []) : history).settled
      let recording = try CrashRecorder.recording(of: settled.launched, plan)
      guard let end = recording.moments.last(where: { $0.step == settled.stepCount }) else {
        continue
      }
      try flip(bytesOf: end, in: settled)
    }
  }

  private func flip(
    bytesOf moment: CrashMoment, in history: ExploredHistory
  ) throws(PhoneHostError) {
    let files = files(of: moment.device)
    for (number, (path, half, size)) in files.enumerated() {
      var draws = Draws(seed: plan.seed &+ UInt64(number))
      let isSampled = size > plan.cutCountMax
      if isSampled { found.sampledFileCount += 1 }
      let bytes =
        isSampled ? (0..<plan.cutCountMax).map { _ in draws.below(size) } : Array(0..<size)
      for byte in bytes where !stops() {
        try flip(byte, of: path, half, moment, in: history)
      }
      progress("flips", number + 1, files.count)
    }
  }

  private func files(of device: StorageDevice) -> [(path: String, half: Half, sizeBytes: Int)] {
    var device = device
    let live = device.live
    return live.files(matching: PathPattern("*")).compactMap { id in
      let path = live.path(of: id)
      guard let domain = device.domainName(ofFileAt: path),
        let half = Half.allCases.first(where: { phone.domains(of: $0).contains(domain) })
      else { return nil }
      return (path, half, live[id]?.sizeBytes ?? 0)
    }
  }

  private func flip(
    _ byte: Int, of path: String, _ half: Half, _ moment: CrashMoment,
    in history: ExploredHistory
  ) throws(PhoneHostError) {
    var device = moment.device
    let bit = byte % 8
    do {
      _ = try device.alter(.flipBit(path: path, byte: byte, bit: bit))
    } catch {
      throw .refused("byte \(byte) of \(path) cannot be changed: \(error)")
    }
    var knowledge = moment.knowledge
    knowledge.oracle.note(half == .key ? .key : .blob)
    found.flipCount += 1
    let (image, _) = try recover(device, knowledge, moment.standing)
    noteFailure(
      in: judgements(ofImage: image), .bitFlip(path: path, byte: byte, bit: bit), in: history,
      at: (history.stepCount - 1, nil), point: nil, image: image)
    found.map.note(
      verdict(ofImage: image), .bitFlip,
      at: CrashMap.Spot(step: history.stepCount - 1, title: "all durable"))
  }
}
