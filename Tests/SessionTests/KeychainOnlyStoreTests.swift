import Ports
import Session
import Testing

@Suite struct `A keychain-only store` {
  @Test func `keeps the value as one item, and nothing in the other half`() async throws {
    let bench = Bench()
    let store = try bench.store(.keychainOnly)
    try await store.setItem(Bench.item, to: "{\"name\":\"Zoë 😀\"}")
    #expect(bench.key.items == [Bench.item: "{\"name\":\"Zoë 😀\"}"])
    #expect(bench.blob.items.isEmpty)
    #expect(try await store.item(Bench.item) == "{\"name\":\"Zoë 😀\"}")
    try await store.removeItem(Bench.item)
    #expect(try await store.item(Bench.item) == nil)
    #expect(bench.journal.only("blob", "entropy").isEmpty)
  }

  @Test(arguments: SizeRule.allCases)
  func `takes 2,048 bytes under every rule (R-STORE-1)`(rule: SizeRule) async throws {
    let bench = Bench()
    let store = try bench.store(.keychainOnly, rule)
    // 1,024 letters of two bytes: the rule counts bytes, not characters.
    let text = JavaScriptString(String(repeating: "é", count: 1024))
    try await store.setItem(Bench.item, to: text)
    #expect(try await store.item(Bench.item) == text)
    #expect(bench.console.warnings.isEmpty)
  }

  @Test(arguments: SizeRule.allCases)
  func `follows its rule from 2,049 bytes on (R-STORE-1)`(rule: SizeRule) async throws {
    let bench = Bench()
    let store = try bench.store(.keychainOnly, rule)
    let text = JavaScriptString(String(repeating: "é", count: 1024) + "a")
    let error = await failure { () throws(StoreError) in
      try await store.setItem(Bench.item, to: text)
    }
    switch rule {
    case .off:
      #expect(error == nil && bench.console.warnings.isEmpty && bench.key.items.count == 1)
    case .warn:
      #expect(error == nil && bench.console.warnings.count == 1 && bench.key.items.count == 1)
    case .enforce:
      #expect(error == .tooLarge(bytes: 2049, limit: 2048))
      #expect(bench.console.warnings.isEmpty && bench.journal.lines.isEmpty)
    }
  }

  @Test func `warns of a session of ordinary size, and takes a compact one (R-STORE-1)`()
    async throws
  {
    let bench = Bench()
    let app = try bench.app(.keychainOnly)
    #expect(await app.run(.signIn(.generation(1))).warnings.count == 1)
    let compact = try bench.app(.keychainOnly, AppSettings(size: .compact))
    #expect(await compact.run(.signIn(.generation(1))).warnings.isEmpty)
  }

  @Test func `stores U+FFFD for a lone surrogate, as the bridge does`() async throws {
    let bench = Bench()
    let store = try bench.store(.keychainOnly)
    try await store.setItem(Bench.item, to: JavaScriptString(units: [0x61, 0xdc00, 0x62]))
    #expect(bench.key.items[Bench.item] == "a\u{fffd}b")
  }

  @Test func `passes on what the keychain rejects (R-STORE-16)`() async throws {
    let bench = Bench()
    let store = try bench.store(.keychainOnly)
    let locked = NativeError(code: "ERR_KEY_CHAIN", message: "User interaction is not allowed.")
    bench.key.faults = ["get": locked, "set": locked, "remove": locked]
    let read = await failure { () throws(StoreError) in _ = try await store.item(Bench.item) }
    let written = await failure { () throws(StoreError) in
      try await store.setItem(Bench.item, to: "value")
    }
    let removed = await failure { () throws(StoreError) in
      try await store.removeItem(Bench.item)
    }
    #expect(read == .native(locked) && written == .native(locked) && removed == .native(locked))
    #expect(read?.code == "ERR_KEY_CHAIN")
  }
}

@Suite struct `The list of stores` {
  @Test func `has distinct names, a sentence each, and finds by name`() throws {
    #expect(StoreKind.all.map(\.name) == ["recipe", "healing", "keychain-only", "durable"])
    for kind in StoreKind.all {
      #expect(StoreKind.named(kind.name)?.summary == kind.summary)
      #expect(kind.summary.hasSuffix(".") && kind.summary.utf8.count <= 100)
    }
    #expect(StoreKind.named("durable-ish") == nil)
  }

  @Test func `says truly which halves an item has parts in`() async throws {
    for kind in StoreKind.all {
      let bench = Bench()
      try await bench.store(kind).setItem(Bench.item, to: "value")
      #expect(bench.key.items.isEmpty != kind.parts.contains(.key), "\(kind.name)")
      #expect(bench.blob.items.isEmpty != kind.parts.contains(.blob), "\(kind.name)")
    }
  }
}
