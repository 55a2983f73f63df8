import Foundation
import Linux
import Mount
import Testing

@testable import Device

/// One run of a workload on a mount: every operation that SQLite made, and where a COMMIT returned.
///
/// A device answers alike under every profile while nothing fails, so one recording stands for a
/// run on each; ``replay(on:upTo:each:)`` makes the device of any of them at any operation.
struct SQLiteRecording {
  let workload: SQLiteWorkload
  let operations: [Recording.Step]
  /// What the database holds before the first transaction and after each, and how many operations
  /// there had been when its COMMIT had returned.
  let commits: [(content: String, operationCount: Int)]
  /// The device at the end.
  let device: StorageDevice

  /// Runs a workload in a process of its own on a new mount.
  init(_ workload: SQLiteWorkload, on profile: PersistenceProfile) async throws {
    var setup = DeviceSetup()
    setup.restProfile = profile
    var options = MountOptions()
    options.unmountsWhenKilled = false
    let folder = NSTemporaryDirectory() + "phone-\(UUID().uuidString)"
    var empty = StorageDevice(setup)
    empty.recording = Recording()
    let mount = try MountedDevice(at: folder, device: empty, options: options)
    defer { mount.unmount() }
    await #expect(processExitsWith: .success) {
      [folder = folder as String, name = workload.testDescription as String] in
      let workload = SQLiteWorkload.all.first { $0.testDescription == name }
      try #require(workload).run(on: folder)
    }
    device = mount.withDevice { $0 }
    self.workload = workload
    let log = Array(device.log)
    let said = log.filter { $0.target == SQLiteWorkload.acknowledgement }.map(\.number.number)
    commits = Array(zip(workload.contents, [0] + said))
    try #require(commits.count == workload.contents.count)
    let steps = try #require(device.recording).steps
    let last = said.last ?? 0
    operations =
      workload.script.isClosed
      ? steps : Array(steps.prefix { $0.number.map { $0.number <= last } ?? true })
  }

  /// The device after the first steps of the recording, had it had this profile.
  func replay(
    on profile: PersistenceProfile, upTo count: Int = .max,
    each body: (StorageDevice, Recording.Step) throws -> Void = { _, _ in }
  ) throws -> StorageDevice {
    var setup = DeviceSetup()
    setup.restProfile = profile
    var device = StorageDevice(setup)
    for step in operations {
      if let number = step.number, number.number > count { break }
      let isReplayed = device.replay(step)
      try #require(isReplayed, "\(step)")
      if step.number != nil { try body(device, step) }
    }
    return device
  }
}
