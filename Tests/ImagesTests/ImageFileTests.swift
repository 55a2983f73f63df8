import Device
import Foundation
import Images
import SQLite
import Testing

@Suite struct `An image file` {
  private let folder: URL
  private let path: String

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(
      path: "lab-images-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    path = folder.appending(path: "phone.image").path
  }

  private func removeFolder() throws {
    try FileManager.default.removeItem(at: folder)
  }

  /// A device with everything that an image must keep.
  private func busyDevice(_ seed: UInt64 = 1) throws -> StorageDevice {
    var setup = DeviceSetup()
    setup.restProfile = .posixWeak
    setup.domains = [
      DurabilityDomain(name: "key", prefix: "/key", profile: .ordered),
      DurabilityDomain(name: "blob", prefix: "/blob", profile: .apfs),
    ]
    setup.itemPoint = "item"
    var device = StorageDevice(setup)
    let process = ProcessNumber(3)
    var timeNs: Int64 = 1_000
    func call(_ request: Request) throws -> InodeID {
      timeNs += 7
      guard case .reply(let result) = device.perform(request, by: process, at: timeNs).answer else {
        return .root
      }
      guard case .attributes(let attributes) = try result.get() else { return .root }
      return attributes.inode
    }
    for folder in ["key", "blob", "rest"] {
      _ = try call(.makeDirectory(in: .root, FileName(folder), Ownership(mode: 0o755)))
    }
    var draws = Draws(seed: seed)
    for (index, folder) in ["key", "blob", "rest"].enumerated() {
      let directory = device.live.resolve("/\(folder)") ?? .root
      let file = try call(.create(in: directory, "file", Ownership(mode: 0o600, user: 5, group: 6)))
      for page in 0..<4 {
        let value = UInt8(draws.below(200) + 1)
        let bytes = [UInt8](repeating: value, count: 3_000)
        _ = try call(.write(file, offset: page * 4_096 * (index + 1) + 10, bytes))
        if page == 1 { _ = try call(.sync(file, dataOnly: false)) }
      }
      _ = try call(.setExtendedAttribute(file, name: "user.name", [1, 2, 3], .any))
      _ = try call(.removeExtendedAttribute(file, name: "user.name"))
      _ = try call(.setExtendedAttribute(file, name: "user.other", [], .any))
      _ = try call(.link(file, in: directory, "link"))
      var change = AttributeChange.truncating(to: 9_000)
      change.mode = 0o640
      change.modifiedNs = -5
      _ = try call(.setAttributes(file, change))
      _ = try call(.allocate(file, .punchHole, offset: 0, length: 5_000))
      _ = try call(.rename(from: directory, "file", to: directory, "moved", .replacing))
      _ = try call(
        .symbolicLink(in: directory, "symbolic", target: [0xFF, 0x2F], Ownership(mode: 0o777)))
      _ = try call(.makeNode(in: directory, "fifo", .fifo, Ownership(mode: 0o600)))
      let orphan = try call(.create(in: directory, "orphan", Ownership(mode: 0o600)))
      _ = try call(.write(orphan, offset: 0, [1]))
      _ = try call(.unlink(in: directory, "orphan"))
      _ = try call(.point("item"))
    }
    device.sealedPrefixes = ["/key", "/blob"]
    device.capacityBytes = 123_456_789
    return device
  }

  @Test func `gives back what was saved, with every crash state`() throws {
    for seed in UInt64(0)..<4 {
      var device = try busyDevice(seed)
      let backup = device.live
      _ = device.change { $0.writeFile("/rest/later", [9], mode: 0o644, at: 5) }
      if seed % 2 == 1 { device = device.crashState(.seeded(seed)) }
      var fresh = try busyDevice(seed)
      swap(&fresh, &device)
      let image = Image(
        device: device, snapshots: ["before": backup, "now": fresh.live], phoneState: #"{"a":1}"#)
      do {
        let file = try ImageFile(at: path, creating: true)
        try file.save(image)
      }
      let loaded = try #require(try ImageFile(at: path, creating: false).load())
      #expect(loaded.phoneState == image.phoneState)
      #expect(
        loaded.snapshots.mapValues { $0.digest() } == image.snapshots.mapValues { $0.digest() })
      #expect(loaded.snapshots["before"]?.stored == backup.stored)
      #expect(loaded.device.live.digest() == device.live.digest())
      #expect(loaded.device.durable.digest() == device.durable.digest())
      #expect(loaded.device.checkInvariants() == [])
      #expect(loaded.device.capacityBytes == device.capacityBytes)
      #expect(loaded.device.sealedPrefixes == device.sealedPrefixes)
      #expect(loaded.device.domains == device.domains)
      #expect(loaded.device.setup.itemPoint == "item")
      #expect(loaded.device.operationCount == device.operationCount)
      for cut in UInt64(0)..<25 {
        #expect(
          loaded.device.crashState(.seeded(cut)).live.digest()
            == device.crashState(.seeded(cut)).live.digest(), "seed \(cut)")
      }
      for survivors in [Survivors.none, .issued, .all] {
        #expect(
          loaded.device.crashState(survivors).live.digest()
            == device.crashState(survivors).live.digest())
      }
    }
    try removeFolder()
  }

  @Test func `stores the same again after loading`() throws {
    let file = try ImageFile(at: path, creating: true)
    try file.save(Image(device: try busyDevice()))
    let first = try #require(try file.load())
    try file.save(first)
    #expect(try file.load()?.device.stored == first.device.stored)
    try removeFolder()
  }

  @Test func `is empty before the first save, and is not made unless asked`() throws {
    #expect(throws: ImageError.self) { try ImageFile(at: path, creating: false).load() }
    #expect(!FileManager.default.fileExists(atPath: path))
    let file = try ImageFile(at: path, creating: true)
    #expect(try file.load() == nil)
    try removeFolder()
  }

  @Test func `holds the last image when a saver ends in the middle`() throws {
    let device = try busyDevice()
    do {
      let file = try ImageFile(at: path, creating: true)
      try file.save(Image(device: device, phoneState: "first"))
    }
    do {
      let other = try Connection(path)
      try other.run("BEGIN IMMEDIATE")
      try other.run("DELETE FROM settings")
      try other.run("DELETE FROM pages")
      try other.run("DELETE FROM inodes")
    }
    let loaded = try #require(try ImageFile(at: path, creating: false).load())
    #expect(loaded.phoneState == "first")
    #expect(loaded.device.live.digest() == device.live.digest())
    try removeFolder()
  }

  /// A copy of database and journal at a moment when the saver has written some pages is what its
  /// death by SIGKILL leaves.
  @Test func `holds the last image when a saver is killed with pages and journal on disk`() throws {
    let device = try busyDevice()
    do {
      let file = try ImageFile(at: path, creating: true)
      try file.save(Image(device: device, phoneState: "first"))
    }
    let before = try Data(contentsOf: URL(filePath: path))
    let dead = folder.appending(path: "dead.image").path
    let other = try Connection(path)
    try other.run("PRAGMA cache_size=2")
    try other.run("PRAGMA synchronous=FULL")
    try other.run("BEGIN IMMEDIATE")
    for table in ["settings", "contents", "pages", "inodes", "entries"] {
      try other.run("DELETE FROM \(table)")
    }
    for index in Int64(0)..<200 {
      try other.run(
        "INSERT INTO contents VALUES(?,?)", .integer(index),
        .blob([UInt8](repeating: UInt8(index), count: 4_000)))
    }
    let journal = try Data(contentsOf: URL(filePath: path + "-journal"))
    let written = try Data(contentsOf: URL(filePath: path))
    #expect(journal.count > 512 && written != before)
    // The journal is synced before the database is touched, so a part of it meets the old pages.
    let deaths = [(written, journal)] + (0..<8).map { (before, journal.prefix($0 * 1_000)) }
    for (database, journal) in deaths {
      try database.write(to: URL(filePath: dead))
      try journal.write(to: URL(filePath: dead + "-journal"))
      let loaded = try #require(try ImageFile(at: dead, creating: false).load())
      #expect(loaded.phoneState == "first")
      #expect(loaded.device.live.digest() == device.live.digest())
    }
    try other.run("ROLLBACK")
    try removeFolder()
  }

  @Test func `refuses what is no image, and leaves it alone`() throws {
    for content in [Data("hello".utf8), Data(repeating: 7, count: 5_000)] {
      try content.write(to: URL(filePath: path))
      #expect(throws: ImageError.notAnImage(path: path)) {
        try ImageFile(at: path, creating: true).load()
      }
      #expect(try Data(contentsOf: URL(filePath: path)) == content)
    }
    try FileManager.default.removeItem(atPath: path)
    do {
      let foreign = try Connection(path)
      try foreign.run("CREATE TABLE settings(name, value)")
    }
    let content = try Data(contentsOf: URL(filePath: path))
    #expect(throws: ImageError.notAnImage(path: path)) {
      try ImageFile(at: path, creating: true).load()
    }
    #expect(try Data(contentsOf: URL(filePath: path)) == content)
    try removeFolder()
  }

  @Test func `refuses a newer format, and leaves it alone`() throws {
    do {
      let file = try ImageFile(at: path, creating: true)
      try file.save(Image(device: try busyDevice()))
    }
    do { try Connection(path).setUserVersion(ImageFile.format + 1) }
    let content = try Data(contentsOf: URL(filePath: path))
    #expect(throws: ImageError.newerFormat(path: path, found: 3, known: 2)) {
      try ImageFile(at: path, creating: true).load()
    }
    #expect(try Data(contentsOf: URL(filePath: path)) == content)
    try removeFolder()
  }

  @Test(arguments: [
    "DELETE FROM contents WHERE content=1", "UPDATE inodes SET kind=9 WHERE inode=3",
    "UPDATE inodes SET size=-1", "UPDATE inodes SET size='x'", "DELETE FROM inodes WHERE inode=1",
    "INSERT INTO entries VALUES(0,1,x'41',999)", "UPDATE entries SET inode=1",
    "DELETE FROM settings WHERE name='nextInode'",
    "UPDATE settings SET value=2 WHERE name='nextInode'",
    "UPDATE domains SET profile='btrfs'", "UPDATE changes SET word='x'",
    "UPDATE changes SET domain=9",
    "UPDATE changes SET first=-1 WHERE word='data'", "DELETE FROM changes WHERE word='entry-add'",
    "DELETE FROM views WHERE view=1", "UPDATE pages SET page=-1", "DELETE FROM domains",
    "UPDATE contents SET bytes=x'00' WHERE content=1",
    "UPDATE changes SET second=-9 WHERE word='hole'",
    "UPDATE settings SET value=-1 WHERE name='capacityBytes' OR name='lastSequence'",
  ]) func `says when its content contradicts itself`(sql: String) throws {
    do {
      let file = try ImageFile(at: path, creating: true)
      try file.save(Image(device: try busyDevice()))
    }
    do { #expect(try Connection(path).run(sql) > 0) }
    do {
      _ = try ImageFile(at: path, creating: false).load()
      Issue.record("\(sql) was not noticed")
    } catch {
      guard case .damaged(path, let reason) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(!reason.contains("\n"))
    }
    try removeFolder()
  }

  @Test func `says when bytes of it are damaged, whichever`() throws {
    let device = try busyDevice()
    do {
      let file = try ImageFile(at: path, creating: true)
      try file.save(Image(device: device, phoneState: "state"))
    }
    let content = try Data(contentsOf: URL(filePath: path))
    var draws = Draws(seed: 3)
    var refusals = 0
    for round in 0..<80 {
      var damaged = content
      for _ in 0..<(1 + round % 8) {
        damaged[draws.below(damaged.count)] ^= UInt8(draws.below(255) + 1)
      }
      try damaged.write(to: URL(filePath: path))
      do {
        let loaded = try ImageFile(at: path, creating: true).load()
        #expect(loaded?.device.stored.durable == device.stored.durable, "round \(round)")
        #expect(loaded?.device.stored.pending == device.stored.pending, "round \(round)")
        #expect(loaded?.phoneState == "state", "round \(round)")
      } catch {
        refusals += 1
      }
    }
    #expect(refusals > 40)
    for length in [100, 512, content.count / 2, content.count - 4_096] {
      try content.prefix(length).write(to: URL(filePath: path))
      #expect(throws: ImageError.self) { try ImageFile(at: path, creating: true).load() }
    }
    try removeFolder()
  }

  @Test func `is not opened for writing by two at once`() throws {
    let file = try ImageFile(at: path, creating: true)
    let other = try Connection(path)
    try other.run("BEGIN EXCLUSIVE")
    #expect(throws: ImageError.cannotWrite(path: path, reason: "another process uses it")) {
      try file.save(Image(device: StorageDevice(DeviceSetup())))
    }
    try other.run("ROLLBACK")
    try file.save(Image(device: StorageDevice(DeviceSetup())))
    try removeFolder()
  }

  @Test func `has errors of one line`() {
    let errors: [ImageError] = [
      .notAnImage(path: "/p"), .newerFormat(path: "/p", found: 2, known: 1),
      .damaged(path: "/p", reason: "r"), .cannotOpen(path: "/p", reason: "r"),
      .cannotWrite(path: "/p", reason: "r"),
    ]
    #expect(errors.allSatisfy { !"\($0)".contains("\n") && "\($0)".contains("/p") })
  }

  @Test func `takes a device of some megabytes in a moment`() throws {
    var device = StorageDevice(DeviceSetup())
    _ = device.change { tree in
      for index in 0..<64 {
        tree.writeFile(
          "/file\(index)", (0..<65_536).map { UInt8(truncatingIfNeeded: $0 >> 4 &+ index) },
          mode: 0o600, at: 1)
      }
    }
    let clock = ContinuousClock()
    let file = try ImageFile(at: path, creating: true)
    let image = Image(device: device)
    let elapsed = try clock.measure { try file.save(image) }
    #expect(elapsed < .seconds(20))
    #expect(try file.load()?.device.live.digest() == device.live.digest())
    try removeFolder()
  }
}
