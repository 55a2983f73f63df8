import Linux

/// The least that two processes can do to talk: a message through a pipe, and back through another.
/// Nothing that asks another process on the same processor can be faster.
final class PingPong {
  static let implementation = "pipe"

  private let partner: ChildProcess
  private let sending: Descriptor
  private let receiving: Descriptor

  init() throws {
    let (theirInput, sending) = try Descriptor.pipe()
    let (receiving, theirOutput) = try Descriptor.pipe()
    var launch = ChildProcess.Launch(["cat"])
    launch.descriptors = [theirInput, theirOutput, .standardError]
    launch.diesWithParent = true
    partner = try ChildProcess(launch)
    self.sending = sending
    self.receiving = receiving
  }

  /// Sends `bytes` and waits for them.
  func probe(_ name: String, bytes: Int, _ share: Int) -> Probe {
    let message = [UInt8](repeating: 0, count: bytes)
    return Probe(name, Self.implementation, bytes: bytes, callCount: 10 * share) { [self] _ in
      try exchange(message)
    }
  }

  /// Wakes the partner and is woken by it, once.
  ///
  /// - Returns: Nanoseconds until then.
  func wakeUp() throws -> Double {
    let message = [UInt8](repeating: 0, count: 16)
    let start = Clocks.monotonicNs
    try exchange(message)
    return Double(Clocks.monotonicNs - start)
  }

  private func exchange(_ message: [UInt8]) throws {
    try sending.write(message)
    var left = message.count
    while left > 0 { left -= try receiving.read(count: left).count }
  }

  func end() {
    try? partner.kill()
    _ = try? partner.wait(timeoutMs: 5_000)
  }
}
