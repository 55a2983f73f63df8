import Device
import Testing

/// What each profile promises after the calls that a careful program makes.
private struct Promise: CustomStringConvertible {
  let profile: PersistenceProfile
  /// A file that was created and synced, its directory not.
  let nameBySync: Bool
  /// A file that was created and synced, and its directory synced.
  let nameByDirectorySync: Bool
  /// Bytes that were written over a durable file and synced.
  let dataBySync: Bool
  /// Anything at all without a sync.
  let anythingAtOnce: Bool
  /// Another file's creation, by this file's sync.
  let othersBySync: Bool

  var description: String { profile.name }

  static let all = [
    Promise(
      profile: .strict, nameBySync: true, nameByDirectorySync: true, dataBySync: true,
      anythingAtOnce: true, othersBySync: true),
    Promise(
      profile: .atomicItem, nameBySync: true, nameByDirectorySync: true, dataBySync: true,
      anythingAtOnce: false, othersBySync: true),
    Promise(
      profile: .ordered, nameBySync: true, nameByDirectorySync: true, dataBySync: true,
      anythingAtOnce: false, othersBySync: true),
    Promise(
      profile: .f2fs, nameBySync: true, nameByDirectorySync: true, dataBySync: true,
      anythingAtOnce: false, othersBySync: false),
    Promise(
      profile: .apfs, nameBySync: false, nameByDirectorySync: false, dataBySync: false,
      anythingAtOnce: false, othersBySync: false),
    Promise(
      profile: .posixWeak, nameBySync: false, nameByDirectorySync: true, dataBySync: true,
      anythingAtOnce: false, othersBySync: false),
    Promise(
      profile: .fsyncLies, nameBySync: false, nameByDirectorySync: false, dataBySync: false,
      anythingAtOnce: false, othersBySync: false),
  ]
}

@Suite struct `What a power cut leaves` {
  private let old = bytes(1, 5_000)
  private let new = bytes(2, 5_000)

  /// A device with one durable file.
  private func settled(_ profile: PersistenceProfile) throws -> Driver {
    var driver = Driver(profile)
    try driver.create("/file", old)
    driver.device.settle()
    return driver
  }

  /// When the journal is committed, a file that had the name meanwhile is gone already.
  @Test func `is no older holder of a name that another file had meanwhile`() throws {
    var renamed = Driver(.ordered)
    try renamed.create("/a", [1])
    try renamed.create("/b", [2])
    try renamed.rename("/a", "/b")
    try renamed.rename("/b", "/c")
    try renamed.unlink("/c")
    try renamed.syncDirectory("/")
    #expect(renamed.device.checkInvariants() == [])
    #expect(renamed.afterPowerCut().image() == [:])

    var exchanged = Driver(.ordered)
    try exchanged.create("/a", [1])
    try exchanged.create("/b", [2])
    try exchanged.rename("/a", "/b", .exchange)
    try exchanged.unlink("/a")
    try exchanged.syncDirectory("/")
    #expect(exchanged.device.checkInvariants() == [])
    #expect(exchanged.afterPowerCut().image() == ["/b": [1]])
  }

  @Test func `covers every profile`() {
    #expect(Promise.all.map(\.profile) == PersistenceProfile.all)
  }

  @Test(arguments: Promise.all) private func `is the written data when it was synced`(
    promise: Promise
  ) throws {
    var driver = try settled(promise.profile)
    try driver.write("/file", new)
    let unsynced = driver.afterPowerCut()
    #expect(unsynced.content("/file") == (promise.anythingAtOnce ? new : old))
    try driver.sync("/file")
    #expect(driver.afterPowerCut().content("/file") == (promise.dataBySync ? new : old))
    #expect(driver.afterPowerCut(.all).content("/file") == new)
  }

  @Test(arguments: Promise.all) private func `is the new name as far as syncs reach`(
    promise: Promise
  ) throws {
    var driver = Driver(promise.profile)
    try driver.create("/other")
    try driver.create("/new", new)
    #expect(driver.afterPowerCut().exists("/new") == promise.anythingAtOnce)
    try driver.sync("/new")
    var cut = driver.afterPowerCut()
    #expect(cut.content("/new") == (promise.nameBySync ? new : nil))
    #expect(cut.exists("/other") == promise.othersBySync)
    try driver.syncDirectory("/")
    cut = driver.afterPowerCut()
    #expect(cut.content("/new") == (promise.nameByDirectorySync ? new : nil))
  }

  @Test(arguments: Promise.all)
  private func `is a name without its data when only names are synced`(
    promise: Promise
  ) throws {
    var driver = Driver(promise.profile)
    try driver.create("/new", new)
    try driver.syncDirectory("/")
    let found = driver.afterPowerCut().content("/new")
    switch promise.profile {
    case .posixWeak: #expect(found == [])
    case .apfs, .fsyncLies: #expect(found == nil)
    default: #expect(found == new, "a journal commits the length, and the data that it needs")
    }
  }

  @Test(arguments: Promise.all) private func `is the new content after an atomic replacement`(
    promise: Promise
  ) throws {
    var driver = try settled(promise.profile)
    try driver.create("/temp", new)
    try driver.sync("/temp")
    try driver.rename("/temp", "/file")
    #expect(driver.afterPowerCut().content("/file") == (promise.anythingAtOnce ? new : old))
    try driver.syncDirectory("/")
    let cut = driver.afterPowerCut()
    #expect(cut.content("/file") == (promise.nameByDirectorySync ? new : old))
    #expect(!cut.exists("/temp"))
  }

  @Test(arguments: Promise.all) private func `is the removed file until its directory is synced`(
    promise: Promise
  ) throws {
    var driver = try settled(promise.profile)
    try driver.unlink("/file")
    #expect(driver.afterPowerCut().exists("/file") == !promise.anythingAtOnce)
    try driver.syncDirectory("/")
    #expect(driver.afterPowerCut().exists("/file") == !promise.nameByDirectorySync)
    #expect(driver.device.checkInvariants() == [])
  }

  @Test(arguments: Promise.all) private func `is the newer of two files of one name`(
    promise: Promise
  ) throws {
    var driver = try settled(promise.profile)
    try driver.unlink("/file")
    try driver.create("/file", new)
    try driver.sync("/file")
    let found = driver.afterPowerCut().content("/file")
    #expect(found == (promise.nameBySync ? new : old))
    #expect(driver.afterPowerCut(.all).content("/file") == new)
    #expect(driver.device.checkInvariants() == [])
  }

  @Test(arguments: PersistenceProfile.all) func `is the live view after a process kill`(
    profile: PersistenceProfile
  ) throws {
    var driver = try settled(profile)
    try driver.write("/file", new, at: 100)
    try driver.rename("/file", "/moved")
    #expect(driver.content("/moved") == old.prefix(100) + new)
    #expect(driver.afterPowerCut(.all).device.live.digest() == driver.device.live.digest())
  }

  @Test func `is synced data that APFS handed to the drive, or not`() throws {
    var driver = try settled(.apfs)
    try driver.write("/file", new)
    try driver.sync("/file")
    try driver.write("/file", bytes(3, 10))
    #expect(driver.afterPowerCut(.none).content("/file") == old)
    #expect(driver.afterPowerCut(.issued).content("/file") == new)
  }

  @Test func `is chosen for each domain by itself`() throws {
    var driver = Driver(domains: [("key", "/key", .ordered), ("blob", "/blob", .ordered)])
    try driver.create("/key", old)
    try driver.create("/blob", old)
    driver.device.settle()
    try driver.write("/key", new)
    try driver.write("/blob", new)
    let keyBehind = driver.afterPowerCut(.perDomain(["key": .none], rest: .all))
    #expect(keyBehind.content("/key") == old)
    #expect(keyBehind.content("/blob") == new)
    let blobBehind = driver.afterPowerCut(.perDomain(["blob": .none], rest: .all))
    #expect(blobBehind.content("/key") == new)
    #expect(blobBehind.content("/blob") == old)
  }

  @Test func `draws for a domain from that domain's seed only`() throws {
    var driver = Driver(domains: [("key", "/key", .posixWeak), ("blob", "/blob", .posixWeak)])
    for index in 0..<6 { try driver.create("/key\(index == 0 ? "" : "\(index)")") }
    try driver.create("/blob")
    driver.device.settle()
    for index in 0..<8 { try driver.write("/key", bytes(UInt8(index + 1), 512), at: index * 512) }
    try driver.write("/blob", new)
    let keys = (UInt64(0)..<20).map { seed in
      driver.afterPowerCut(.perDomain(["key": .seeded(5), "blob": .seeded(seed)], rest: .none))
        .content("/key")
    }
    #expect(Set(keys).count == 1)
  }

  @Test func `is what fsync of a manifest covers when its temporary file had another domain`()
    throws
  {
    var driver = Driver(domains: [
      ("manifest", "/app/manifest.json", .ordered), ("values", "/app", .ordered),
    ])
    try driver.makeDirectory("/app")
    try driver.create("/app/temp", new)
    try driver.rename("/app/temp", "/app/manifest.json")
    #expect(driver.device.checkInvariants() == [])
    try driver.sync("/app/manifest.json")
    let cut = driver.afterPowerCut()
    #expect(cut.content("/app/manifest.json") == new, "with the new directory above it")
    #expect(driver.device.checkInvariants() == [])
  }

  @Test func `does not bring back data from before a committed truncation`() throws {
    var driver = Driver(.ordered)
    try driver.create("/file", bytes(1, 20_000))
    driver.device.settle()
    try driver.write("/file", bytes(9, 4_096), at: 12_288)
    try driver.truncate("/file", to: 0)
    try driver.create("/other")
    try driver.sync("/other")
    try driver.truncate("/file", to: 20_000)
    #expect(driver.device.checkInvariants() == [])
    #expect(driver.afterPowerCut(.all).content("/file") == bytes(0, 20_000))
  }

  @Test func `writes all back when too much is pending`() throws {
    var setup = DeviceSetup()
    setup.restProfile = .fsyncLies
    setup.pendingLimit = 10
    var driver = Driver(StorageDevice(setup))
    for index in 0..<6 { try driver.create("/\(index)", [1]) }
    #expect(driver.afterPowerCut().exists("/0"))
    #expect(!driver.afterPowerCut().exists("/5"))
  }
}
