import Device

/// Saves of a session whose changes are all still pending: a key file that is replaced, and two pages
/// of a database that are overwritten.
struct CrashWorkload {
  enum Step {
    case create(String)
    case write(String, at: Int, [UInt8])
    case rename(String, String)
  }

  /// What is durable before the saves.
  let settled: [Step]
  let pending: [Step]

  static let pageBytes = Inode.pageBytes

  init(saveCount: Int) {
    settled =
      [
        .create("key"), .write("key", at: 0, [UInt8](repeating: 1, count: 64)), .create("db"),
      ] + (0..<3).map { .write("db", at: $0 * Self.pageBytes, Self.page(UInt8($0 + 1))) }
    pending = (0..<saveCount).flatMap { save -> [Step] in
      let value = UInt8(truncatingIfNeeded: save + 10)
      return [
        .create("key.tmp"), .write("key.tmp", at: 0, [UInt8](repeating: value, count: 700)),
        .rename("key.tmp", "key"),
        .write("db", at: 0, Self.page(value)),
        .write("db", at: (1 + save % 2) * Self.pageBytes, Self.page(value)),
      ]
    }
  }

  private static func page(_ value: UInt8) -> [UInt8] {
    [UInt8](repeating: value, count: pageBytes)
  }

  /// A device on which this was done, and of the saves nothing synced.
  ///
  /// - Throws: ``BenchmarkError/differentWork(_:)`` when the device refuses a step.
  func device() throws -> StorageDevice {
    var setup = DeviceSetup()
    setup.restProfile = .posixWeak
    var device = StorageDevice(setup)
    var timeNs: Int64 = 0
    func call(_ request: Request) throws {
      timeNs += 1_000
      guard
        case .reply(.success) = device.perform(request, by: ProcessNumber(1), at: timeNs).answer
      else { throw BenchmarkError.differentWork("the device") }
    }
    func play(_ steps: [Step]) throws {
      for step in steps {
        switch step {
        case .create(let name):
          try call(.create(in: .root, FileName(name), Ownership(mode: 0o600)))
        case .write(let name, let offset, let bytes):
          guard let file = device.live.resolve(name) else {
            throw BenchmarkError.differentWork("the device")
          }
          try call(.write(file, offset: offset, bytes))
        case .rename(let name, let target):
          try call(
            .rename(from: .root, FileName(name), to: .root, FileName(target), .replacing))
        }
      }
    }
    try play(settled)
    device.settle()
    try play(pending)
    return device
  }
}
