import Device
import Testing

@Suite struct `An armed fault` {
  private func armed(
    _ effect: ArmedFault.Effect, at trigger: ArmedFault.Trigger, times: Int = 1
  ) throws -> Driver {
    var driver = Driver(.posixWeak)
    try driver.create("/f", [1, 2, 3])
    driver.device.settle()
    _ = driver.device.arm(
      ArmedFault(name: "fault", trigger: trigger, effect: effect, times: times))
    return driver
  }

  private func onWrite(_ effect: ArmedFault.Effect, times: Int = 1) throws -> Driver {
    try armed(effect, at: .call(.write, path: PathPattern("f"), occurrence: 1), times: times)
  }

  private func status(_ driver: Driver) -> ArmedFault.Status? {
    driver.device.faults.entries.last?.status
  }

  private func performWrite(_ driver: inout Driver, _ bytes: [UInt8] = [9]) throws -> Performed {
    driver.perform(.write(try driver.id("/f"), offset: 0, bytes))
  }

  // MARK: - Effects

  @Test(arguments: [DeviceError.noSpace, .inputOutput]) func `refuses with its error, unapplied`(
    error: DeviceError
  ) throws {
    var driver = try onWrite(.error(error))
    #expect(throws: error) { try driver.write("/f", [9]) }
    #expect(driver.content("/f") == [1, 2, 3])
    #expect(driver.device.log.last?.error == error)
    #expect(driver.device.log.last?.fault == "fault")
    try driver.write("/f", [9])
    #expect(driver.content("/f") == [9, 2, 3])
  }

  @Test func `shortens reads and writes`() throws {
    var driver = try onWrite(.short(bytes: 2))
    #expect(try driver.write("/f", [7, 8, 9]) == 2)
    #expect(driver.content("/f") == [7, 8, 3])
    var reader = try armed(
      .short(bytes: 1), at: .call(.read, path: PathPattern("f"), occurrence: 1))
    #expect(try reader.read("/f") == [1])
    #expect(try reader.read("/f") == [1, 2, 3])
  }

  @Test func `lies: success, and nothing done`() throws {
    var driver = try onWrite(.lie)
    let performed = try performWrite(&driver, [9, 9])
    guard case .reply(.success(.written(2))) = performed.answer else {
      Issue.record("\(performed.answer)")
      return
    }
    #expect(performed.stale.inodes == [try driver.id("/f")])
    #expect(driver.content("/f") == [1, 2, 3])
    var remover = try armed(.lie, at: .call(.unlink, path: PathPattern("f"), occurrence: 1))
    try remover.unlink("/f")
    #expect(remover.exists("/f"))
    var syncer = try armed(.lie, at: .call(.sync, path: PathPattern("f"), occurrence: 1))
    try syncer.write("/f", [9])
    try syncer.sync("/f")
    #expect(syncer.afterPowerCut().content("/f") == [1, 2, 3])
    try syncer.sync("/f")
    #expect(syncer.afterPowerCut().content("/f") == [9, 2, 3])
    #expect(syncer.device.checkInvariants() == [])
  }

  @Test func `does not lie about a call that fails anyway`() throws {
    var driver = try armed(.lie, at: .call(.unlink, path: PathPattern("none"), occurrence: 1))
    #expect(throws: DeviceError.noEntry) { try driver.unlink("/none") }
  }

  @Test func `delays, and applies`() throws {
    var driver = try onWrite(.delay(milliseconds: 40))
    let performed = try performWrite(&driver)
    #expect(performed.delayMs == 40)
    #expect(driver.content("/f") == [9, 2, 3])
  }

  @Test func `holds until released, or gives up`() throws {
    var driver = try onWrite(.hold, times: 2)
    guard case .parked(let id) = try performWrite(&driver).answer else {
      Issue.record("not parked")
      return
    }
    #expect(driver.device.description(of: id) == "write /f")
    #expect(driver.content("/f") == [1, 2, 3])
    try driver.create("/between")
    let number = driver.device.resume(id, at: 5).number
    #expect(driver.content("/f") == [9, 2, 3])
    #expect(driver.device.log.last?.number == number)
    guard case .parked(let second) = try performWrite(&driver, [8]).answer else {
      Issue.record("not parked")
      return
    }
    driver.device.abandon(second)
    #expect(driver.content("/f") == [9, 2, 3])
    #expect(driver.device.log.last?.error == .inputOutput)
    guard case .reply(.failure(.inputOutput)) = driver.device.resume(second, at: 6).answer else {
      Issue.record("resumed twice")
      return
    }
  }

  @Test func `keeps a resumed operation apart from those that overtook it`() throws {
    var driver = Driver(.ordered)
    try driver.create("/f", bytes(1, 512))
    driver.device.settle()
    _ = driver.device.arm(
      ArmedFault(
        name: "hold", trigger: .call(.truncate, path: PathPattern("f"), occurrence: 1),
        effect: .hold))
    let truncation = driver.perform(.setAttributes(try driver.id("/f"), .truncating(to: 5)))
    guard case .parked(let id) = truncation.answer else { return }
    try driver.create("/overtaking")
    _ = driver.device.resume(id, at: 5)
    for seed in UInt64(0)..<100 {
      let cut = driver.afterPowerCut(.seeded(seed))
      #expect(cut.exists("/overtaking") || cut.content("/f")?.count == 512, "seed \(seed)")
    }
    let images = Set((UInt64(0)..<100).map { driver.afterPowerCut(.seeded($0)).flatImage })
    #expect(images.count == 3, "none, the first, both")
  }

  @Test func `kills before or after the operation`() throws {
    var before = try onWrite(.killBefore)
    let refused = try performWrite(&before)
    #expect(refused.consequence == .kill(ProcessNumber(7)))
    #expect(before.content("/f") == [1, 2, 3])
    var after = try onWrite(.killAfter)
    let applied = try performWrite(&after)
    #expect(applied.consequence == .kill(ProcessNumber(7)))
    guard case .reply(.success(.written(1))) = applied.answer else { return }
    #expect(after.content("/f") == [9, 2, 3])
  }

  @Test func `cuts the power, or tears the write first`() throws {
    var driver = try onWrite(.powerCut(.issued))
    #expect(try performWrite(&driver).consequence == .powerCut(.issued))
    var tearing = try onWrite(.torn(sectorCount: 1, .all))
    let performed = try performWrite(&tearing, bytes(9, 1_024))
    guard case .powerCut(let survivors) = performed.consequence else { return }
    #expect(tearing.afterPowerCut(survivors).content("/f") == bytes(9, 512))
  }

  @Test func `parks for an event`() throws {
    var driver = try onWrite(.event)
    let performed = try performWrite(&driver)
    #expect(performed.consequence == .event(FaultID(1)))
    guard case .parked = performed.answer else {
      Issue.record("not parked")
      return
    }
  }

  @Test func `alters stored bytes before the operation, in every state`() throws {
    for profile in PersistenceProfile.all {
      var driver = Driver(profile)
      try driver.create("/f", [1, 2, 3])
      driver.device.settle()
      try driver.write("/f", [7], at: 1)
      _ = driver.device.arm(
        ArmedFault(
          name: "bit-flip", trigger: .call(.read, path: PathPattern("f"), occurrence: 1),
          effect: .alter(.flipBit(path: "/f", byte: 2, bit: 7))))
      #expect(try driver.read("/f") == [1, 7, 131])
      #expect(driver.afterPowerCut().content("/f")?[2] == 131)
      #expect(driver.device.checkInvariants() == [], "\(profile.name)")
    }
    var driver = Driver(.ordered)
    try driver.create("/f", [1, 2, 3])
    _ = try driver.device.alter(.truncate(path: "/f", to: 1))
    #expect(driver.content("/f") == [1])
    #expect(driver.afterPowerCut().content("/f") == [1], "what changes on the medium lies there")
    #expect(throws: DeviceError.invalid) {
      try driver.device.alter(.flipBit(path: "/f", byte: 1, bit: 0))
    }
    #expect(throws: DeviceError.noEntry) { try driver.device.alter(.truncate(path: "/g", to: 0)) }
  }

  // MARK: - Triggers

  @Test func `fires at the occurrence of a point, as often as asked`() throws {
    var driver = try armed(.error(.inputOutput), at: .point("K1", occurrence: 2), times: 2)
    try driver.call(.point("K1"))
    try driver.call(.point("K0"))
    #expect(status(driver) == .armed)
    for _ in 0..<2 {
      #expect(throws: DeviceError.inputOutput) { try driver.call(.point("K1")) }
    }
    try driver.call(.point("K1"))
    #expect(driver.device.faults.entries.last?.firedCount == 2)
  }

  @Test func `fires at an operation's number, points and reads not counted`() throws {
    var driver = try armed(.error(.inputOutput), at: .operation(count: 2))
    try driver.call(.point("K1"))
    _ = try driver.read("/f")
    try driver.write("/f", [1])
    _ = try driver.attributes("/f")
    #expect(throws: DeviceError.inputOutput) { try driver.create("/g") }
    #expect(status(driver) == .fired(driver.device.log.last?.number ?? OperationNumber(0)))
  }

  @Test func `never fires at a number whose operation it cannot hit`() throws {
    var driver = try armed(.short(bytes: 0), at: .operation(count: 1))
    try driver.create("/g")
    try driver.write("/g", [1])
    #expect(status(driver) == .armed)
  }

  @Test func `matches paths, either one of a rename`() throws {
    for pattern in ["/d/*.bak", "*.bak", "**", "/d/**", "/d/a.bak", "a*"] {
      var driver = try armed(
        .error(.inputOutput), at: .call(.rename, path: PathPattern(pattern), occurrence: 1))
      try driver.makeDirectory("/d")
      #expect(throws: DeviceError.inputOutput, "\(pattern)") {
        try driver.rename("/f", "/d/a.bak")
      }
    }
    for pattern in ["/*.bak", "*.ba", "/d", "b*", ""] {
      var driver = try armed(
        .error(.inputOutput), at: .call(.rename, path: PathPattern(pattern), occurrence: 1))
      try driver.makeDirectory("/d")
      try driver.rename("/f", "/d/a.bak")
      #expect(status(driver) == .armed, "\(pattern)")
    }
  }

  @Test(arguments: [
    (ArmedFault.Effect.short(bytes: 1), OperationKind.rename), (.lie, .create), (.lie, .open),
    (.torn(sectorCount: 1, .none), .sync),
  ]) func `never fires at a kind that it cannot hit`(
    effect: ArmedFault.Effect, kind: OperationKind
  ) throws {
    #expect(!effect.applies(to: kind))
    var driver = try armed(effect, at: .call(kind, path: PathPattern("**"), occurrence: 1))
    let id = try driver.open("/g")
    try driver.call(.sync(id, dataOnly: false))
    try driver.call(.open(id))
    try driver.rename("/g", "/h")
    #expect(status(driver) == .armed)
  }

  @Test func `stays armed when there is nothing to alter`() throws {
    var driver = try armed(
      .alter(.flipBit(path: "/none", byte: 0, bit: 0)), at: .operation(count: 1))
    try driver.write("/f", [5])
    #expect(status(driver) == .armed)
    driver.device.disarm(FaultID(1))
    #expect(status(driver) == .expired)
  }

  @Test func `counts operations that another fault has hidden`() throws {
    var driver = try onWrite(.error(.inputOutput))
    _ = driver.device.arm(
      ArmedFault(
        name: "second", trigger: .call(.write, path: PathPattern("f"), occurrence: 3),
        effect: .error(.noSpace)))
    #expect(throws: DeviceError.inputOutput) { try driver.write("/f", [1]) }
    try driver.write("/f", [1])
    #expect(throws: DeviceError.noSpace) { try driver.write("/f", [1]) }
  }

  @Test func `can be disarmed, and does nothing then`() throws {
    var driver = try onWrite(.error(.inputOutput))
    driver.device.disarm(FaultID(1))
    driver.device.disarm(FaultID(9))
    try driver.write("/f", [9])
    #expect(status(driver) == .expired)
  }
}
