import Phone
import Ports
import SQLite
import Testing

@Suite struct `An update from AsyncStorage 2 to 3 on Android` {
  let phone: AndroidStorage

  init() throws {
    phone = try AndroidStorage()
  }

  private let old = AndroidLayout.rkStorage
  private let new = AndroidLayout.asyncStorage

  @Test func `moves the values once, and leaves the old database`() async throws {
    try await phone.launchTwo().setItem("k", to: "v")
    let storage = phone.launchThree()
    #expect(try await storage.item("k") == "v")
    #expect(try phone.connect(new).userVersion() == 2)
    try await storage.setItem("k", to: "new")
    #expect(try await phone.launchThree().item("k") == "new")
    #expect(try phone.names(in: AndroidLayout.cache) == [])
  }

  @Test func `leaves what is removed later in two old tables`() async throws {
    try await phone.launchTwo().setItem("k", to: "v")
    try await phone.launchThree().removeItem("k")
    for path in [old, new] {
      let value = try phone.connect(path).value("SELECT value FROM catalystLocalStorage")
      #expect(value == .text("v"))
    }
  }

  @Test func `lets a downgrade read the stale value`() async throws {
    try await phone.launchTwo().setItem("k", to: "stale")
    try await phone.launchThree().setItem("k", to: "fresh")
    #expect(try await phone.launchTwo().item("k") == "stale")
  }

  // MARK: Cuts

  @Test(arguments: ["create", "write", "fsync", "rename"])
  func `copies again after a kill before the rename, and leaves a file`(call: String)
    async throws
  {
    try await phone.launchTwo().setItem("k", to: "v")
    let storage = phone.launchThree()
    phone.files.dies = { asked, _ in asked == call }
    await #expect(throws: NativeError.three("Unable to copy database file.")) {
      try await storage.item("k")
    }
    #expect(!phone.exists(new))
    #expect(try await phone.launchThree().item("k") == "v")
    let left = try phone.names(in: AndroidLayout.cache)
    #expect(left.count == (call == "create" ? 0 : 1))
    #expect(left.allSatisfy { $0.hasPrefix("room-copy-helper") && $0.hasSuffix(".tmp") })
  }

  @Test func `syncs the copy before it renames it, and neither directory`() async throws {
    try await phone.launchTwo().setItem("k", to: "v")
    _ = phone.journal.take()
    _ = try await phone.launchThree().item("k")
    let calls = phone.journal.take().compactMap { $0.split(separator: " ").first }
    #expect(
      calls == ["close", "create", "close", "create", "write", "fsync", "close", "rename"])
  }

  @Test func `migrates after a kill between the rename and the migration`() async throws {
    try await phone.launchTwo().setItem("k", to: "v")
    try phone.copy(old, to: new)
    #expect(try await phone.launchThree().item("k") == "v")
    #expect(try phone.connect(new).userVersion() == 2)
  }

  @Test func `migrates after a kill in the middle of the migration`() async throws {
    try await phone.launchTwo().setItem("k", to: "v")
    try phone.copy(old, to: new)
    let connection = try phone.connect(new)
    try connection.setJournalMode(.wal)
    try connection.run("BEGIN EXCLUSIVE")
    try connection.run("CREATE TABLE Storage (key TEXT NOT NULL, value TEXT, PRIMARY KEY(key))")
    let left = try phone.killed()
    #expect(try await left.launchThree().item("k") == "v")
  }

  @Test func `loses the values when a kill left an empty database`() async throws {
    try await phone.launchTwo().setItem("k", to: "v")
    try phone.put([], at: new)
    #expect(try await phone.launchThree().item("k") == nil)
    #expect(try await phone.launchTwo().item("k") == "v")
  }

  @Test func `rejects every call when the old database is gone before the migration`()
    async throws
  {
    try await phone.launchTwo().setItem("k", to: "v")
    try phone.copy(old, to: new)
    try phone.remove(old)
    for _ in 0..<2 {
      let error = await #expect(throws: NativeError.self) {
        try await phone.launchThree().item("k")
      }
      #expect(
        error?.message.hasPrefix("A migration from 1 to 2 was required but not found.") == true)
    }
  }

  @Test func `tries again in the same launch when the disk was full`() async throws {
    try await phone.launchTwo().setItem("k", to: "v")
    let storage = phone.launchThree()
    phone.files.refuse = { call, _ in call == "write" ? FileError.noSpace : nil }
    await #expect(throws: NativeError.three("Unable to copy database file.")) {
      try await storage.item("k")
    }
    phone.files.refuse = { _, _ in nil }
    #expect(try await storage.item("k") == "v")
  }

  // MARK: What lies beside the main file

  @Test func `takes a cut transaction over, because it leaves the journal`() async throws {
    let left = try await phone.killedInTransaction()
    #expect(try await left.launchThree().item("k") == otherLongValue)
    #expect(try await left.launchTwo().item("k") == longValue)
  }

  @Test func `loses what is in the WAL of the old database`() async throws {
    phone.settings.journal = .wal
    try await phone.launchTwo().setItem("k", to: "old")
    try phone.checkpoint(old)
    try await phone.launchTwo().setItem("k", to: "new")
    #expect(try await phone.launchThree().item("k") == "old")
    #expect(try await phone.launchTwo().item("k") == "new")
  }

  // MARK: Damage

  @Test func `does not copy again over a damaged new database`() async throws {
    try await phone.launchTwo().setItem("k", to: "v")
    _ = try await phone.launchThree().item("k")
    try phone.checkpoint(new)
    try phone.damage(new, fromPage: 1)
    #expect(try await phone.launchThree().item("k") == nil)
  }

  @Test func `copies the stale values when the damaged one was deleted, and a kill came`()
    async throws
  {
    try await phone.launchTwo().setItem("k", to: "stale")
    try await phone.launchThree().setItem("k", to: "fresh")
    try phone.checkpoint(new)
    try phone.damage(new, fromPage: 3)
    await #expect(throws: NativeError.self) { try await phone.launchThree().item("k") }
    #expect(try await phone.launchThree().item("k") == "stale")
  }
}
