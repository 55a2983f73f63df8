import Device
import Testing

/// What the log says about changes that were pending.
@Suite struct `The log of a device` {
  private func driver(_ profile: PersistenceProfile) throws -> Driver {
    var driver = Driver(profile)
    try driver.create("/file", [1, 2])
    return driver
  }

  /// The operations whose changes the last one settled, and whether for good.
  private func settled(_ driver: Driver) -> [String] {
    (driver.device.log.last?.settled ?? []).map {
      "\($0.operation.number) \($0.change.word) \($0.isDurable ? "durable" : "issued")"
    }
  }

  @Test func `says what a sync made durable, each change once`() throws {
    var driver = try driver(.posixWeak)
    try driver.sync("/file")
    #expect(settled(driver) == ["2 data durable", "2 size durable"])
    try driver.sync("/file")
    #expect(settled(driver).isEmpty)
    try driver.syncDirectory("/")
    #expect(settled(driver) == ["1 entry-add durable"])
  }

  @Test func `says that a sync without a barrier only handed the data on`() throws {
    var driver = try driver(.apfs)
    try driver.sync("/file")
    #expect(settled(driver) == ["2 data issued", "2 size issued"])
  }

  @Test func `says nothing of a sync that lies`() throws {
    var driver = try driver(.fsyncLies)
    try driver.sync("/file")
    #expect(settled(driver).isEmpty)
  }

  @Test func `shows nothing pending where everything is durable at once`() throws {
    let driver = try driver(.strict)
    #expect(driver.device.log.allSatisfy { $0.pending.isEmpty && $0.settled.isEmpty })
    #expect(try self.driver(.ordered).device.log.allSatisfy { !$0.pending.isEmpty })
  }

  @Test func `says when everything was written back, or the power failed`() throws {
    var driver = try driver(.posixWeak)
    driver.device.settle()
    #expect(driver.device.interlude == .writtenBack)
    try driver.write("/file", [3])
    #expect(driver.device.log.last?.interlude == .writtenBack)
    #expect(driver.device.interlude == nil)
    driver.device = driver.device.crashState(.none)
    try driver.write("/file", [4])
    #expect(driver.device.log.last?.interlude == .restarted)
    try driver.sync("/file")
    driver.device.settle()
    #expect(driver.device.interlude == nil)
  }
}
