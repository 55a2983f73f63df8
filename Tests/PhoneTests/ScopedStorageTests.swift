import Phone
import Ports
import SQLite
import Testing

@Suite struct `A storage made by createAsyncStorage` {
  let phone: AndroidStorage
  let layout: IOSLayout

  init() throws {
    phone = try AndroidStorage()
    layout = try IOSLayout(installCount: 1)
  }

  private func launch(_ kind: PhoneKind) -> ScopedStorageModule {
    switch kind {
    case .android: phone.launchScoped()
    case .ios:
      ScopedStorageModule(
        "app", in: layout, files: phone.bare, points: NotedPoints(phone.journal),
        console: phone.console)
    }
  }

  private func path(_ kind: PhoneKind) -> String {
    switch kind {
    case .android: AndroidLayout.scopedStorage("app")
    case .ios: layout.scopedStorage("app")
    }
  }

  @Test(arguments: PhoneKind.allCases)
  func `keeps values in a database of its own`(kind: PhoneKind) async throws {
    let storage = launch(kind)
    try await storage.multiSet([("k", "v"), ("empty", "")])
    #expect(phone.journal.lines == ["point B0", "point B1"])
    #expect(try await storage.item("empty") == "")
    #expect(try await launch(kind).item("k") == "v")
    let database = try phone.connect(path(kind))
    #expect(try database.userVersion() == 1)
    #expect(
      try database.value("SELECT sql FROM sqlite_schema WHERE name = 'entries'")
        == .text(
          "CREATE TABLE `entries` (`key` TEXT NOT NULL, `value` TEXT, PRIMARY KEY(`key`))"))
    try await storage.removeItem("k")
    #expect(try await storage.allKeys() == ["empty"])
    try await storage.clear()
    #expect(try await storage.allKeys() == [])
  }

  @Test func `lies where the library puts it`() {
    #expect(
      path(.android) == "/data/user/0/com.example.demo/databases/async-storage/databases/app/"
        + "app.sqlite")
    #expect(
      path(.ios) == "\(layout.container)/Library/Application Support/com.example.demo/"
        + "async-storage/databases/app/app.sqlite")
  }

  @Test(arguments: PhoneKind.allCases)
  func `has a new value in the WAL only`(kind: PhoneKind) async throws {
    try await launch(kind).setItem("k", to: "old")
    try phone.checkpoint(path(kind))
    try await launch(kind).setItem("k", to: "new")
    #expect(try await launch(kind).item("k") == "new")
    try phone.remove("\(path(kind))-wal")
    #expect(try await launch(kind).item("k") == "old")
  }

  @Test func `has the limit of a row on Android, and none on iOS`() async throws {
    let value = String(repeating: "x", count: 3 << 20)
    for kind in PhoneKind.allCases {
      try await launch(kind).setItem("k", to: value)
    }
    #expect(try await launch(.ios).item("k") == value)
    await #expect(
      throws: NativeError.three(
        "Row too big to fit into CursorWindow requiredPos=0, totalRows=1")
    ) { try await launch(.android).item("k") }
  }

  @Test func `fails every call over a damaged file on iOS`() async throws {
    try await launch(.ios).setItem("k", to: "v")
    try phone.checkpoint(path(.ios))
    try phone.damage(path(.ios), fromPage: 1)
    let storage = launch(.ios)
    for _ in 0..<2 {
      await #expect(
        throws: NativeError.three("Error code: 26, message: file is not a database")
      ) { try await storage.item("k") }
    }
    #expect(phone.exists(path(.ios)))
  }

  @Test func `replaces a damaged file at opening on Android`() async throws {
    try await launch(.android).setItem("k", to: "v")
    try phone.checkpoint(path(.android))
    try phone.damage(path(.android), fromPage: 1)
    #expect(try await launch(.android).item("k") == nil)
  }

  @Test func `rejects for the rest of the launch when a query meets damage on Android`()
    async throws
  {
    try await launch(.android).setItem("k", to: "v")
    try phone.checkpoint(path(.android))
    try phone.damage(path(.android), fromPage: 3)
    let storage = launch(.android)
    await #expect(
      throws: NativeError.three("database disk image is malformed (code 11 SQLITE_CORRUPT)")
    ) { try await storage.item("k") }
    await #expect(
      throws: NativeError.three(
        "attempt to re-open an already-closed object: SQLiteDatabase: \(path(.android))")
    ) { try await storage.setItem("k", to: "new") }
    #expect(try await launch(.android).item("k") == nil)
  }
}
