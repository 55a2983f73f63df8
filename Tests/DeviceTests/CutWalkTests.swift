import Testing

@testable import Device

@Suite struct `A walk over the states after a power cut` {
  /// Compares each digest with that of the state itself.
  ///
  /// - Returns: The images that were visited.
  @discardableResult
  private func expectTrueDigests(
    of device: StorageDevice, tears: CutWalk.Tears = .oneInEachDomain, countMax: Int,
    _ comment: String
  ) -> Set<ImageDigest> {
    var walk = CutWalk(device, tears: tears, countMax: countMax, seed: 5)
    var found: Set<ImageDigest> = []
    var count = 0
    while let digest = walk.next() {
      count += 1
      found.insert(digest)
      let survivors = walk.survivors
      guard device.crashState(survivors).live.digest() == digest else {
        Issue.record("\(survivors) has another digest; \(comment)")
        break
      }
    }
    #expect(count == (walk.isExhaustive ? walk.choiceCount : countMax), "\(comment)")
    return found
  }

  private static let folders = ["", "/d", "/e", "/d/s", "/key"]

  private func step(_ draws: inout Draws, _ index: Int) -> PlainModel.Step {
    let folder = Self.folders[draws.below(Self.folders.count)]
    let path = "\(folder)/\(["a", "b", "s", "d", "e", "key"][draws.below(6)])"
    let target =
      Self.folders[draws.below(Self.folders.count)] + "/\(["a", "b", "s"][draws.below(3)])"
    switch draws.below(15) {
    case 0, 1: return .create(path)
    case 2, 3: return .makeDirectory(path)
    case 4, 5, 6, 7, 8:
      return .write(
        path, at: draws.below(3) * 1_500, UInt8(index % 250 + 1), count: 1 + draws.below(2_500))
    case 9, 10: return .truncate(path, to: draws.below(5_000))
    case 11: return .rename(path, target, draws.below(3) == 0 ? .exchange : .replacing)
    case 12: return .link(path, target)
    case 13: return .unlink(path)
    default: return .removeDirectory(path)
    }
  }

  /// Two domains under every pair of profiles, with renames across them.
  @Test func `has the digest of each state, after random histories`() throws {
    let profiles = PersistenceProfile.all
    for seed in UInt64(0)..<98 {
      var draws = Draws(seed: seed)
      var driver = Driver(domains: [
        ("one", "/d", profiles[Int(seed) % 7]), ("two", "/key", profiles[Int(seed) / 7 % 7]),
      ])
      for folder in ["/d", "/e", "/d/s", "/key"] { try driver.makeDirectory(folder) }
      for index in 0..<12 { _ = driver.perform(step(&draws, index)) }
      driver.device.settle()
      for index in 12..<18 + Int(seed % 5) {
        _ = driver.perform(step(&draws, index))
        if draws.below(3) == 0 { try driver.syncSomething(&draws) }
      }
      expectTrueDigests(of: driver.device, countMax: 60, "seed \(seed)")
      expectTrueDigests(
        of: driver.device, tears: .none, countMax: 128, "seed \(seed), whole writes")
    }
  }

  /// Every subset of what is pending, with every part of at most one write of each domain.
  private func everyImage(of device: StorageDevice) -> Set<ImageDigest> {
    let changes = device.pending.ordered
    var choices = (0..<1 << changes.count).map { bits in
      Survivors.kept(Set(changes.indices.filter { bits >> $0 & 1 == 1 }))
    }
    for home in device.domains.indices {
      let members = changes.indices.filter { changes[$0].domain == home }
      let writes = Dictionary(grouping: members) { changes[$0].operation }
      let torn = writes.values.flatMap { write in
        let count = CrashChoice.sectorCount(of: write.map { changes[$0].change })
        return (1..<max(1, count)).flatMap { cut in
          PartialWrite.End.allCases.map { PartialWrite(change: write[0], $0, sectorCount: cut) }
        }
      }
      choices += torn.flatMap { part in choices.map { .partial(part, rest: $0) } }
    }
    return Set(choices.map { device.crashState($0).live.digest() })
  }

  @Test(arguments: PersistenceProfile.all)
  func `visits every image that the profile allows`(profile: PersistenceProfile) throws {
    var driver = Driver(domains: [("left", "/left", profile), ("right", "/right", profile)])
    for folder in ["/left", "/right"] { try driver.makeDirectory(folder) }
    try driver.create("/left/a", bytes(1, 700))
    try driver.create("/right/b", bytes(2, 100))
    driver.device.settle()
    try driver.write("/left/a", bytes(3, 1_200), at: 100)
    try driver.rename("/right/b", "/right/c")
    try driver.write("/right/c", bytes(4, 600))
    try driver.truncate("/left/a", to: 50)
    let found = expectTrueDigests(of: driver.device, countMax: 10_000, profile.name)
    #expect(found == everyImage(of: driver.device))
    let whole = expectTrueDigests(
      of: driver.device, tears: .none, countMax: 10_000, profile.name)
    #expect(whole.isSubset(of: found))
    #expect((whole == found) == [.strict, .atomicItem].contains(profile))
  }

  @Test func `tears a write in the middle of others, at either end, in two domains at once`() throws
  {
    var driver = Driver(domains: [("left", "/l", .posixWeak), ("right", "/r", .posixWeak)])
    for path in ["/l", "/r"] { try driver.create(path, bytes(1, 1_024)) }
    driver.device.settle()
    for path in ["/l", "/r"] { try driver.write(path, bytes(2, 1_024)) }
    try driver.write("/l", bytes(3, 10))
    var walk = CutWalk(driver.device, countMax: 1_000, seed: 1)
    var seen: Set<[UInt8]> = []
    while walk.next() != nil {
      let cut = driver.afterPowerCut(walk.survivors)
      seen.insert(
        ["/l", "/r"].flatMap { [cut.content($0)?[20] ?? 0, cut.content($0)?[512] ?? 0] })
    }
    let halves: [[UInt8]] = [[1, 1], [1, 2], [2, 1], [2, 2]]
    #expect(seen == Set(halves.flatMap { left in halves.map { left + $0 } }))
  }

  @Test func `cuts a long write at no more places than it says`() throws {
    var driver = Driver(.posixWeak)
    try driver.create("/f", bytes(1, 65_536))
    driver.device.settle()
    try driver.write("/f", bytes(2, 65_536))
    let walk = CutWalk(driver.device, countMax: 1 << 20, seed: 1)
    // Sixteen pages in all subsets, and each part of the write by itself.
    #expect(walk.choiceCount == 1 << 16 + 2 * CutSpace.cutsMax)
  }

  @Test func `says how many choices there are, and draws when they are too many`() throws {
    var driver = Driver(.posixWeak)
    for index in 0..<30 { try driver.create("/\(index)", bytes(UInt8(index), 600)) }
    #expect(CutWalk(driver.device, tears: .none, countMax: 100, seed: 1).choiceCount == nil)
    let found = expectTrueDigests(of: driver.device, countMax: 100, "drawn")
    #expect(found.contains(driver.afterPowerCut(.none).device.live.digest()))
    #expect(found.contains(driver.afterPowerCut(.all).device.live.digest()))
    #expect(found == expectTrueDigests(of: driver.device, countMax: 100, "drawn again"))
    #expect(found.count > 50)
  }

  @Test func `visits the one state of a device that has nothing pending`() throws {
    var driver = Driver(.ordered)
    try driver.create("/f", [1])
    driver.device.settle()
    var walk = CutWalk(driver.device, countMax: 10, seed: 1)
    #expect(walk.choiceCount == 1 && walk.isExhaustive)
    #expect(walk.next() == driver.device.live.digest())
    #expect(walk.next() == nil)
  }
}
