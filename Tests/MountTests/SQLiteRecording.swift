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
  let operations: [OperationRecord]
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
    let mount = try MountedDevice(at: folder, device: StorageDevice(setup), options: options)
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
    operations = workload.script.isClosed ? log : Array(log.prefix(said.last ?? 0))
  }

  /// The device after the first operations of the recording, had it had this profile.
  func replay(
    on profile: PersistenceProfile, upTo count: Int = .max,
    each body: (StorageDevice) throws -> Void = { _ in }
  ) throws -> StorageDevice {
    var setup = DeviceSetup()
    setup.restProfile = profile
    var device = StorageDevice(setup)
    for record in operations.prefix(count) {
      try device.replay(record)
      try body(device)
    }
    return device
  }
}

extension StorageDevice {
  /// Performs a logged operation again. What the log does not hold (reads, handles) changes nothing
  /// that a crash leaves: SQLite closes a file before it removes it.
  mutating func replay(_ record: OperationRecord) throws {
    let request = try #require(call(of: record), "\(record)")
    let performed = perform(request, by: record.process, at: Int64(record.number.number))
    guard case .reply(.success(let response)) = performed.answer else {
      throw ReplayFailure(record: record)
    }
    if case .create = request, case .attributes(let made) = response {
      _ = perform(.release(made.inode), by: record.process, at: 0)
    }
    try #require(performed.number == record.number)
  }

  struct ReplayFailure: Error {
    let record: OperationRecord
  }

  /// The call that a record tells of; `nil` for one that SQLite does not make.
  private func call(of record: OperationRecord) -> Request? {
    let name = FileName(record.path.split(separator: "/").last ?? "")
    let ownership = Ownership(mode: 0o600)
    switch record.kind {
    case .point: return .point(record.target ?? "")
    case .create: return .create(in: .root, name, ownership)
    case .unlink: return .unlink(in: .root, name)
    case .syncDirectory: return .syncDirectory(.root)
    default: break
    }
    // The kernel writes what was mapped of the index of a WAL when it is closed, after the unlink.
    guard let file = live.resolve(record.path) else { return .point("a file without a name") }
    switch record.kind {
    case .write:
      return .write(file, offset: record.offset ?? 0, record.pending.flatMap(\.pageData))
    case .truncate, .setAttributes: return .setAttributes(file, attributes(of: record))
    case .sync: return .sync(file, dataOnly: true)
    default: return nil
    }
  }

  private func attributes(of record: OperationRecord) -> AttributeChange {
    var all = AttributeChange()
    for change in record.pending {
      switch change {
      case .attributes(_, let attributes): all = attributes
      case .size(_, _, let size): all.sizeBytes = size
      default: break
      }
    }
    return all
  }
}

extension Change {
  fileprivate var pageData: [UInt8] {
    if case .data(_, _, _, let bytes) = self { bytes } else { [] }
  }
}
