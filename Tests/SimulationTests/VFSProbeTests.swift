import Device
import SQLite
import Simulation
import Testing

@Suite struct `A kept connection` {
  private static let question = "SELECT k, substr(v, 1, 1), length(v) FROM t ORDER BY k"
  private static let check = "PRAGMA integrity_check"

  /// The device at each operation of some saves, with what survives a power cut there; half of the
  /// states have a page of the database or its journal torn or zeroed on top.
  private func states(_ journal: Journaling, seeds: Range<UInt64>) throws -> [StorageDevice] {
    let phone = try VFSTestPhone.withFirstGeneration(journal, .posixWeak)
    let connection = try phone.connect(2, journal)
    try connection.setCheckpointInterval(pages: 5)
    var states: [StorageDevice] = []
    for generation in UInt8(2)..<5 {
      let trial = phone.fork()
      let other = try trial.connect(3, journal)
      let before = trial.box.device.operationCount
      try VFSTestPhone.save(generation, other)
      for operation in 1...(trial.box.device.operationCount - before) {
        for seed in seeds {
          states.append(try state(of: phone, journal, generation, at: operation, seed))
        }
      }
      try VFSTestPhone.save(generation, connection)
    }
    return states
  }

  private func state(
    of phone: VFSTestPhone, _ journal: Journaling, _ generation: UInt8, at operation: Int,
    _ seed: UInt64
  ) throws -> StorageDevice {
    let copy = phone.fork()
    let connection = try copy.connect(4, journal)
    connection.keepWALOnClose()
    _ = copy.box.device.arm(
      ArmedFault(
        name: "cut", trigger: .operation(count: operation), effect: .powerCut(.seeded(seed))))
    do {
      try VFSTestPhone.save(generation, connection)
    } catch {
      // The power is cut.
    }
    var device = copy.box.device.crashState(.seeded(seed))
    device.forgetFaults()
    var draws = Draws(seed: seed &* 31 &+ UInt64(operation))
    if seed % 2 == 1 { damage(&device, &draws) }
    return device
  }

  private func bytes(_ path: String, _ device: StorageDevice) -> [UInt8]? {
    device.live.resolve(path).flatMap { device.live[$0] }?.read(at: 0, count: 1 << 20)
  }

  /// Writes noise or zeros over some sectors of one of the database's files, but not its first page.
  private func damage(_ device: inout StorageDevice, _ draws: inout Draws) {
    let suffix = ["", "-journal", "-wal"][draws.below(3)]
    guard let file = device.live.resolve(VFSTestPhone.path + suffix),
      let size = device.live[file]?.sizeBytes
    else { return }
    let first = suffix.isEmpty ? 4096 : 0
    guard size > first else { return }
    let offset = first + draws.below((size - first + 511) / 512) * 512
    let isZero = draws.below(2) == 0
    let length = 512 * (1 + draws.below(8))
    let bytes = (0..<min(length, size - offset)).map { _ in
      isZero ? 0 : UInt8(truncatingIfNeeded: draws.next())
    }
    _ = device.perform(.write(file, offset: offset, bytes), by: ProcessNumber(1), at: 1)
    device.settle()
  }

  @Test(arguments: Journaling.all, [question, check])
  func `answers as a new one in each torn or damaged state`(
    journal: Journaling, question: String
  ) throws {
    let states = try states(journal, seeds: 0..<4)
    let probe = VFSProbe(VFSTestPhone.path, question, on: states[0], nowNs: 1)
    var failures = 0
    for (number, state) in states.enumerated() {
      let fresh = VFSProbe(VFSTestPhone.path, question, on: state, nowNs: 1)
      let expected = fresh.answer(on: state)
      let answer = probe.answer(on: state)
      #expect(answer == expected, "state \(number)")
      for suffix in ["", "-journal", "-wal"] {
        let path = VFSTestPhone.path + suffix
        #expect(bytes(path, probe.device) == bytes(path, fresh.device), "state \(number) \(suffix)")
      }
      if answer != .success([["ok"]]), question == Self.check { failures += 1 }
    }
    #expect(probe.openingCount < states.count / 3, "\(probe.openingCount) of \(states.count)")
    // A torn frame only ends a WAL; a torn page is damage.
    let isDamaging = question == Self.check && journal.mode != .wal
    #expect(failures > 10 || !isDamaging, "\(failures) of \(states.count)")
  }

  @Test(arguments: [Journaling.truncateFull, .walNormal])
  func `sees two states with one change counter apart`(journal: Journaling) throws {
    let phone = try VFSTestPhone.withFirstGeneration(journal)
    let old = phone.box.device
    var new = old
    let file = try #require(old.live.resolve(VFSTestPhone.path))
    let wal = old.live.resolve(VFSTestPhone.path + "-wal")
    if let wal {
      // Without its frames the table is not there.
      _ = new.perform(
        .setAttributes(wal, .truncating(to: 0)), by: ProcessNumber(1), at: 1)
    } else {
      let pages = try #require(old.live[file]).sizeBytes / 4096
      _ = new.perform(
        .write(file, offset: (pages - 1) * 4096 + 2_000, [7]), by: ProcessNumber(1), at: 1)
    }
    let probe = VFSProbe(VFSTestPhone.path, "SELECT hex(v) FROM t", on: old, nowNs: 1)
    let first = probe.answer(on: old)
    let second = probe.answer(on: new)
    #expect(first != second)
    for _ in 0..<20 {
      #expect(probe.answer(on: old) == first)
      #expect(probe.answer(on: new) == second)
    }
    if wal == nil { #expect(probe.openingCount == 1) }
  }
}
