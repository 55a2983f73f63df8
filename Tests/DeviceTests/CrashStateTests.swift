import Testing

@testable import Device

@Suite struct `A crash state` {
  private typealias Step = CrashOracle.Step

  /// Runs the same steps on a device and on the oracle.
  private func run(
    _ steps: [Step], _ profile: PersistenceProfile
  ) throws -> (driver: Driver, oracle: CrashOracle) {
    var driver = Driver(profile)
    var oracle = CrashOracle(profile)
    for step in steps {
      oracle.perform(step)
      try driver.perform(step)
    }
    return (driver, oracle)
  }

  private func images(of driver: Driver, seeds: Int) -> Set<[String: [UInt8]]> {
    var found: Set<[String: [UInt8]]> = []
    for seed in 0..<seeds {
      let cut = driver.afterPowerCut(.seeded(UInt64(seed)))
      found.insert(cut.flatImage)
    }
    return found
  }

  /// Images are large: one example says enough.
  private func expectNone(
    _ images: Set<[String: [UInt8]]>, _ comment: String,
    at location: SourceLocation = #_sourceLocation
  ) {
    guard let example = images.first else { return }
    let text = example.mapValues { content in
      Dictionary(grouping: content.indices, by: { content[$0] }).mapValues {
        ($0.min() ?? 0)...($0.max() ?? 0)
      }
    }
    Issue.record("\(images.count) images, such as \(text); \(comment)", sourceLocation: location)
  }

  private static let oracleProfiles: [PersistenceProfile] = [
    .strict, .atomicItem, .ordered, .posixWeak, .fsyncLies,
  ]

  /// Small scopes in which every legal state is few draws away.
  private static let scopes: [[Step]] = [
    [.create("a"), .write("a", at: 0, 1, count: 512)],
    [.create("a"), .write("a", at: 0, 1, count: 1_024)],
    [
      .create("a"), .write("a", at: 0, 1, count: 600), .sync("a"),
      .write("a", at: 0, 2, count: 600),
    ],
    [.create("a"), .syncDirectory, .write("a", at: 0, 1, count: 10), .truncate("a", to: 0)],
    [.create("a"), .create("b"), .rename("a", "b"), .unlink("b")],
    [
      .create("a"), .write("a", at: 0, 1, count: 9), .sync("a"), .create("b"),
      .write("b", at: 0, 2, count: 9), .rename("b", "a"),
    ],
    [
      .create("a"), .write("a", at: 0, 1, count: 9), .syncDirectory, .sync("a"),
      .unlink("a"), .create("a"), .write("a", at: 0, 2, count: 9),
    ],
    [
      .create("a"), .write("a", at: 0, 1, count: 700), .sync("a"), .truncate("a", to: 100),
      .write("a", at: 600, 2, count: 200),
    ],
    [
      .create("a"), .write("a", at: 0, 1, count: 600), .syncDirectory, .sync("a"),
      .truncate("a", to: 0), .write("a", at: 0, 2, count: 512),
    ],
    [
      .create("a"), .sync("a"), .write("a", at: 0, 1, count: 512), .create("b"), .sync("b"),
      .write("a", at: 512, 2, count: 512),
    ],
  ]

  @Test(arguments: oracleProfiles.dropLast())
  func `is every legal one of a small scope, and no other`(
    profile: PersistenceProfile
  ) throws {
    for (index, steps) in Self.scopes.enumerated() {
      let (driver, oracle) = try run(steps, profile)
      let legal = oracle.legalImages()
      var found: Set<[String: [UInt8]]> = []
      for seed in UInt64(0)..<8_000 where found != legal {
        found.insert(driver.afterPowerCut(.seeded(seed)).flatImage)
      }
      expectNone(found.subtracting(legal), "scope \(index) of \(profile.name): not legal")
      expectNone(legal.subtracting(found), "scope \(index) of \(profile.name): not reached")
    }
  }

  @Test func `keeps the old bytes of a file whose cutting is lost, or leaves new ones among them`()
    throws
  {
    for (profile, isTorn) in [(PersistenceProfile.ordered, false), (.posixWeak, true)] {
      var driver = Driver(profile)
      try driver.create("/f", bytes(1, 1_024))
      driver.device.settle()
      try driver.truncate("/f", to: 0)
      try driver.write("/f", bytes(2, 512))
      // Of the cutting, the bytes and the length of the write, only the bytes.
      let cut = driver.afterPowerCut(.kept([1]))
      #expect(cut.content("/f") == bytes(isTorn ? 2 : 1, 512) + bytes(1, 512), "\(profile.name)")
    }
  }

  @Test func `is found for every subset of what is pending`() throws {
    for (index, steps) in Self.scopes.enumerated() {
      let (driver, oracle) = try run(steps, .posixWeak)
      let count = driver.device.pending.count
      let found = Set(
        (0..<1 << count).map { mask in
          driver.afterPowerCut(.kept(Set((0..<count).filter { mask >> $0 & 1 == 1 }))).flatImage
        })
      expectNone(found.subtracting(oracle.legalImages()), "scope \(index): not legal")
      #expect(found.contains(oracle.live.image) && found.contains(oracle.durable.image))
    }
  }

  @Test(arguments: oracleProfiles) func `is legal after random histories`(
    profile: PersistenceProfile
  ) throws {
    for seed in UInt64(0)..<40 {
      let steps = Self.randomSteps(seed, count: 9)
      let (driver, oracle) = try run(steps, profile)
      guard oracle.pending.count <= 7 else { continue }
      #expect(driver.flatImage == oracle.live.image, "seed \(seed)")
      #expect(
        driver.afterPowerCut(.all).flatImage == oracle.live.image,
        "seed \(seed)")
      let found = images(of: driver, seeds: 25)
      expectNone(found.subtracting(oracle.legalImages()), "seed \(seed): \(steps)")
      #expect(driver.device.checkInvariants() == [], "seed \(seed)")
    }
  }

  @Test(arguments: [PersistenceProfile.f2fs, .apfs]) func `is one of a weaker profile's`(
    profile: PersistenceProfile
  ) throws {
    for seed in UInt64(0)..<40 {
      let steps = Self.randomSteps(seed, count: 9)
      let (driver, _) = try run(steps, profile)
      let (_, lies) = try run(steps, .fsyncLies)
      guard lies.pending.count <= 7 else { continue }
      expectNone(
        images(of: driver, seeds: 25).subtracting(lies.legalImages()), "seed \(seed): \(steps)")
      let (_, ordered) = try run(steps.filter { !$0.isSync }, .ordered)
      let (unsynced, _) = try run(steps.filter { !$0.isSync }, profile)
      expectNone(images(of: unsynced, seeds: 25).subtracting(ordered.legalImages()), "seed \(seed)")
      #expect(driver.device.checkInvariants() == [], "seed \(seed)")
    }
  }

  @Test func `keeps items whole, and a prefix of them`() throws {
    var setup = DeviceSetup()
    setup.restProfile = .atomicItem
    setup.itemPoint = "item"
    var driver = Driver(StorageDevice(setup))
    try driver.create("/a")
    driver.device.settle()
    for item in UInt8(1)...3 {
      try driver.write("/a", bytes(item, 512), at: 0)
      try driver.write("/a", bytes(item, 512), at: 9_000)
      try driver.call(.point("item"))
    }
    var seen: Set<[UInt8]> = []
    for seed in UInt64(0)..<200 {
      let content = driver.afterPowerCut(.seeded(seed)).content("/a") ?? []
      let first = content.first ?? 0
      seen.insert([first])
      #expect(first == 0 ? content.isEmpty : content[9_000...] == bytes(first, 512)[...])
    }
    #expect(seen.count == 4)
  }

  @Test func `tears the one write that was named, over all of its pages`() throws {
    var driver = Driver(.posixWeak)
    try driver.create("/f", bytes(1, 12_288))
    driver.device.settle()
    try driver.write("/f", bytes(2, 12_288))
    let write = driver.device.log.last?.number ?? OperationNumber(0)
    for sectors in [0, 1, 8, 9, 23, 24, 99] {
      let cut = driver.afterPowerCut(.torn(write, sectorCount: sectors, rest: .all))
      let kept = min(12_288, sectors * 512)
      #expect(cut.content("/f") == bytes(2, kept) + bytes(1, 12_288 - kept), "\(sectors) sectors")
    }
  }

  @Test(arguments: [PersistenceProfile.posixWeak, .ordered])
  func `of a torn append ends where it was torn`(
    profile: PersistenceProfile
  ) throws {
    var driver = Driver(profile)
    try driver.create("/f", bytes(1, 100))
    driver.device.settle()
    try driver.write("/f", bytes(2, 9_000), at: 100)
    let write = driver.device.log.last?.number ?? OperationNumber(0)
    let cut = driver.afterPowerCut(.torn(write, sectorCount: 3, rest: .all))
    #expect(cut.content("/f") == bytes(1, 100) + bytes(2, 3 * 512 - 100))
    let whole = driver.afterPowerCut(.torn(write, sectorCount: 99, rest: .all))
    #expect(whole.content("/f")?.count == 9_100)
  }

  @Test func `never tears an item`() throws {
    var driver = Driver(.atomicItem)
    try driver.create("/f", bytes(1, 1_024))
    driver.device.settle()
    try driver.write("/f", bytes(2, 1_024))
    let write = driver.device.log.last?.number ?? OperationNumber(0)
    let cut = driver.afterPowerCut(.torn(write, sectorCount: 1, rest: .all))
    #expect(cut.content("/f") == bytes(1, 1_024))
  }

  @Test func `is a tree, whichever half of a directory's renames survives`() throws {
    var driver = Driver(.posixWeak)
    try driver.makeDirectory("/x")
    try driver.makeDirectory("/y")
    driver.device.settle()
    try driver.rename("/x", "/y/x")
    try driver.rename("/y/x", "/x")
    try driver.rename("/y", "/x/y")
    for seed in UInt64(0)..<500 {
      let cut = driver.afterPowerCut(.seeded(seed))
      #expect(cut.device.checkInvariants() == [], "seed \(seed)")
      _ = cut.device.live.digest()
    }
  }

  @Test func `has new inode numbers, and loses handles`() throws {
    var driver = Driver(.strict)
    let id = try driver.open("/f")
    let cut = driver.afterPowerCut()
    #expect(cut.exists("/f"))
    #expect(cut.device.live[id] == nil)
    #expect(cut.device.live.digest() == driver.device.live.digest())
    try driver.unlink("/f")
    #expect(driver.afterPowerCut().device.live.inodes.count == 1)
  }

  private static func randomSteps(_ seed: UInt64, count: Int) -> [Step] {
    var draws = Draws(seed: seed)
    return (0..<count).map { index in
      let name = draws.below(2) == 0 ? "a" : "b"
      let value = UInt8(index + 1)
      return switch draws.below(11) {
      case 0, 1, 2: .create(name)
      case 3, 4, 5:
        .write(name, at: draws.below(3) * 300, value, count: [100, 512, 700][draws.below(3)])
      case 6: .truncate(name, to: draws.below(4) * 256)
      case 7: .rename(name, draws.below(2) == 0 ? "a" : "b")
      case 8: .unlink(name)
      case 9: .sync(name)
      default: .syncDirectory
      }
    }
  }
}

extension CrashOracle.Step {
  var isSync: Bool {
    switch self {
    case .sync, .syncDirectory: true
    default: false
    }
  }
}

extension Driver {
  /// The files of the root directory.
  var flatImage: [String: [UInt8]] {
    device.live.list(.root).reduce(into: [:]) { image, entry in
      image[entry.name.description] = content("/\(entry.name)")
    }
  }

  /// The step, or nothing where a program would see an error.
  mutating func perform(_ step: CrashOracle.Step) throws {
    do throws(DeviceError) {
      switch step {
      case .create(let name): try create("/\(name)")
      case .write(let name, let start, let value, let count):
        try write("/\(name)", bytes(value, count), at: start)
      case .truncate(let name, let size): try truncate("/\(name)", to: size)
      case .rename(let name, let target): try rename("/\(name)", "/\(target)")
      case .unlink(let name): try unlink("/\(name)")
      case .sync(let name): try sync("/\(name)")
      case .syncDirectory: try syncDirectory("/")
      }
    } catch {
      guard [.noEntry, .exists].contains(error) else { throw error }
    }
  }
}
