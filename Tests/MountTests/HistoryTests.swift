import Device
import Foundation
import Linux
import Mount
import Testing

/// A mounted device and a folder on tmpfs, both empty.
private final class Pair {
  let mount: MountedDevice
  let mounted: FileWorld
  let plain: FileWorld
  private let folder: String

  /// The seed chooses how the device keeps what is stored, which must not show.
  init(_ seed: UInt64) throws {
    folder = "/dev/shm/history-\(UUID().uuidString)"
    try Files.makeDirectory(folder)
    try Files.makeDirectory(folder + "/plain", permissions: 0o755)
    var setup = DeviceSetup()
    setup.restProfile = PersistenceProfile.all[Int(seed % 7)]
    var options = MountOptions()
    options.unmountsWhenKilled = false
    mount = try MountedDevice(
      at: folder + "/mount", device: StorageDevice(setup), options: options)
    mounted = try FileWorld(at: mount.directory)
    plain = try FileWorld(at: folder + "/plain")
  }

  /// Carries a history out on both; compares them, and asks the device whether it is sound.
  func difference(
    _ history: [FileCall], _ defect: Liar.Defect?, seen: (FileCall, Outcome) -> Void
  ) -> Difference? {
    let right: any World = defect.map { Liar(plain, $0) } ?? plain
    if let found = Difference.first(in: history, mounted, right, seen: seen) { return found }
    let problems =
      mount.toolErrors.keys.sorted()
      + mount.withDevice { $0.checkInvariants() + $0.crashState(.seeded(1)).checkInvariants() }
    return problems.first.map { Difference(history: history, evidence: $0) }
  }

  func close() throws {
    mount.unmount()
    try Files.removeTree(folder)
  }
}

extension `A mounted device` {
  private static let historyLength = 250

  /// How often a call was answered each way.
  private struct Tally {
    var done = 0
    var failed = 0
  }

  /// Carries out the history of a seed, and if that shows a difference, looks for a short one.
  private func difference(
    _ seed: UInt64, _ defect: Liar.Defect? = nil,
    seen: (FileCall, Outcome) -> Void = { _, _ in }
  ) throws -> Difference? {
    func difference(
      _ history: [FileCall], seen: (FileCall, Outcome) -> Void
    ) throws -> Difference? {
      let pair = try Pair(seed)
      let found = pair.difference(history, defect, seen: seen)
      try pair.close()
      return found
    }
    var generator = HistoryGenerator(seed: seed)
    let history = generator.history(count: Self.historyLength)
    let found = try difference(history, seen: seen)
    return try found.map { found in
      try Shrinker { try difference($0, seen: { _, _ in }) }.shrink(found)
    }
  }

  @Test func `answers random histories as the machine's own file system does`() throws {
    Signals.ignoreBrokenPipes()
    var tallies: [String: Tally] = [:]
    for seed in 0..<UInt64(Machine.historyCalls / Self.historyLength) {
      let found = try difference(seed) { call, outcome in
        tallies[call.name, default: Tally()].done += outcome.error == 0 ? 1 : 0
        tallies[call.name, default: Tally()].failed += outcome.error == 0 ? 0 : 1
      }
      if let found { Issue.record("seed \(seed):\n\(found)") }
    }
    // The histories go everywhere.
    #expect(tallies.count == 31)
    for (name, tally) in tallies {
      #expect(tally.done > 100 && tally.failed > 100, "\(name): \(tally)")
    }
  }

  @Test(arguments: Liar.Defect.allCases)
  func `is told from a file system with a defect, by a few calls`(_ defect: Liar.Defect) throws {
    Signals.ignoreBrokenPipes()
    var found: Difference?
    for seed in UInt64(0)..<100 where found == nil { found = try difference(seed, defect) }
    let shrunk = try #require(found)
    #expect(shrunk.history.count <= 5, "\(shrunk)")
  }
}

extension Machine {
  /// How many calls of random histories are made; more on request.
  static let historyCalls =
    Files.environment("LAB_MOUNT_OPERATIONS").flatMap { Int($0) } ?? 200_000

  /// Minutes that a test may take.
  static let patience = historyCalls > 200_000 ? 600 : 2
}
