import Device
import Phone
import Ports
import SQLite
import Simulation
import Testing

private final class Quiet: Console, TracePoint, CrashHandler, WallClock {
  let nowMs: Int64 = 1_700_000_000_000
  private(set) var complaints: [String] = []

  func warn(_ text: String) { complaints.append(text) }
  func error(_ text: String) { complaints.append(text) }
  func crash(_ exception: String) { complaints.append(exception) }
  func reach(_ point: LogicalPoint) {}
}

/// The parts that keep their data in SQLite, on a device without a mount.
@Suite struct `The databases of a simulated phone` {
  private let box = DeviceBox(StorageDevice(DeviceSetup())) { 1_700_000_000_000_000_000 }
  private let quiet = Quiet()

  private func files(_ process: Int32) -> DeviceFileSystem {
    DeviceFileSystem(box, process: ProcessNumber(process))
  }

  private func killAll() {
    for process in Int32(1)...9 { box.end(ProcessNumber(process)) }
  }

  private func cutPower() {
    box.restart(after: .none, ending: (1...9).map(ProcessNumber.init))
  }

  // MARK: - iOS

  private func keychain(_ process: Int32) -> KeychainService {
    KeychainService(
      files: files(process), entropy: SeededEntropy(seed: UInt64(process), stream: "keychain"),
      clock: quiet, console: quiet, settings: KeychainSettings(), lockState: .unlocked)
  }

  private func add(_ name: String, to service: KeychainService) -> SecStatus {
    service.answer(
      .add(SecItem(query: IOSLayout.keyItem(for: name), accessibility: .whenUnlocked, data: [7]))
    ).status
  }

  private func find(_ name: String, _ service: KeychainService) -> KeychainAnswer {
    service.answer(.copyMatching(IOSLayout.keyItem(for: name)))
  }

  @Test func `keep a keychain item through a kill of the service`() {
    let service = keychain(1)
    #expect(add("a", to: service) == .success)
    killAll()
    #expect(find("a", keychain(11)).data == [7])
    #expect(add("b", to: service) != .success, "a dead service stores nothing")
    #expect(find("b", keychain(12)).status == .itemNotFound)
    #expect(quiet.complaints.count <= 1)
  }

  @Test func `lose a keychain item in a power cut before a checkpoint`() {
    let service = keychain(1)
    #expect(add("a", to: service) == .success)
    service.finish()
    box.device.settle()
    #expect(add("b", to: keychain(2)) == .success)
    cutPower()
    let next = keychain(11)
    #expect(find("a", next).data == [7])
    #expect(find("b", next).status == .itemNotFound)
  }

  // MARK: - Android

  private func asyncStorage(_ process: Int32) -> RKStorageModule {
    RKStorageModule(
      files: files(process), points: quiet, console: quiet, crashes: quiet,
      settings: AndroidStorageSettings())
  }

  private func room(_ process: Int32) -> RoomStorageModule {
    RoomStorageModule(
      files: files(process), entropy: SeededEntropy(seed: UInt64(process), stream: "names"),
      points: quiet, console: quiet, settings: AndroidStorageSettings())
  }

  @Test func `keep a value of AsyncStorage 2 through a kill and a power cut`() async throws {
    try await asyncStorage(1).setItem("k", to: "first")
    try await asyncStorage(2).setItem("k", to: "second")
    killAll()
    #expect(try await asyncStorage(11).item("k") == "second")
    cutPower()
    #expect(try await asyncStorage(12).item("k") == "second")
    #expect(quiet.complaints == [])
  }

  @Test func `keep a value of AsyncStorage 3 through a kill, and lose it in a power cut`()
    async throws
  {
    try await room(1).setItem("k", to: "first")
    box.device.settle()
    try await room(2).setItem("k", to: "second")
    killAll()
    #expect(try await room(11).item("k") == "second")
    cutPower()
    #expect(try await room(12).item("k") == "first")
    #expect(quiet.complaints == [])
  }

  @Test func `take the values of AsyncStorage 2 over into 3`() async throws {
    try await asyncStorage(1).setItem("k", to: "value")
    killAll()
    try files(10).makeDirectory(AndroidLayout.cache, permissions: 0o700)
    #expect(try await room(11).item("k") == "value")
  }
}
