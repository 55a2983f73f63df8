import Ports
import Testing

@testable import Phone

@Suite struct `A commit of SecureStore on Android` {
  typealias Version = SecureStoreSettings.Version
  let phone: AndroidTestPhone

  init() throws {
    phone = try AndroidTestPhone()
  }

  // MARK: Failed commits

  @Test(arguments: ["rename", "create", "write"], Version.allCases)
  func `resolves or rejects a commit that failed, as its version does`(
    call: String, version: Version
  ) async throws {
    try await phone.set("v")
    phone.settings.secureStore.version = version
    let module = phone.launch()
    phone.files.refuse = { refused, _ in refused == call ? FileError.noSpace : nil }
    if version == .commitChecked {
      let error = await #expect(throws: NativeError.self) { try await module.setItem("k", to: "w") }
      #expect(
        error
          == .secureStore(
            "ERR_WRITE", "setValueWithKeyAsync",
            "An error occurred when writing to key: 'k' under keychain: 'key_v1'. Caused by: "
              + "Could not write encrypted JSON to SecureStore"))
      #expect(!phone.journal.take().contains("point K1"))
      #expect(try await module.item("k") == "v")
    } else {
      try await module.setItem("k", to: "w")
      #expect(phone.journal.take().contains("point K1"))
      #expect(try await module.item("k") == "w")
    }
    #expect(try await phone.launch().item("k") == "v")
  }

  @Test func `takes back a first value that did not reach the disk`() async throws {
    phone.settings.secureStore.version = .commitChecked
    let module = phone.launch()
    phone.files.refuse = { call, _ in call == "create" ? FileError.noSpace : nil }
    await #expect(throws: NativeError.self) { try await module.setItem("k", to: "v") }
    #expect(try await module.item("k") == nil)
  }

  @Test(arguments: [("create", "v"), ("write", "v"), ("fsync", "v"), ("unlink", "v"), ("", "w")])
  func `shows the old value until the backup is gone`(dies: String, expected: String) async throws {
    try await phone.set("v")
    let module = phone.launch()
    phone.files.dies = { call, _ in call == dies }
    try await module.setItem("k", to: "w")
    #expect(try await phone.launch().item("k") == expected)
  }

  // MARK: Deleting

  @Test func `deletes where the item is, and commits nothing else`() async throws {
    try await phone.set("v")
    let module = phone.launch()
    try await module.removeItem("k")
    #expect(phone.journal.take().filter { $0.hasPrefix("write") } == ["write SecureStore.xml"])
    #expect(try await module.item("k") == nil)
    try await module.removeItem("k")
    #expect(phone.journal.take().isEmpty)
    #expect(!phone.exists(AndroidLayout.defaultPreferences))
    #expect(phone.ask(.list)?.aliases == [SecureStoreEntry.alias(requiresAuthentication: false)])
  }

  @Test func `deletes in all three places`() async throws {
    let oldest = AndroidLayout.defaultPreferences
    for deletes in SecureStoreSettings.Deletes.allCases {
      phone.settings.secureStore.deletes = deletes
      try phone.store(["k": "x", "key_v1-k": "x", "other": "x"])
      try phone.put("<map><string name='k'>x</string></map>", at: oldest)
      try await phone.launch().removeItem("k")
      #expect(phone.stored.entries.map(\.name) == ["other"])
      #expect(SharedPreferences.peek(oldest, on: phone.bare).entries.isEmpty)
    }
  }

  @Test func `commits both files at every delete, as newer versions do`() async throws {
    phone.settings.secureStore.deletes = .alwaysCommits
    try await phone.launch().removeItem("k")
    #expect(
      phone.journal.take().filter { $0.hasPrefix("write") } == [
        "write SecureStore.xml", "write com.example.demo_preferences.xml",
      ])
  }

  @Test(arguments: SecureStoreSettings.Deletes.allCases)
  func `rejects a delete that did not reach the disk, and again or not`(
    deletes: SecureStoreSettings.Deletes
  ) async throws {
    try await phone.set("v")
    phone.settings.secureStore.deletes = deletes
    let module = phone.launch()
    phone.files.refuse = { call, _ in call == "rename" ? FileError.noAccess : nil }
    let error = await #expect(throws: NativeError.self) { try await module.removeItem("k") }
    #expect(
      error
        == .secureStore(
          "ERR_DELETE", "deleteValueWithKeyAsync",
          "Could not delete the value for key 'k' under keychain 'key_v1'. Caused by: "
            + "Could not delete the item from SecureStore"))
    #expect(try await module.item("k") == nil)
    switch deletes {
    case .presentOnly: try await module.removeItem("k")
    case .alwaysCommits:
      await #expect(throws: NativeError.self) { try await module.removeItem("k") }
    }
    #expect(try await phone.launch().item("k") == "v")
  }

  @Test func `takes back a delete that did not reach the disk`() async throws {
    try await phone.set("v")
    phone.settings.secureStore.version = .commitChecked
    phone.settings.secureStore.deletes = .alwaysCommits
    let module = phone.launch()
    phone.files.refuse = { call, _ in call == "rename" ? FileError.noAccess : nil }
    await #expect(throws: NativeError.self) { try await module.removeItem("k") }
    #expect(try await module.item("k") == "v")
  }
}
