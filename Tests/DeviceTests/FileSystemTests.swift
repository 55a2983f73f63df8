import Device
import Testing

@Suite struct `The live view` {
  @Test func `keeps an unlinked file until its last handle is released`() throws {
    var driver = Driver()
    let id = try driver.open("/file")
    try driver.call(.open(id))
    try driver.call(.write(id, offset: 0, [1, 2, 3]))
    try driver.unlink("/file")
    try driver.call(.release(id))
    guard case .data(let read) = try driver.call(.read(id, offset: 0, count: 10)) else {
      Issue.record("no data")
      return
    }
    #expect(read == [1, 2, 3])
    #expect(driver.device.checkInvariants() == [])
    try driver.call(.release(id))
    #expect(throws: DeviceError.stale) { try driver.call(.read(id, offset: 0, count: 10)) }
    #expect(driver.device.checkInvariants() == [])
  }

  @Test func `forgets what a removed directory held, when the removal is durable`() throws {
    var driver = Driver(.posixWeak)
    try driver.makeDirectory("/d")
    try driver.create("/d/f", [1])
    driver.device.settle()
    try driver.unlink("/d/f")
    try driver.removeDirectory("/d")
    try driver.makeDirectory("/e")
    try driver.create("/e/f", [1])
    try driver.unlink("/e/f")
    try driver.removeDirectory("/e")
    #expect(driver.afterPowerCut().content("/d/f") == [1])
    try driver.syncDirectory("/")
    #expect(driver.device.durable.inodes.count == 1)
    #expect(driver.device.checkInvariants() == [])
  }

  @Test func `counts names and links`() throws {
    var driver = Driver()
    try driver.makeDirectory("/d")
    try driver.makeDirectory("/d/e")
    try driver.create("/a", [7])
    try driver.link("/a", "/d/b")
    #expect(try driver.attributes("/d").linkCount == 3)
    #expect(try driver.attributes("/a").linkCount == 2)
    let id = try driver.id("/a")
    #expect(driver.device.live.path(of: id) == "/d/b")
    try driver.unlink("/d/b")
    #expect(driver.device.live.path(of: id) == "/a")
    #expect(try driver.read("/a") == [7])
    #expect(throws: DeviceError.notPermitted) { try driver.link("/d", "/x") }
    #expect(driver.device.checkInvariants() == [])
  }

  @Test func `counts no link of a directory that was removed while it was open`() throws {
    var driver = Driver()
    try driver.makeDirectory("/d")
    let id = try driver.id("/d")
    try driver.call(.open(id))
    #expect(driver.device.live.attributes(of: id)?.linkCount == 2)
    try driver.removeDirectory("/d")
    #expect(driver.device.live.attributes(of: id)?.linkCount == 0)
    #expect(driver.device.live.attributes(of: .root)?.linkCount == 2)
    #expect(driver.device.checkInvariants() == [])
  }

  @Test func `renames in each mode`() throws {
    var driver = Driver()
    try driver.create("/a", [1])
    try driver.create("/b", [2])
    #expect(throws: DeviceError.exists) { try driver.rename("/a", "/b", .noReplace) }
    try driver.rename("/a", "/b", .exchange)
    #expect(try driver.read("/a") == [2])
    #expect(try driver.read("/b") == [1])
    #expect(throws: DeviceError.noEntry) { try driver.rename("/a", "/c", .exchange) }
    try driver.rename("/a", "/b")
    #expect(try driver.read("/b") == [2])
    #expect(!driver.exists("/a"))
    try driver.rename("/b", "/c", .noReplace)
    #expect(driver.device.checkInvariants() == [])
  }

  @Test func `refuses renames that no tree can hold`() throws {
    var driver = Driver()
    try driver.makeDirectory("/d")
    try driver.makeDirectory("/d/e")
    try driver.create("/f")
    #expect(throws: DeviceError.invalid) { try driver.rename("/d", "/d/e/x") }
    #expect(throws: DeviceError.invalid) { try driver.rename("/d", "/d/e", .exchange) }
    #expect(throws: DeviceError.isDirectory) { try driver.rename("/f", "/d") }
    #expect(throws: DeviceError.notDirectory) { try driver.rename("/d", "/f") }
    try driver.makeDirectory("/g")
    #expect(throws: DeviceError.notEmpty) { try driver.rename("/g", "/d") }
    #expect(throws: DeviceError.notEmpty) { try driver.removeDirectory("/d") }
  }

  @Test func `keeps both names of one file when one is renamed over the other`() throws {
    var driver = Driver()
    try driver.create("/a")
    try driver.link("/a", "/b")
    try driver.rename("/a", "/b")
    #expect(driver.exists("/a") && driver.exists("/b"))
  }

  @Test func `reads symbolic links and extended attributes`() throws {
    var driver = Driver()
    try driver.symbolicLink("/l", to: "some/where")
    let link = try driver.id("/l")
    guard case .data(let target) = try driver.call(.readLink(link)) else { return }
    #expect(String(decoding: target, as: UTF8.self) == "some/where")
    try driver.create("/f")
    let id = try driver.id("/f")
    #expect(throws: DeviceError.noData) {
      try driver.call(.setExtendedAttribute(id, name: "user.a", [1], .replaceOnly))
    }
    try driver.call(.setExtendedAttribute(id, name: "user.a", [1], .createOnly))
    #expect(throws: DeviceError.exists) {
      try driver.call(.setExtendedAttribute(id, name: "user.a", [2], .createOnly))
    }
    try driver.sync("/f")
    try driver.syncDirectory("/")
    guard
      case .data(let value) = try driver.afterPowerCut().tap({ (driver) throws(DeviceError) in
        try driver.call(.extendedAttribute(try driver.id("/f"), name: "user.a"))
      })
    else {
      Issue.record("no attribute")
      return
    }
    #expect(value == [1])
    try driver.call(.removeExtendedAttribute(id, name: "user.a"))
    #expect(throws: DeviceError.noData) {
      try driver.call(.extendedAttribute(id, name: "user.a"))
    }
  }

  @Test func `holds sparse files of any length up to its limit`() throws {
    var driver = Driver()
    try driver.create("/big")
    let far = 1 << 43
    try driver.write("/big", [5], at: far)
    #expect(try driver.attributes("/big").sizeBytes == far + 1)
    #expect(try driver.attributes("/big").sectorCount == 8)
    let id = try driver.id("/big")
    guard case .data(let read) = try driver.call(.read(id, offset: far - 3, count: 100)) else {
      return
    }
    #expect(read == [0, 0, 0, 5])
    #expect(try driver.call(.read(id, offset: .max, count: .max)) == .data([]))
    try driver.truncate("/big", to: 10)
    try driver.truncate("/big", to: far)
    #expect(try driver.attributes("/big").sectorCount == 0)
    #expect(throws: DeviceError.fileTooLarge) { try driver.write("/big", [1], at: 1 << 44) }
    #expect(throws: DeviceError.fileTooLarge) { try driver.truncate("/big", to: .max) }
    #expect(driver.device.checkInvariants() == [])
  }

  @Test func `punches holes, zeroes and extends`() throws {
    var driver = Driver()
    try driver.create("/f", bytes(1, 10_000))
    let id = try driver.id("/f")
    try driver.call(.allocate(id, .punchHole, offset: 100, length: 8_092))
    #expect(try driver.read("/f") == bytes(1, 100) + bytes(0, 8_092) + bytes(1, 1_808))
    #expect(try driver.attributes("/f").sectorCount == 16)
    try driver.call(.allocate(id, .zeroRange, offset: 9_999, length: 11))
    #expect(try driver.read("/f").count == 10_010)
    try driver.call(.allocate(id, .extend, offset: 0, length: 20_000))
    try driver.call(.allocate(id, .keepSize, offset: 0, length: 30_000))
    #expect(try driver.attributes("/f").sizeBytes == 20_000)
    #expect(driver.device.checkInvariants() == [])
  }

  @Test func `takes the part of a write that fits, and no more`() throws {
    var driver = Driver(.posixWeak, capacityBytes: 4 * 4_096)
    try driver.create("/f", bytes(1, 4_096))
    #expect(try driver.write("/f", bytes(2, 5 * 4_096), at: 0) == 4 * 4_096)
    #expect(throws: DeviceError.noSpace) { try driver.write("/f", [1], at: 4 * 4_096) }
    #expect(try driver.write("/f", [3], at: 0) == 1, "an overwrite needs no room")
    guard case .statistics(let statistics) = try driver.call(.statistics) else { return }
    #expect(statistics.blockCount == 4 && statistics.freeBlockCount == 0)
    try driver.truncate("/f", to: 0)
    #expect(try driver.write("/f", bytes(2, 4_096)) == 4_096)
    driver.device.capacityBytes = 0
    #expect(throws: DeviceError.noSpace) { try driver.write("/f", [1], at: 4_096) }
    #expect(driver.device.checkInvariants() == [])
  }

  @Test func `refuses to open what is sealed`() throws {
    var driver = Driver()
    try driver.makeDirectory("/keys")
    try driver.create("/keys/db", [1])
    try driver.create("/keysnot", [1])
    driver.device.sealedPrefixes = ["/keys"]
    let sealed = try driver.id("/keys/db")
    #expect(throws: DeviceError.notPermitted) { try driver.call(.open(sealed)) }
    #expect(throws: DeviceError.notPermitted) { try driver.create("/keys/new") }
    #expect(throws: DeviceError.notPermitted) { try driver.rename("/keysnot", "/keys/new") }
    try driver.call(.open(try driver.id("/keysnot")))
    try driver.unlink("/keys/db")
    driver.device.sealedPrefixes = []
    try driver.create("/keys/new")
  }

  @Test func `is a value: a copy does not change with it`() throws {
    var driver = Driver()
    try driver.create("/f", [1])
    let volume = driver.device.live
    let digest = volume.digest()
    try driver.write("/f", [2])
    try driver.create("/g")
    #expect(volume.digest() == digest)
    #expect(driver.device.live.digest() != digest)
  }

  @Test func `refuses names that are too long, empty, or taken`() throws {
    var driver = Driver()
    #expect(throws: DeviceError.nameTooLong) {
      try driver.create("/" + String(repeating: "n", count: 256))
    }
    try driver.create("/" + String(repeating: "n", count: 255))
    try driver.create("/f")
    #expect(throws: DeviceError.exists) { try driver.create("/f") }
    #expect(throws: DeviceError.notDirectory) { try driver.create("/f/g") }
    #expect(throws: DeviceError.isDirectory) {
      try driver.makeDirectory("/d"); try driver.unlink("/d")
    }
  }
}

extension Driver {
  fileprivate func tap<Result>(
    _ body: (inout Driver) throws(DeviceError) -> Result
  ) throws(DeviceError) -> Result {
    var copy = self
    return try body(&copy)
  }
}
