import Testing

@testable import Device

@Suite struct `The states after a power cut` {
  /// A file that is replaced, and one that is overwritten, in two domains.
  private func makeDriver(_ profile: PersistenceProfile) throws -> Driver {
    var driver = Driver(domains: [("left", "/left", profile), ("right", "/right", profile)])
    for folder in ["/left", "/right"] { try driver.makeDirectory(folder) }
    try driver.create("/left/a", [1])
    driver.device.settle()
    try driver.create("/left/b", [UInt8](repeating: 2, count: 600))
    let file = try driver.id("/left/a")
    _ = try driver.call(.write(file, offset: 0, [3]))
    try driver.create("/right/c", [UInt8](repeating: 4, count: 1_500))
    return driver
  }

  private func images(_ survivors: [Survivors], of device: StorageDevice) -> Set<ImageDigest> {
    Set(survivors.map { device.crashState($0).live.digest() })
  }

  /// Every subset of the pending changes, with the last write cut after each number of sectors.
  private func everySubset(of device: StorageDevice) -> [Survivors] {
    let count = device.pending.count
    return (0..<(1 << count)).flatMap { bits in
      let kept = Survivors.kept(Set((0..<count).filter { bits >> $0 & 1 == 1 }))
      return [kept]
        + (1...2).map {
          .torn(OperationNumber(device.operationCount), sectorCount: $0, rest: kept)
        }
    }
  }

  @Test(arguments: [PersistenceProfile.ordered, .apfs, .posixWeak, .fsyncLies])
  func `are those of every subset, each named once`(profile: PersistenceProfile) throws {
    let device = try makeDriver(profile).device
    let states = device.cutStates(countMax: 1 << 20, seed: 1)
    #expect(states.isExhaustive)
    let wanted = images(everySubset(of: device), of: device)
    #expect(images(states.survivors, of: device) == wanted)
    #expect(states.survivors.count < everySubset(of: device).count)
  }

  @Test func `are whole items where the profile keeps them whole`() throws {
    let device = try makeDriver(.atomicItem).device
    let states = device.cutStates(countMax: 1 << 20, seed: 1)
    #expect(states.isExhaustive)
    #expect(images(states.survivors, of: device).count == 4)
  }

  @Test func `are drawn when they are too many, and then both ends are among them`() throws {
    let device = try makeDriver(.posixWeak).device
    let states = device.cutStates(countMax: 5, seed: 1)
    #expect(!states.isExhaustive)
    #expect((2...5).contains(states.survivors.count))
    let found = images(states.survivors, of: device)
    #expect(found.contains(device.crashState(.none).live.digest()))
    #expect(found.contains(device.crashState(.all).live.digest()))
    #expect(states.survivors == device.cutStates(countMax: 5, seed: 1).survivors)
  }
}
