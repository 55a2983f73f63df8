import Phone
import Testing

@Suite struct `An inventory of AsyncStorage's databases` {
  let phone: AndroidStorage

  init() throws {
    phone = try AndroidStorage()
  }

  private func take(
    _ phone: AndroidStorage, _ version: AsyncStorageVersion = .two
  ) -> Inventory {
    var settings = AndroidSettings()
    settings.asyncStorage.version = version
    return AndroidPhone(settings: settings).inventory(files: phone.bare) { _ in nil }
  }

  @Test func `of an empty phone names the databases that are missing`() {
    #expect(take(phone).blobs == [])
    #expect(
      take(phone).indexes == [
        .init(name: "RKStorage", state: .missing), .init(name: "AsyncStorage", state: .missing),
      ])
    #expect(take(phone, .three).indexes.map(\.name) == ["AsyncStorage", "RKStorage"])
  }

  @Test func `has each value by name, with its size and its database`() async throws {
    try await phone.launchTwo().multiSet([("k", longValue), ("a", "secret")])
    let inventory = take(phone)
    let blobs = inventory.blobs
    #expect(blobs.map(\.name) == ["a", "k"])
    #expect(blobs.map(\.bytes) == [6, 1600])
    #expect(blobs.map(\.file) == [AndroidLayout.rkStorage, AndroidLayout.rkStorage])
    #expect(blobs.map(\.digest?.utf8.count) == [16, 16])
    #expect(
      inventory.indexes.first?.state == .sound(bytes: try phone.size(AndroidLayout.rkStorage)))
    #expect(!"\(inventory)".contains("secret"))
  }

  @Test func `finds the new value first, and both old ones, after an update`() async throws {
    try await phone.launchTwo().setItem("k", to: "old")
    try await phone.launchThree().setItem("k", to: "newer")
    let blobs = take(phone, .three).blobs
    #expect(blobs.map(\.bytes) == [5, 3, 3])
    #expect(
      blobs.map(\.file) == [
        AndroidLayout.asyncStorage, AndroidLayout.asyncStorage, AndroidLayout.rkStorage,
      ])
  }

  @Test func `shows what a kill left as the next launch will see it`() async throws {
    let cut = try await phone.killedInTransaction()
    let old = take(phone).blobs.first { $0.name == "k" }
    #expect(take(cut).blobs.first { $0.name == "k" } == old)
    try await phone.launchThree().setItem("k", to: "v")
    #expect(take(phone, .three).blobs.first { $0.name == "k" }?.bytes == 1)
  }

  @Test(arguments: [1, 3])
  func `says that a database is damaged`(page: Int) async throws {
    try await phone.launchTwo().setItem("k", to: "v")
    try phone.damage(AndroidLayout.rkStorage, fromPage: page)
    let inventory = take(phone)
    #expect(inventory.blobs == [])
    let bytes = try phone.size(AndroidLayout.rkStorage)
    #expect(inventory.indexes.first?.state == .damaged(bytes: bytes))
  }

  @Test func `has scoped storages, on either phone`() async throws {
    try await phone.launchScoped().setItem("k", to: "v")
    #expect(take(phone).blobs.map(\.file) == [AndroidLayout.scopedStorage("app")])
    #expect(take(phone).indexes.last?.name == "app.sqlite")

    let layout = try IOSLayout(installCount: 1)
    let storage = ScopedStorageModule(
      "app", in: layout, files: phone.bare, points: NotedPoints(phone.journal),
      console: phone.console)
    try await storage.setItem("k", to: "v")
    let inventory = IOSInventory.take(keychain: nil, files: phone.bare, layout: layout)
    #expect(inventory.blobs.map(\.file) == [layout.scopedStorage("app")])
    #expect(inventory.indexes.map(\.name) == ["manifest.json", "app.sqlite"])
  }
}
