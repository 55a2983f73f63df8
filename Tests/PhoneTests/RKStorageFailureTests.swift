import Foundation
import Phone
import Ports
import SQLite
import Testing

@Suite struct `AsyncStorage 2 on Android, when its database fails` {
  let phone: AndroidStorage

  init() throws {
    phone = try AndroidStorage()
  }

  private let path = AndroidLayout.rkStorage

  // MARK: Opening

  @Test func `is emptied without a word by one failed opening`() async throws {
    try await phone.launchTwo().setItem("k", to: "v")
    let storage = phone.launchTwo()
    phone.files.detourCount = 1
    #expect(try await storage.item("k") == nil)
    #expect(phone.crashes.exceptions == [])
    #expect(try await phone.launchTwo().allKeys() == [])
  }

  @Test func `is emptied by an older version of the app`() async throws {
    try await phone.launchTwo().setItem("k", to: "v")
    try phone.connect(path).setUserVersion(2)
    #expect(try await phone.launchTwo().item("k") == nil)
    #expect(try phone.connect(path).userVersion() == 1)
  }

  @Test func `crashes the app when the second opening fails as well`() async throws {
    let storage = phone.launchTwo()
    phone.files.detourCount = 2
    await #expect(throws: NativeError.self) { try await storage.item("k") }
    #expect(
      phone.crashes.exceptions == [
        "android.database.sqlite.SQLiteException: unable to open database file "
          + "(code 14 SQLITE_CANTOPEN)"
      ])
  }

  @Test func `crashes launch after launch over a file that cannot be deleted`() async throws {
    try FileManager.default.createDirectory(
      at: phone.url(path), withIntermediateDirectories: true)
    for _ in 0..<2 {
      await #expect(throws: NativeError.self) {
        try await phone.launchTwo().setItem("k", to: "v")
      }
    }
    #expect(phone.crashes.exceptions.count == 2)
    #expect(!phone.journal.lines.contains("point B1"))
  }

  // MARK: Damage

  @Test func `replaces a damaged file at opening`() async throws {
    try await phone.launchTwo().setItem("k", to: "v")
    try phone.damage(path, fromPage: 1)
    let storage = phone.launchTwo()
    #expect(try await storage.item("k") == nil)
    #expect(phone.console.errors == ["Database corruption detected in open()"])
    try await storage.setItem("k", to: "new")
    #expect(try await phone.launchTwo().item("k") == "new")
  }

  @Test func `rejects the call that meets damage, and is empty for the next`() async throws {
    try await phone.launchTwo().setItem("k", to: "v")
    try phone.damage(path, fromPage: 3)
    let storage = phone.launchTwo()
    let malformed = NativeError(
      message: "database disk image is malformed (code 11 SQLITE_CORRUPT)")
    await #expect(throws: malformed) { try await storage.item("k") }
    #expect(!phone.exists(path))
    #expect(try await storage.item("k") == nil)
    try await storage.setItem("k", to: "new")
    #expect(try await storage.item("k") == "new")
  }

  @Test func `rejects the write that meets damage, and is empty for the next`() async throws {
    try await phone.launchTwo().setItem("k", to: "v")
    try phone.damage(path, fromPage: 3)
    let storage = phone.launchTwo()
    await #expect(throws: NativeError.self) { try await storage.setItem("k", to: "new") }
    #expect(!phone.exists(path))
    try await storage.setItem("k", to: "newer")
    #expect(try await storage.item("k") == "newer")
  }

  @Test func `deletes nothing when it is the beginning of a transaction that meets damage`()
    async throws
  {
    let storage = phone.launchTwo()
    try await storage.setItem("k", to: "v")
    try phone.damage(path, fromPage: 1)
    let error = NativeError(message: "file is not a database (code 26 SQLITE_NOTADB)")
    for _ in 0..<2 {
      await #expect(throws: error) { try await storage.setItem("k", to: "new") }
      #expect(phone.exists(path))
    }
    #expect(try await phone.launchTwo().item("k") == nil)
  }

  // MARK: What the Expo client left

  private func leaveExperience(_ name: String, _ value: String, age: TimeInterval) async throws {
    let other = try AndroidStorage()
    try await other.launchTwo().setItem("k", to: value)
    let target = "\(AndroidLayout.databases)/RKStorage-scoped-experience-\(name)"
    try phone.put(other.bytes(of: path), at: target)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_700_000_000 - age)],
      ofItemAtPath: phone.url(target).path)
  }

  @Test(arguments: [true, false])
  func `takes over the newest database of the Expo client`(isFirstNewer: Bool) async throws {
    try await leaveExperience("a", "first", age: isFirstNewer ? 0 : 100)
    try await leaveExperience("b", "second", age: isFirstNewer ? 100 : 0)
    try phone.put([1], at: "\(AndroidLayout.databases)/RKStorage-scoped-experience-a-journal")
    let value = isFirstNewer ? "first" : "second"
    #expect(try await phone.launchTwo().item("k") == value)
    #expect(try await phone.launchTwo().item("k") == value)
    let left = try phone.names(in: AndroidLayout.databases)
    #expect(
      left.filter { $0.hasPrefix("RKStorage-") } == [
        "RKStorage-journal", "RKStorage-scoped-experience-a-journal",
      ])
  }

  @Test func `leaves the Expo client's alone when there is one of its own`() async throws {
    try await phone.launchTwo().setItem("k", to: "own")
    try await leaveExperience("a", "expo", age: 0)
    #expect(try await phone.launchTwo().item("k") == "own")
    #expect(phone.exists("\(AndroidLayout.databases)/RKStorage-scoped-experience-a"))
  }

  @Test(arguments: ["create", "write"])
  func `never takes it over again after a kill in the middle`(call: String) async throws {
    try await leaveExperience("a", "expo", age: 0)
    let files = NotedFileSystem(phone.bare, Journal())
    files.dies = { asked, path in asked == call && path.hasSuffix("/RKStorage") }
    _ = RKStorageModule(
      files: files, points: NotedPoints(Journal()), console: phone.console,
      crashes: phone.crashes, settings: phone.settings)
    #expect(try await phone.launchTwo().item("k") == nil)
    #expect(phone.exists("\(AndroidLayout.databases)/RKStorage-scoped-experience-a"))
  }
}
