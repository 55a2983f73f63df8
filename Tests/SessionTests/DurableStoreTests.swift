import Crypto
import JSON
import Ports
import Session
import Testing

@Suite struct `A durable store` {
  static let name = DurableBench.name
  static let locked = NativeError(
    code: "ERR_KEY_CHAIN", message: "User interaction is not allowed.")

  @Test func `gives back what was saved, of any size and in any letters`() async throws {
    let texts = ["", "null", "{\"name\":\"Zoë 漢字 😀\"}", String(repeating: "x", count: 65_536)]
    for text in texts.map({ JavaScriptString($0) }) {
      let bench = DurableBench()
      try await DurableBench.saved(text)(bench)
      #expect(try await bench.read() == text)
    }
  }

  @Test func `stores one key of 45 bytes, and texts of which none shows the session`()
    async throws
  {
    let bench = DurableBench()
    for generation in 1...3 {
      try await DurableBench.saved(try sessionText(generation))(bench)
    }
    #expect(bench.key.items.values.map(\.utf8.count) == [45])
    #expect(bench.key.changeCount == 1 && bench.blob.changeCount == 4)
    let blobs = bench.blob.history.flatMap(\.values)
    #expect(Set(blobs.map { $0.prefix(44) }).count == 4, "each blob has a salt of its own")
    #expect(blobs.allSatisfy { $0.wholeMatch(of: /1\.[A-Za-z0-9_-]+/) != nil })
  }

  @Test func `holds its items apart, and opens none under another name`() async throws {
    let bench = DurableBench()
    let store = try bench.launch()
    let other = "\(Self.name)-code-verifier"
    try await store.setItem(Self.name, to: "\"session\"")
    try await store.setItem(other, to: "\"verifier\"")
    #expect(bench.key.items[Self.name] != bench.key.items[other])
    try await store.removeItem(other)
    #expect(try await bench.read() == "\"session\"")
    bench.key.items[other] = bench.key.items[Self.name]
    bench.blob.items[other] = bench.blob.items[Self.name]
    #expect(try await bench.launch().item(other) == nil)
    #expect(bench.heals == [DurableHeal(item: other, reason: .notAuthentic)])
    #expect(try await bench.read() == "\"session\"")
  }

  /// Saves three times, so far apart, and says what the places hold after each; the newest last.
  private func places(savingEvery ms: Int64, with clock: FakeClock?) async throws -> [[String?]] {
    let bench = DurableBench()
    bench.clock = clock
    let store = try bench.launch()
    var states: [[String?]] = []
    for generation in 1...3 {
      try await store.setItem(Self.name, to: try sessionText(generation))
      states.append(DurableStore.places(of: Self.name).map { bench.blob.items[$0] })
      bench.clock?.nowMs += ms
    }
    return states
  }

  @Test func `leaves the older place alone until the newest has become durable`() async throws {
    let soon = try await places(savingEvery: 59_999, with: FakeClock())
    #expect(soon[0][0] == soon[2][0], "saves in quick succession go over the newest one")
    #expect(Set(soon.map { $0[1] }).count == 3)
    // The twin: with time between them, or without a clock, saves take turns.
    for later in [
      try await places(savingEvery: 60_000, with: FakeClock()),
      try await places(savingEvery: 0, with: nil),
    ] {
      #expect(later[0][1] == later[1][1] && later[0][0] != later[1][0])
      #expect(later[1][0] == later[2][0] && later[1][1] != later[2][1])
    }
  }

  @Test func `writes no place anew into which a write was refused, before it has removed it`()
    async throws
  {
    let bench = DurableBench()
    let store = try bench.launch()
    try await store.setItem(Self.name, to: try sessionText(1))
    let changes = bench.blob.changeCount
    try await store.setItem(Self.name, to: try sessionText(2))
    #expect(bench.blob.changeCount == changes + 1, "the twin: nothing was refused")
    bench.blob.refusal = NativeError(message: "No space left on device")
    await #expect(throws: StoreError.self) {
      try await store.setItem(Self.name, to: try sessionText(3))
    }
    bench.blob.refusal = nil
    try await store.setItem(Self.name, to: try sessionText(3))
    #expect(bench.blob.changeCount == changes + 3, "a removal, and the write")
    #expect(try await bench.read() == (try sessionText(3)))
  }

  @Test(arguments: ["key", "blob"])
  func `accepts no flipped bit of the half`(half: String) async throws {
    let saved = DurableBench()
    try await DurableBench.saved("{\"refresh_token\":\"r1\"}")(saved)
    saved.blob.items["\(Self.name).2"] = nil
    let bench = DurableBench()
    let target = half == "key" ? bench.key : bench.blob
    let whole = try #require((half == "key" ? saved.key : saved.blob).items[Self.name])
    for index in 0..<whole.utf8.count {
      for bit in 0..<7 {
        (bench.key.items, bench.blob.items) = (saved.key.items, saved.blob.items)
        var bytes = Array(whole.utf8)
        bytes[index] ^= 1 << bit
        target.items[Self.name] = String(decoding: bytes, as: UTF8.self)
        #expect(try await bench.read() == nil, "bit \(bit) of byte \(index)")
        #expect(bench.isEmpty, "bit \(bit) of byte \(index)")
      }
    }
    #expect(try await saved.read() != nil)
  }

  @Test func `writes nothing for a text that it cannot keep`() async throws {
    let bench = DurableBench()
    let store = try bench.launch()
    let lone = await failure { () throws(StoreError) in
      try await store.setItem(Self.name, to: JavaScriptString(units: [0x61, 0xd800]))
    }
    #expect(lone == .cipher(.malformedText))
    let long = await failure { () throws(StoreError) in
      let text = JavaScriptString(String(repeating: "x", count: 1_400_001))
      try await store.setItem(Self.name, to: text)
    }
    #expect(long == .tooLarge(bytes: 1_400_001, limit: 1_400_000))
    #expect(bench.isEmpty)
  }

  // MARK: - Locked, and in the background

  @Test func `reads and saves with a locked keychain once it has seen the key`() async throws {
    let bench = DurableBench()
    try await DurableBench.saved("1")(bench)
    let store = try bench.launch()
    #expect(try await store.item(Self.name) == "1")
    bench.key.refusal = Self.locked
    try await store.setItem(Self.name, to: "2")
    #expect(try await store.item(Self.name) == "2")
    bench.key.refusal = nil
    #expect(try await bench.read() == "2")
  }

  @Test func `defers with a locked keychain when it has not, and changes nothing`()
    async throws
  {
    let bench = DurableBench()
    try await DurableBench.saved("1")(bench)
    let before = (bench.key.items, bench.blob.items)
    bench.key.refusal = Self.locked
    let store = try bench.launch()
    let read = await failure { () throws(StoreError) in _ = try await store.item(Self.name) }
    let save = await failure { () throws(StoreError) in
      try await store.setItem(Self.name, to: "2")
    }
    let removal = await failure { () throws(StoreError) in try await store.removeItem(Self.name) }
    #expect([read, save, removal] == Array(repeating: .native(Self.locked), count: 3))
    #expect(before == (bench.key.items, bench.blob.items))
  }

  @Test func `removes nothing that only the key in memory speaks against`() async throws {
    let bench = DurableBench()
    try await DurableBench.saved("1")(bench)
    let store = try bench.launch()
    _ = try await store.item(Self.name)
    bench.key.refusal = Self.locked
    bench.blob.items = [:]
    let read = await failure { () throws(StoreError) in _ = try await store.item(Self.name) }
    #expect(read == .native(Self.locked))
    #expect(bench.key.items.count == 1 && bench.heals.isEmpty)
  }

  @Test func `takes "not found" for a proof in the foreground only`() async throws {
    let bench = DurableBench()
    try await DurableBench.saved("1")(bench)
    bench.isInForeground = false
    bench.key.answer = .some(nil)
    let store = try bench.launch()
    let read = await failure { () throws(StoreError) in _ = try await store.item(Self.name) }
    let save = await failure { () throws(StoreError) in
      try await store.setItem(Self.name, to: "2")
    }
    #expect(read == .undecided && save == .undecided)
    bench.key.answer = nil
    #expect(try await store.item(Self.name) == "1")
    bench.key.answer = .some(nil)
    bench.isInForeground = true
    #expect(try await store.item(Self.name) == nil)
    #expect(bench.heals == [DurableHeal(item: Self.name, reason: .keyGone)])
    #expect(bench.trace.lines == ["point R0", "point R1"])
  }

  @Test func `takes a key that its keystore cannot decrypt for none`() async throws {
    let bench = DurableBench()
    try await DurableBench.saved("1")(bench)
    bench.key.unreadable = NativeError(code: "ERR_DECRYPT", message: "Could not decrypt")
    #expect(try await bench.read() == nil)
    #expect(bench.isEmpty && bench.heals.map(\.reason) == [.keyGone])
  }

  @Test func `says nothing of a key or a session in its errors and warnings`() async throws {
    let bench = DurableBench()
    try await DurableBench.saved("\"secret\"")(bench)
    let key = try #require(bench.key.items[Self.name])
    bench.blob.items = bench.blob.items.mapValues { String($0.dropLast(4)) }
    #expect(try await bench.read() == nil)
    let shown = bench.console.warnings.joined() + bench.heals.map { "\($0)" }.joined()
    #expect(!shown.isEmpty && !shown.contains(key.dropFirst(2)) && !shown.contains("secret"))
  }

  // MARK: - Lies

  @Test func `rejects a first save whose key was not stored, and stores no blob`() async throws {
    let bench = DurableBench()
    let store = try bench.launch()
    bench.arm(.lies, atCall: 3)
    let error = await failure { () throws(StoreError) in
      try await store.setItem(Self.name, to: "1")
    }
    #expect(error == .notStored(.key) && bench.isEmpty)
  }

  @Test func `rejects a sign-out whose key was not removed, and stays signed in`() async throws {
    let bench = DurableBench()
    try await DurableBench.saved("1")(bench)
    let store = try bench.launch()
    bench.arm(.lies, atCall: 1)
    let error = await failure { () throws(StoreError) in try await store.removeItem(Self.name) }
    #expect(error == .notRemoved(.key))
    #expect(try await bench.read() == "1")
    bench.arm(.lies, atCall: 3)
    let blob = await failure { () throws(StoreError) in
      try await store.removeItem(Self.name)
    }
    #expect(blob == .notRemoved(.blob))
    #expect(try await bench.read() == nil)
    #expect(bench.isEmpty)
  }
}
