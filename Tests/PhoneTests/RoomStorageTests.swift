import Phone
import Ports
import SQLite
import Testing

@Suite struct `AsyncStorage 3 on Android` {
  let phone: AndroidStorage

  init() throws {
    phone = try AndroidStorage()
  }

  private let path = AndroidLayout.asyncStorage

  @Test func `keeps values from launch to launch, an empty text as well`() async throws {
    let storage = phone.launchThree()
    try await storage.multiSet([("k", "v"), ("empty", "")])
    #expect(phone.journal.lines == ["point B0", "point B1"])
    #expect(try await phone.launchThree().item("k") == "v")
    #expect(try await phone.launchThree().item("empty") == "")
    try await storage.removeItem("k")
    #expect(try await storage.item("k") == nil)
    try await storage.clear()
    #expect(try await storage.allKeys() == [])
  }

  @Test func `makes the database that Room makes`() async throws {
    try await phone.launchThree().setItem("k", to: "v")
    let database = try phone.connect(path)
    #expect(try database.userVersion() == 2)
    #expect(try database.journalMode() == .wal)
    #expect(
      try database.value("SELECT sql FROM sqlite_schema WHERE name = 'Storage'")
        == .text(
          "CREATE TABLE `Storage` (`key` TEXT NOT NULL, `value` TEXT, PRIMARY KEY(`key`))"))
    #expect(try database.value("SELECT id FROM room_master_table") == 42)
  }

  // MARK: Durability

  @Test func `keeps a value through the end of its process, which leaves the WAL`()
    async throws
  {
    try await phone.launchThree().setItem("k", to: "v")
    #expect(try phone.size("\(path)-wal") > 0)
    #expect(phone.exists("\(path)-shm"))
    #expect(try await phone.launchThree().item("k") == "v")
  }

  @Test func `has nothing of a value outside the WAL before a checkpoint`() async throws {
    try await phone.launchThree().setItem("k", to: "old")
    try phone.checkpoint(path)
    try await phone.launchThree().setItem("k", to: "new")
    try phone.remove("\(path)-wal")
    #expect(try await phone.launchThree().item("k") == "old")
  }

  @Test func `has a value in the main file after 100 pages`() async throws {
    let storage = phone.launchThree()
    try await storage.setItem("k", to: "v")
    try await storage.setItem("big", to: String(repeating: "x", count: 100 * 4096))
    try phone.remove("\(path)-wal")
    #expect(try await phone.launchThree().item("k") == "v")
  }

  // MARK: Limits and failures

  @Test func `has no cap, and the limit of a row`() async throws {
    let storage = phone.launchThree()
    try await storage.setItem("k", to: String(repeating: "x", count: 7 << 20))
    await #expect(
      throws: NativeError.three(
        "Row too big to fit into CursorWindow requiredPos=0, totalRows=1")
    ) { try await storage.item("k") }
  }

  @Test func `opens at the second try, and loses nothing`() async throws {
    try await phone.launchThree().setItem("k", to: "v")
    let storage = phone.launchThree()
    phone.files.detourCount = 1
    #expect(try await storage.item("k") == "v")
  }

  @Test func `rejects when the second try fails too, and loses nothing`() async throws {
    try await phone.launchThree().setItem("k", to: "v")
    let storage = phone.launchThree()
    phone.files.detourCount = 2
    await #expect(
      throws: NativeError.three("unable to open database file (code 14 SQLITE_CANTOPEN)")
    ) { try await storage.item("k") }
    #expect(try await storage.item("k") == "v")
  }

  @Test(arguments: AndroidStorageSettings.RoomCorruption.allCases)
  func `treats a damaged file as its version does`(
    corruption: AndroidStorageSettings.RoomCorruption
  ) async throws {
    phone.settings.roomCorruption = corruption
    try await phone.launchThree().setItem("k", to: "v")
    try phone.checkpoint(path)
    try phone.damage(path, fromPage: 1)
    let error = NativeError.three(
      "file is not a database (code 26 SQLITE_NOTADB): , while compiling: PRAGMA journal_mode")
    for _ in 0..<2 {
      switch corruption {
      case .byHelper: #expect(try await phone.launchThree().item("k") == nil)
      case .stays:
        await #expect(throws: error) { try await phone.launchThree().item("k") }
      }
    }
  }

  @Test(arguments: AndroidStorageSettings.RoomCorruption.allCases)
  func `treats damage below a query as its version does`(
    corruption: AndroidStorageSettings.RoomCorruption
  ) async throws {
    phone.settings.roomCorruption = corruption
    try await phone.launchThree().setItem("k", to: "v")
    try phone.checkpoint(path)
    try phone.damage(path, fromPage: 3)
    let storage = phone.launchThree()
    let error = NativeError.three(
      "database disk image is malformed (code 11 SQLITE_CORRUPT)")
    await #expect(throws: error) { try await storage.item("k") }
    switch corruption {
    case .byHelper: #expect(try await storage.item("k") == nil)
    case .stays: await #expect(throws: error) { try await storage.item("k") }
    }
  }
}
