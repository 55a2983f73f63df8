import Phone
import Ports
import SQLite
import Testing

@Suite struct `AsyncStorage 2 on Android` {
  let phone: AndroidStorage

  init() throws {
    phone = try AndroidStorage()
  }

  private let full = NativeError(message: "database or disk is full (code 13 SQLITE_FULL)")
  private let tooBig = NativeError(
    message: "Row too big to fit into CursorWindow requiredPos=0, totalRows=1")

  // MARK: Rows

  @Test func `keeps values from launch to launch, and announces a write`() async throws {
    let storage = phone.launchTwo()
    try await storage.setItem("k", to: "é1")
    #expect(phone.journal.lines == ["point B0", "point B1"])
    #expect(try await storage.item("k") == "é1")
    #expect(try await phone.launchTwo().item("k") == "é1")
    #expect(try await phone.launchTwo().item("other") == nil)
  }

  @Test func `reads an empty text as none`() async throws {
    let storage = phone.launchTwo()
    try await storage.setItem("k", to: "")
    #expect(try await storage.item("k") == nil)
    #expect(try await storage.allKeys() == ["k"])
  }

  @Test func `removes what it is told, and all at a clear`() async throws {
    let storage = phone.launchTwo()
    try await storage.multiSet([("a", "1"), ("b", "2"), ("c", "3")])
    try await storage.multiRemove(["a", "missing"])
    #expect(try await storage.allKeys() == ["b", "c"])
    try await storage.clear()
    #expect(try await phone.launchTwo().allKeys() == [])
  }

  @Test func `answers 999 keys at a time, the stored ones first`() async throws {
    let storage = phone.launchTwo()
    let keys = (0..<1001).map { "k\(1000 + $0)" }
    try await storage.multiSet([("k2000", "last"), ("k1500", "b"), ("k1200", "a")])
    let answer = try await storage.multiGet(keys)
    #expect(answer.count == 1001)
    #expect(answer.prefix(3).map(\.key) == ["k1200", "k1500", "k1000"])
    #expect(answer.prefix(3).map(\.value) == ["a", "b", nil])
    #expect(answer.suffix(2).map(\.key) == ["k2000", "k1999"])
    try await storage.multiRemove(keys)
    #expect(try await storage.allKeys() == [])
  }

  @Test func `merges objects level by level`() async throws {
    let storage = phone.launchTwo()
    try await storage.setItem("k", to: #"{"a":{"x":1,"y":[1]},"b":1}"#)
    try await storage.mergeItem("k", with: #"{"a":{"y":[2]},"c":null}"#)
    #expect(try await storage.item("k") == #"{"a":{"x":1,"y":[2]},"b":1,"c":null}"#)
    try await storage.mergeItem("new", with: "no object")
    #expect(try await storage.item("new") == "no object")
  }

  @Test func `takes back all of a merge when one of it is no object`() async throws {
    let storage = phone.launchTwo()
    try await storage.multiSet([("a", "{}"), ("b", "secret")])
    let error = await #expect(throws: NativeError.self) {
      try await storage.mergeAll([("a", #"{"x":1}"#), ("b", "{}")])
    }
    #expect(
      error?.message == "Value of type java.lang.String cannot be converted to JSONObject")
    #expect(try await storage.item("a") == "{}")
  }

  // MARK: The file

  @Test func `makes the database that Android makes`() async throws {
    try await phone.launchTwo().setItem("k", to: "v")
    let database = try phone.connect(AndroidLayout.rkStorage)
    #expect(try database.userVersion() == 1)
    #expect(try database.value("PRAGMA page_size") == .integer(4096))
    #expect(try database.value("SELECT locale FROM android_metadata") == .text("en_US"))
    let tables = try database.rows("SELECT sql FROM sqlite_schema WHERE type = 'table'")
    #expect(
      tables.map(\.first?.text) == [
        "CREATE TABLE android_metadata (locale TEXT)",
        "CREATE TABLE catalystLocalStorage (key TEXT PRIMARY KEY, value TEXT NOT NULL)",
      ])
  }

  @Test(arguments: AndroidStorageSettings.Journal.allCases)
  func `leaves the journal of its version of Android`(journal: AndroidStorageSettings.Journal)
    async throws
  {
    phone.settings.journal = journal
    try await phone.launchTwo().setItem("k", to: "v")
    let path = AndroidLayout.rkStorage
    switch journal {
    case .truncate: #expect(try phone.size("\(path)-journal") == 0)
    case .persist: #expect(try phone.size("\(path)-journal") > 0)
    case .wal, .walFull: #expect(try phone.size("\(path)-wal") > 0)
    }
    #expect(phone.exists("\(path)-wal") == [.wal, .walFull].contains(journal))
  }

  // MARK: Kills

  @Test(arguments: AndroidStorageSettings.Journal.allCases)
  func `keeps an acknowledged value through the end of its process`(
    journal: AndroidStorageSettings.Journal
  ) async throws {
    phone.settings.journal = journal
    try await phone.launchTwo().setItem("k", to: "v")
    #expect(try await phone.launchTwo().item("k") == "v")
  }

  @Test func `has an acknowledged value in the main file, and in WAL mode not`() async throws {
    try await phone.launchTwo().setItem("k", to: "truncate")
    phone.settings.journal = .wal
    try await phone.launchTwo().setItem("k", to: "wal")
    try phone.remove("\(AndroidLayout.rkStorage)-wal")
    #expect(try await phone.launchTwo().item("k") == "truncate")
  }

  @Test func `rolls a transaction back that a kill cut`() async throws {
    let left = try await phone.killedInTransaction()
    #expect(try left.size("\(AndroidLayout.rkStorage)-journal") > 0)
    #expect(try await left.launchTwo().item("k") == longValue)
  }

  @Test func `has a cut transaction half done when its journal is gone`() async throws {
    let left = try await phone.killedInTransaction()
    try left.remove("\(AndroidLayout.rkStorage)-journal")
    #expect(try await left.launchTwo().item("k") == otherLongValue)
    #expect(try await left.launchTwo().item("filler 49") == longValue)
  }

  // MARK: Limits

  @Test func `rejects a value beyond the cap and keeps the old one`() async throws {
    phone.settings.sizeMiB = 1
    let storage = phone.launchTwo()
    try await storage.setItem("k", to: "old")
    let value = String(repeating: "x", count: 1 << 20)
    await #expect(throws: full) { try await storage.setItem("k", to: value) }
    await #expect(throws: full) { try await storage.multiSet([("first", "1"), ("k", value)]) }
    #expect(try await storage.item("k") == "old")
    #expect(try await storage.item("first") == nil)
    phone.settings.sizeMiB = 2
    try await phone.launchTwo().setItem("k", to: value)
  }

  @Test func `writes a value beyond the row limit, and reads it never again`() async throws {
    phone.settings.cursorWindowBytes = 4096
    let storage = phone.launchTwo()
    try await storage.setItem("k", to: String(repeating: "x", count: 4096))
    for storage in [storage, phone.launchTwo()] {
      await #expect(throws: tooBig) { try await storage.item("k") }
    }
    try await storage.removeItem("k")
    #expect(try await storage.item("k") == nil)
    let value = String(repeating: "x", count: 4000)
    try await storage.setItem("k", to: value)
    #expect(try await storage.item("k") == value)
  }

  @Test(arguments: [0, 1])
  func `takes its limit for the row, with the key and not the value alone`(over: Int)
    async throws
  {
    phone.settings.cursorWindowBytes = 4096
    let storage = phone.launchTwo()
    let size = 4096 - 43 + over
    try await storage.setItem("k", to: String(repeating: "x", count: size))
    var model = AndroidPhone()
    model.settings.asyncStorage.cursorWindowBytes = 4096
    let blob = Inventory.BlobItem(name: "k", file: "/RKStorage", bytes: size)
    #expect(model.canRead(blob) == (over == 0))
    if over == 0 {
      #expect(try await storage.item("k")?.count == size)
    } else {
      await #expect(throws: tooBig) { try await storage.item("k") }
    }
  }

  @Test func `says which of many rows is too big`() async throws {
    phone.settings.cursorWindowBytes = 4096
    let storage = phone.launchTwo()
    try await storage.multiSet([
      ("a", "1"), ("b", String(repeating: "x", count: 4096)), ("c", "3"),
    ])
    await #expect(
      throws: NativeError(
        message: "Row too big to fit into CursorWindow requiredPos=1, totalRows=2")
    ) { try await storage.multiGet(["a", "b", "c"]) }
    #expect(try await storage.allKeys() == ["a", "b", "c"])
  }
}
