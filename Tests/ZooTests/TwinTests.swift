import Ports
import Session
import Testing
import Zoo

/// What is broken in a twin, seen from outside, without an oracle.
@Suite struct `A twin` {
  private let phone = MemoryPhone()
  private let old: JavaScriptString = "{\"session\":1,\"user\":2}"
  private let new: JavaScriptString = "{\"session\":2,\"user\":2}"

  private func store(_ name: String) throws -> any SessionStore {
    try phone.store(try #require(Twin.named(name)))
  }

  private func read(_ name: String) async throws -> String? {
    try await store(name).item(MemoryPhone.item)?.text
  }

  private func save(_ text: JavaScriptString, _ name: String) async throws {
    try await store(name).setItem(MemoryPhone.item, to: text)
  }

  /// Those that need a fault to show read back what they saved, at the next launch.
  @Test(
    arguments: Twin.all.map(\.name).filter { !["saves-in-memory", "double-writer"].contains($0) })
  func `works while nothing goes wrong`(name: String) async throws {
    try await save(old, name)
    try await save(new, name)
    #expect(try await read(name) == new.text)
    try await store(name).removeItem(MemoryPhone.item)
    guard name != "sign-out-keeps-copy" else { return }
    #expect(try await read(name) == nil)
  }

  @Test func `stores the blob before the key`() async throws {
    try await save(old, "blob-before-key")
    #expect(phone.takeCalls("write") == ["write blob", "write key"])
  }

  @Test func `keeps two saves in memory and stores the third`() async throws {
    let store = try store("saves-in-memory")
    for _ in 0..<2 { try await store.setItem(MemoryPhone.item, to: old) }
    #expect(phone.takeCalls("write") == [])
    #expect(try await store.item(MemoryPhone.item)?.text == old.text)
    try await store.setItem(MemoryPhone.item, to: new)
    #expect(try await read("saves-in-memory") == new.text)
  }

  @Test func `leaves the key of one of its two saves and the blob of the other`() async throws {
    try await save(old, "double-writer")
    #expect(phone.takeCalls("write") == ["write key", "write key", "write blob", "write blob"])
    #expect(try await read("double-writer") != old.text)
  }

  @Test func `draws one key for all saves`() async throws {
    try await save(old, "constant-key")
    let first = phone.key.items
    try await save(new, "constant-key")
    #expect(phone.key.items == first)
  }

  @Test(arguments: [("plaintext-fallback", true), ("swallowed-refusal", false)])
  func `hides that a session was too long`(name: String, isInTheClear: Bool) async throws {
    try await save(JavaScriptString(String(repeating: "token", count: 500)), name)
    #expect(phone.key.items.isEmpty)
    #expect(phone.blob.items.values.contains { $0.hasPrefix("tokentoken") } == isInTheClear)
  }

  @Test func `answers from memory after a failed write, until the next launch`() async throws {
    let store = try store("memory-cache")
    try await store.setItem(MemoryPhone.item, to: old)
    phone.blob.refusal = NativeError(message: "no room")
    try await store.setItem(MemoryPhone.item, to: new)
    #expect(try await store.item(MemoryPhone.item)?.text == new.text)
    phone.blob.refusal = nil
    #expect(try await read("memory-cache") == old.text)
  }

  @Test func `removes both halves when a read is refused`() async throws {
    try await save(old, "heal-any-error")
    phone.key.refusal = NativeError(message: "locked")
    #expect(try await read("heal-any-error") == nil)
    #expect(phone.key.items.isEmpty && phone.blob.items.isEmpty)
  }

  @Test func `heals the key half alone`() async throws {
    try await save(old, "heal-half")
    try await phone.key.setItem(MemoryPhone.item, to: "")
    #expect(try await read("heal-half") == nil)
    #expect(phone.key.items.isEmpty && !phone.blob.items.isEmpty)
  }

  @Test func `removes a good session for its own mark`() async throws {
    try await save(old, "marker-trusted")
    try await phone.blob.setItem("\(MemoryPhone.item).saving", to: "saving")
    #expect(try await read("marker-trusted") == nil)
    #expect(phone.key.items.isEmpty && phone.blob.items.isEmpty)
  }

  @Test func `accepts a text that lost its end`() async throws {
    try await save(old, "truncated-accepted")
    let blob = try #require(phone.blob.items[MemoryPhone.item])
    try await phone.blob.setItem(MemoryPhone.item, to: String(blob.dropLast(6)))
    #expect(try await read("truncated-accepted") == "{\"session\":1}")
  }

  @Test func `falls back to its first session`() async throws {
    try await save(old, "stale-backup")
    try await save(new, "stale-backup")
    phone.tear()
    #expect(try await read("stale-backup") == old.text)
  }

  @Test func `asks a keychain that refuses hundreds of times`() async throws {
    try await save(old, "retry-storm")
    _ = phone.takeCalls("")
    phone.key.refusal = NativeError(message: "locked")
    await #expect(throws: StoreError.self) { try await read("retry-storm") }
    #expect(phone.takeCalls("read key").count > 400)
  }

  @Test func `ends the app at a text that is no session`() async throws {
    try await save(old, "crash-loop")
    phone.tear()
    await #expect(throws: StoreError.self) { try await read("crash-loop") }
    #expect(phone.crashes.count == 1)
  }

  @Test func `takes the app's own data with a broken session`() async throws {
    try await save(old, "clears-everything")
    try await phone.key.setItem("pin", to: "1234")
    phone.tear()
    #expect(try await read("clears-everything") == nil)
    #expect(phone.key.items.isEmpty && phone.blob.items.isEmpty)
  }

  @Test func `writes at every read`() async throws {
    try await save(old, "never-at-rest")
    let before = phone.blob.items
    _ = try await read("never-at-rest")
    #expect(phone.blob.items != before)
  }

  @Test func `leaves the key at a sign-out`() async throws {
    try await save(old, "sign-out-keeps-key")
    try await store("sign-out-keeps-key").removeItem(MemoryPhone.item)
    #expect(!phone.key.items.isEmpty && phone.blob.items.isEmpty)
  }

  @Test func `shows its copy after a sign-out`() async throws {
    try await save(old, "sign-out-keeps-copy")
    try await store("sign-out-keeps-copy").removeItem(MemoryPhone.item)
    #expect(try await read("sign-out-keeps-copy") == old.text)
  }
}
