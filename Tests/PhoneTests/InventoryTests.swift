import Testing

@testable import Phone

@Suite struct `An inventory of an iPhone` {
  let phone: TestPhone

  init() throws {
    phone = try TestPhone()
  }

  private func take() -> Inventory {
    IOSInventory.take(keychain: phone.ask(.list), files: phone.bare, layout: phone.layout)
  }

  @Test func `of an empty phone is empty`() {
    #expect(
      take()
        == Inventory(
          keys: [], blobs: [], indexes: [.init(name: "manifest.json", state: .missing)]))
  }

  @Test func `has both halves by name, with sizes and no value`() async throws {
    try await phone.keychain().setItem("k", to: "secret")
    try await phone.launch().multiSet([("k", longValue), ("s", "short")])
    let inventory = take()
    #expect(inventory.keys?.map(\.name) == ["k"])
    #expect(inventory.keys?.map(\.bytes) == [6])
    #expect(inventory.blobs.map(\.name) == ["k", "s"])
    #expect(inventory.blobs.map(\.bytes) == [1600, 5])
    #expect(inventory.blobs.first?.file == (try phone.layout.valueFile(for: "k")))
    #expect(inventory.blobs.first?.digest?.utf8.count == 16)
    #expect(inventory.indexes.map(\.state) == [.sound(bytes: 22)])
    #expect(!"\(inventory)".contains("secret"))
  }

  @Test func `shows a missing file, an orphan, and what became of the manifest`() async throws {
    try await phone.launch().setItem("k", to: longValue)
    let file = try phone.layout.valueFile(for: "k")
    try phone.put("{", at: phone.layout.manifest)
    #expect(take().indexes.map(\.state) == [.unparsable(bytes: 1)])
    #expect(take().blobs.map(\.name) == [nil])
    #expect(take().blobs.map(\.file) == [file])
    try phone.put([0xff], at: phone.layout.manifest)
    #expect(take().indexes.map(\.state) == [.unreadable])
    try phone.put(#"{"gone":null}"#, at: phone.layout.manifest)
    #expect(take().blobs.map(\.bytes) == [nil, 1600])
  }

  @Test func `says that the keychain did not answer`() {
    let inventory = IOSInventory.take(keychain: nil, files: phone.bare, layout: nil)
    #expect(inventory.keys == nil)
  }
}
