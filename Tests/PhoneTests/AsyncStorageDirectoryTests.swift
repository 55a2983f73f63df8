import Foundation
import Phone
import Ports
import Testing

@Suite struct `AsyncStorage's directories on iOS` {
  let phone: TestPhone

  init() throws {
    phone = try TestPhone()
  }

  private func old(_ name: String) -> String { "\(phone.layout.documents)/\(name)" }

  private func putOld(_ name: String, _ value: String, age: TimeInterval) throws {
    let manifest = "\(old(name))/manifest.json"
    try phone.put("{\"k\":\"\(value)\"}", at: manifest)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_700_000_000 - age)],
      ofItemAtPath: phone.url(manifest).path)
  }

  @Test func `are emptied and removed by clear, and come back with the next value`()
    async throws
  {
    let storage = phone.launch()
    try await storage.multiSet([("a", longValue), ("b", "2")])
    try await storage.clear()
    #expect(!phone.exists(phone.layout.storage))
    #expect(try await storage.item("a") == nil)
    try await storage.setItem("c", to: "3")
    #expect(try phone.text(of: phone.layout.manifest) == #"{"c":"3"}"#)
  }

  @Test(arguments: [AsyncStorageVersion.two, .three])
  func `report a clear that failed`(version: AsyncStorageVersion) async throws {
    phone.settings.asyncStorage.version = version
    let storage = phone.launch()
    try await storage.setItem("a", to: "1")
    phone.files.refuse = { call, _ in call == "rmdir" ? FileError.notPermitted : nil }
    let error = await #expect(throws: NativeError.self) { try await storage.clear() }
    switch version {
    case .two: #expect(error?.message.hasPrefix("Failed to delete storage directory.") == true)
    case .three, .threeScoped: #expect(error?.message == "Failed to clear storage")
    }
    #expect(try await storage.item("a") == nil)
  }

  @Test func `are no error for clear when there are none`() async throws {
    try await phone.launch().clear()
  }

  @Test func `move from Documents at launch, and the copy in Documents stays`() async throws {
    try putOld("RNCAsyncLocalStorage_V1", "old", age: 0)
    #expect(try await phone.launch().item("k") == "old")
    #expect(!phone.exists(old("RNCAsyncLocalStorage_V1")))
    #expect(phone.exists(old("RCTAsyncLocalStorage_V1")))
  }

  @Test(arguments: [true, false])
  func `move from the newer of two old ones, and the other is deleted`(isExpoNewer: Bool)
    async throws
  {
    try putOld("RNCAsyncLocalStorage_V1", "plain", age: isExpoNewer ? 100 : 0)
    try putOld("RCTAsyncLocalStorage", "expo", age: isExpoNewer ? 0 : 100)
    #expect(try await phone.launch().item("k") == (isExpoNewer ? "expo" : "plain"))
    #expect(!phone.exists(old("RNCAsyncLocalStorage_V1")))
    #expect(!phone.exists(old("RCTAsyncLocalStorage")))
  }

  @Test func `keep the newer copy in Documents against an older one`() async throws {
    try putOld("RCTAsyncLocalStorage_V1", "new", age: 0)
    try putOld("RCTAsyncLocalStorage", "old", age: 100)
    #expect(try await phone.launch().item("k") == "new")
    #expect(!phone.exists(old("RCTAsyncLocalStorage")))
  }

  @Test func `are not replaced by Documents while they are there`() async throws {
    try await phone.launch().setItem("k", to: "present")
    try putOld("RCTAsyncLocalStorage_V1", "old", age: 0)
    #expect(try await phone.launch().item("k") == "present")
  }

  @Test func `bring old data back when the app dies after clear`() async throws {
    try putOld("RCTAsyncLocalStorage_V1", "old", age: 0)
    let storage = phone.launch()
    try await storage.setItem("k", to: "new")
    try await storage.clear()
    #expect(try await phone.launch().item("k") == "old")
  }

  @Test func `stay partial for good when the app dies while it copies`() async throws {
    try putOld("RCTAsyncLocalStorage_V1", "old", age: 0)
    // The kill came after the directory was made and before the manifest was copied.
    try FileManager.default.createDirectory(
      at: phone.url(phone.layout.storage), withIntermediateDirectories: true)
    for _ in 0..<2 { #expect(try await phone.launch().item("k") == nil) }
  }
}
