import Ports
import Session
import Testing

@Suite struct `A two-half store` {
  @Test(arguments: StoreRule.all.filter(\.isForRecipe))
  func `keeps the rule, as published`(rule: StoreRule) async throws {
    #expect(try await rule.check { try StoreKind.recipe.make($0) } == [])
  }

  @Test(arguments: StoreRule.all)
  func `keeps the rule, with healing`(rule: StoreRule) async throws {
    let found = try await rule.check { try StoreKind.healing.make($0) }
    #expect(found == [])
  }

  /// Each mistake with a rule that must see it.
  static let twins: [(TwinStore.Mistake, String)] = [
    (.writesBlobFirst, "R-STORE-6 key, then blob"),
    (.reusesKey, "R-STORE-3 a new key for each write"),
    (.drawsKeyInPieces, "R-STORE-3 a new key for each write"),
    (.storesPlaintext, "R-STORE-2 key and ciphertext only"),
    (.storesTokenWithKey, "R-STORE-2 key and ciphertext only"),
    (.writesUpperCase, "R-STORE-4 hexadecimal of twice the size"),
    (.otherNameForKey, "R-STORE-5 one name in both halves"),
    (.leavesKeyOnRemove, "R-STORE-8 a removal takes both halves"),
    (.readsKeyOnMiss, "R-STORE-9 no blob is a clean miss"),
    (.healsOnMiss, "R-STORE-9 no blob is a clean miss"),
    (.returnsNothing, "R-STORE-7 a read undoes a write"),
    (.returnsNothing, "R-STORE-1 a session of 4 to 8 KB"),
    (.healsSilently, "R-STORE-10 any failure of a read heals"),
    (.warnsTwice, "R-STORE-10 any failure of a read heals"),
    (.warnsWithoutName, "R-STORE-10 any failure of a read heals"),
    (.warnsWithKey, "R-STORE-10 any failure of a read heals"),
    (.healsBlobOnly, "R-STORE-10 any failure of a read heals"),
    (.throwsOnFailure, "R-STORE-10 any failure of a read heals"),
    (.throwsOnFailure, "R-STORE-12 the launch after healing is a clean miss"),
    (.swallowsFailedHealing, "R-STORE-15 a failed healing surfaces"),
    (.swallowsFailedWrite, "R-STORE-16 a failed write rejects"),
  ]

  @Test func `is caught by the rule that its mistake breaks`() async throws {
    for (mistake, name) in Self.twins {
      let rule = try #require(StoreRule.named(name))
      let found = try await rule.check { try TwinStore($0, mistake) }
      #expect(!found.isEmpty, "\(mistake.rawValue) against \(name)")
    }
    let covered = Set(Self.twins.map(\.1))
    #expect(covered == Set(StoreRule.all.map(\.name)), "every rule has a twin")
  }

  @Test func `breaks no rule when its twin makes no mistake`() async throws {
    for rule in StoreRule.all {
      #expect(try await rule.check { try TwinStore($0, .none) } == [], "\(rule.name)")
    }
  }

  @Test func `announces the ends of a recovery, and warns in between`() async throws {
    let bench = Bench()
    let store = try bench.store(.healing)
    try await store.setItem(Bench.item, to: "value")
    bench.key.items = [:]
    bench.journal.lines = []
    #expect(try await store.item(Bench.item) == nil)
    #expect(
      bench.journal.lines == [
        "blob.get \(Bench.item)", "key.get \(Bench.item)", "point R0", "warn",
        "blob.remove \(Bench.item)", "key.remove \(Bench.item)", "point R1",
      ])
    #expect(
      bench.console.warnings == [
        "[LargeSecureStore] getItem failed, clearing both halves "
          + "{ key: 'sb-demo-auth-token', err: no key for the stored blob }"
      ])
  }

  @Test func `that heals converges when killed between its removals (R-STORE-12)`() async throws {
    let bench = Bench()
    try await bench.store(.healing).setItem(Bench.item, to: "value")
    // Killed after the blob was removed: the key is a leftover, and the next launch a clean miss.
    bench.blob.items = [:]
    #expect(try await bench.store(.healing).item(Bench.item) == nil)
    #expect(bench.console.warnings.isEmpty)
    #expect(bench.key.items.count == 1, "nothing removes the orphan key before the next write")
    try await bench.store(.healing).setItem(Bench.item, to: "new")
    #expect(try await bench.store(.healing).item(Bench.item) == "new")
  }

  @Test func `as published rejects what healing hides, and leaves both halves`() async throws {
    for damage in Damage.all {
      let bench = Bench()
      let store = try bench.store(.recipe)
      try await store.setItem(Bench.item, to: try sessionText())
      damage.make(bench)
      let before = (bench.key.items, bench.blob.items)
      let error = await failure { () throws(StoreError) in
        let found = try await store.item(Bench.item)
        #expect(found == nil || found == "", "\(damage.name)")
      }
      let isHandedBack = ["the key is gone", "the key is empty"].contains(damage.name)
      #expect((error == nil) == isHandedBack, "\(damage.name)")
      #expect(before == (bench.key.items, bench.blob.items), "\(damage.name)")
      #expect(bench.console.warnings.isEmpty)
    }
  }

  @Test(arguments: ["recipe", "healing"])
  func `gives garbage for a key that does not fit, and keeps both halves`(
    kind: String
  ) async throws {
    let bench = Bench()
    let store = try bench.store(#require(StoreKind.named(kind)))
    try await store.setItem(Bench.item, to: try sessionText(1))
    let old = bench.blob.items
    try await store.setItem(Bench.item, to: try sessionText(2))
    bench.blob.items = old
    let found = try #require(try await store.item(Bench.item))
    #expect(try found != sessionText(1) && found != sessionText(2))
    #expect(try SessionReading.of(found) == .notJSON)
    #expect(bench.key.items.count == 1 && bench.blob.items.count == 1)
    #expect(bench.console.warnings.isEmpty)
  }

  @Test(arguments: ["recipe", "healing"])
  func `hands an empty blob back without a look at the key (R-STORE-9)`(
    kind: String
  ) async throws {
    let bench = Bench()
    bench.blob.items[Bench.item] = ""
    let found = try await bench.store(#require(StoreKind.named(kind))).item(Bench.item)
    #expect(found == "")
    #expect(bench.journal.lines == ["blob.get \(Bench.item)"])
  }

  @Test func `loses an old session when the second write fails, and not when the first does`()
    async throws
  {
    let bench = Bench()
    let store = try bench.store(.recipe)
    try await store.setItem(Bench.item, to: "first")
    bench.key.faults["set"] = NativeError(message: "full")
    _ = await failure { () throws(StoreError) in try await store.setItem(Bench.item, to: "second") }
    #expect(try await store.item(Bench.item) == "first")
    bench.key.faults = [:]
    bench.blob.faults["set"] = NativeError(message: "full")
    _ = await failure { () throws(StoreError) in try await store.setItem(Bench.item, to: "third") }
    #expect(try await store.item(Bench.item) != "first")
  }

  @Test func `writes nothing for a text with a lone surrogate (R-STORE-16)`() async throws {
    let bench = Bench()
    let store = try bench.store(.healing)
    let error = await failure { () throws(StoreError) in
      try await store.setItem(Bench.item, to: JavaScriptString(units: [0x61, 0xd800]))
    }
    #expect(error == .cipher(.malformedText))
    #expect(bench.journal.lines == ["entropy 32"])
  }

  @Test func `does not give an emoji back, as the library does not (R-STORE-7)`() async throws {
    let bench = Bench()
    let store = try bench.store(.healing)
    try await store.setItem(Bench.item, to: "{\"name\":\"😀\"}")
    let found = try #require(try await store.item(Bench.item))
    #expect(try SessionReading.of(found) == .notJSON)
  }

  @Test func `holds a verifier in both halves until it is removed (R-STORE-14)`() async throws {
    let bench = Bench()
    let store = try bench.store(.healing)
    let name = "\(Bench.item)-code-verifier"
    try await store.setItem(name, to: "\"verifier\"")
    #expect(bench.key.items[name] != nil && bench.blob.items[name] != nil)
    #expect(try await store.item(name) == "\"verifier\"")
    try await store.removeItem(name)
    #expect(bench.key.items.isEmpty && bench.blob.items.isEmpty)
  }

  @Test func `touches nothing but its two halves and the random source (R-STORE-17)`()
    async throws
  {
    let bench = Bench()
    let store = try bench.store(.recipe)
    try await store.setItem(Bench.item, to: "value")
    _ = try await store.item(Bench.item)
    try await store.removeItem(Bench.item)
    #expect(
      bench.journal.lines == [
        "entropy 32", "key.set \(Bench.item)", "blob.set \(Bench.item)",
        "blob.get \(Bench.item)", "key.get \(Bench.item)",
        "blob.remove \(Bench.item)", "key.remove \(Bench.item)",
      ])
  }
}
