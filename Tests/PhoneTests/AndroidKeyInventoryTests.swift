import Ports
import Testing

@testable import Phone

@Suite struct `An inventory of an Android phone's keys` {
  let phone: AndroidTestPhone
  let alias = SecureStoreEntry.alias(requiresAuthentication: false)

  init() throws {
    phone = try AndroidTestPhone()
  }

  private func keys() -> [Inventory.KeyItem]? {
    AndroidInventory.keys(files: phone.bare) { request in
      phone.daemon.service?.reply(to: request).text
    }
  }

  @Test func `of an empty phone is empty`() {
    #expect(keys() == [])
  }

  @Test func `has items by name, with sizes and no value`() async throws {
    try await phone.launch().setItem("k", to: "secret")
    try await phone.launch().setItem("other", to: "x")
    let items = try #require(keys())
    #expect(items.map(\.name) == ["other", "k"])
    #expect(items.map(\.detail) == ["SecureStore.xml key_v1-other", "SecureStore.xml key_v1-k"])
    #expect(items.map(\.bytes) == [1, 6])
    #expect(items.last?.digest?.utf8.count == 16)
    #expect(items.first?.digest != items.last?.digest)
    #expect(!"\(items)".contains("secret"))
  }

  @Test func `shows what the next launch would load, and changes nothing`() async throws {
    try await phone.launch().setItem("k", to: "v")
    let old = try phone.text(of: AndroidTestPhone.main)
    let before = try #require(keys())
    try await phone.launch().setItem("k", to: "w")
    #expect(keys() != before)
    try phone.put(old, at: AndroidTestPhone.backup)
    #expect(keys() == before)
    #expect(phone.exists(AndroidTestPhone.backup))
    try phone.put("<map", at: AndroidTestPhone.backup)
    #expect(keys()?.map(\.name) == [alias])
  }

  @Test func `shows an item without its key, and a key without items`() async throws {
    try await phone.launch().setItem("k", to: "v")
    _ = phone.ask(.clearNamespace)
    #expect(
      keys() == [
        Inventory.KeyItem(
          name: "k", detail: "SecureStore.xml key_v1-k", bytes: nil, digest: nil)
      ])
    _ = phone.ask(.generateKey(alias: alias, requiresAuthentication: false))
    try await phone.launch().removeItem("k")
    #expect(
      keys() == [Inventory.KeyItem(name: alias, detail: "keystore", bytes: nil, digest: nil)])
  }

  @Test func `puts the entry that is read before one of an older version`() throws {
    try phone.put(
      "<map><string name='k'>x</string><string name='key_v1-k'>y</string></map>",
      at: AndroidTestPhone.main)
    #expect(keys()?.map(\.detail) == ["SecureStore.xml key_v1-k", "SecureStore.xml k"])
  }

  @Test func `says that the keystore did not answer`() {
    phone.daemon.service = nil
    #expect(keys() == nil)
  }
}
