import Device
import SQLite
import Simulation
import Testing

@Suite struct `A save to a database, interrupted at each of its operations` {
  /// Runs one save on a copy of a phone, with a fault at its `operation`-th operation.
  ///
  /// - Returns: The phone afterwards, and whether the save said that it is done.
  private func save(
    on phone: VFSTestPhone, _ journal: Journaling, _ effect: ArmedFault.Effect? = nil,
    at operation: Int = 1
  ) -> (phone: VFSTestPhone, isDone: Bool) {
    let copy = phone.fork()
    do {
      let connection = try copy.connect(2, journal)
      // Closing is no part of a save.
      connection.keepWALOnClose()
      if let effect {
        _ = copy.box.device.arm(
          ArmedFault(name: "test", trigger: .operation(count: operation), effect: effect))
      }
      try VFSTestPhone.save(2, connection)
      return (copy, true)
    } catch {
      return (copy, false)
    }
  }

  private func operationCount(_ phone: VFSTestPhone, _ journal: Journaling) throws -> Int {
    let copy = phone.fork()
    let connection = try copy.connect(2, journal)
    connection.keepWALOnClose()
    let before = copy.box.device.operationCount
    try VFSTestPhone.save(2, connection)
    return copy.box.device.operationCount - before
  }

  @Test(arguments: Journaling.all)
  func `leaves the old or the new value after a kill`(journal: Journaling) throws {
    let phone = try VFSTestPhone.withFirstGeneration(journal)
    let count = try operationCount(phone, journal)
    #expect(count > 5)
    var found: [UInt8?: Int] = [:]
    for operation in 1...count {
      for effect in [ArmedFault.Effect.killBefore, .killAfter] {
        let (left, isDone) = save(on: phone, journal, effect, at: operation)
        #expect(!left.box.isAlive(ProcessNumber(2)), "\(effect) at \(operation)")
        let generation = try left.generation()
        found[generation, default: 0] += 1
        #expect(generation == 1 || generation == 2, "\(effect) at \(operation)")
        #expect(!isDone || generation == 2, "\(effect) at \(operation)")
        #expect(left.box.device.checkInvariants() == [])
      }
    }
    #expect(found.keys.count == 2, "both are seen: \(found)")
  }

  /// A power cut at an operation leaves what `survivors` say; the next process recovers.
  private func cut(
    _ phone: VFSTestPhone, _ journal: Journaling, at operation: Int, _ survivors: Survivors
  ) throws -> UInt8? {
    let (left, _) = save(on: phone, journal, .powerCut(survivors), at: operation)
    left.box.restart(after: survivors, ending: [])
    return try left.generation()
  }

  @Test(arguments: Journaling.all, [PersistenceProfile.ordered, .posixWeak].map(\.name))
  func `leaves the old or the new value after a power cut`(
    journal: Journaling, profile: String
  ) throws {
    let profile = try #require(PersistenceProfile.named(profile))
    let phone = try VFSTestPhone.withFirstGeneration(journal, profile)
    for operation in 1...(try operationCount(phone, journal)) {
      for survivors in [.none, .all] + (0..<8).map(Survivors.seeded) {
        let generation = try cut(phone, journal, at: operation, survivors)
        #expect(generation == 1 || generation == 2, "\(survivors) at \(operation)")
      }
    }
  }

  @Test func `damages a database that is never synced, in some power cut`() throws {
    let journal = Journaling(mode: .truncate, synchronous: .off)
    let phone = try VFSTestPhone.withFirstGeneration(journal, .posixWeak)
    var damaged = 0
    for operation in 1...(try operationCount(phone, journal)) {
      for seed in UInt64(0)..<8 {
        if try cut(phone, journal, at: operation, .seeded(seed)) == nil { damaged += 1 }
      }
    }
    #expect(damaged > 0)
  }

  /// With NORMAL a WAL is synced by checkpoints only. With FULL the end of a deleted journal is not
  /// synced: it may come back, and take the save back.
  @Test(arguments: Journaling.all + [Journaling(mode: .delete, synchronous: .extra)])
  func `survives a power cut once it is done, if its last change is synced`(
    journal: Journaling
  ) throws {
    let phone = try VFSTestPhone.withFirstGeneration(journal, .posixWeak)
    let (left, isDone) = save(on: phone, journal)
    #expect(isDone)
    left.box.restart(after: .none, ending: [ProcessNumber(2)])
    let isLost = [Journaling.walNormal, .deleteFull].contains(journal)
    #expect(try left.generation() == (isLost ? 1 : 2))
  }

  @Test(arguments: Journaling.all, [DeviceError.inputOutput, .noSpace])
  func `reports an error of the device, or has done its work`(
    journal: Journaling, error: DeviceError
  ) throws {
    let phone = try VFSTestPhone.withFirstGeneration(journal)
    var refused = 0
    for operation in 1...(try operationCount(phone, journal)) {
      let (left, isDone) = save(on: phone, journal, .error(error), at: operation)
      let generation = try left.generation()
      #expect(generation == 1 || generation == 2, "\(error) at \(operation)")
      #expect(!isDone || generation == 2, "\(error) at \(operation)")
      refused += isDone ? 0 : 1
    }
    #expect(refused > 3)
  }

  @Test(arguments: Journaling.all)
  func `is refused as a whole by a full device`(journal: Journaling) throws {
    let phone = try VFSTestPhone.withFirstGeneration(journal)
    let connection = try phone.connect(2, journal)
    phone.box.device.capacityBytes = phone.box.device.usedBytes
    let failure = #expect(throws: DatabaseError.self) { try VFSTestPhone.save(2, connection) }
    #expect(failure?.code == .full)
    #expect(VFSTestPhone.generation(connection) == 1)
    phone.box.device.capacityBytes = 1 << 30
    try VFSTestPhone.save(2, connection)
    #expect(VFSTestPhone.generation(connection) == 2)
  }

  @Test func `calls a medium that does not read a corrupt database`() throws {
    let phone = try VFSTestPhone.withFirstGeneration(.truncateFull)
    let connection = try phone.connect(2)
    #expect(VFSTestPhone.generation(connection) == 1)
    _ = phone.box.device.arm(
      ArmedFault(
        name: "test", trigger: .call(.read, path: PathPattern("app.db"), occurrence: 1),
        effect: .error(.inputOutput)))
    let failure = #expect(throws: DatabaseError.self) { _ = try connection.rows("SELECT v FROM t") }
    #expect(failure?.code == .corrupt)
    #expect(VFSTestPhone.generation(connection) == 1, "the next read is fine")
  }

  @Test func `goes on after short reads and writes`() throws {
    let journal = Journaling.truncateFull
    let phone = try VFSTestPhone.withFirstGeneration(journal)
    let connection = try phone.connect(2, journal)
    for kind in [OperationKind.read, .write] {
      _ = phone.box.device.arm(
        ArmedFault(
          name: "short", trigger: .call(kind, path: PathPattern("**"), occurrence: 1),
          effect: .short(bytes: 3), times: 5))
    }
    try VFSTestPhone.save(2, connection)
    #expect(phone.box.device.faults.entries.map(\.firedCount) == [5, 5])
    #expect(VFSTestPhone.generation(connection) == 2)
    #expect(try phone.generation() == 2)
  }
}
