import Foundation
import Phone
import Ports
import Session
import TestSupport
import Testing

/// The rows of the fault table for iOS, with the published store over the real halves: the order
/// of R-STORE-6, a rejected save (R-STORE-16), and the causes that R-STORE-11 names.
@Suite struct `The published store on an iPhone` {
  let phone: TestPhone
  let app: Entropies

  init() throws {
    phone = try TestPhone()
    app = Entropies()
  }

  /// Keys differ from launch to launch.
  final class Entropies {
    var launchCount: UInt64 = 0

    func next() -> SeededEntropy {
      launchCount += 1
      return SeededEntropy(seed: launchCount, stream: "app")
    }
  }

  private func store() throws -> any SessionStore {
    let plain = phone.launch()
    return try StoreKind.recipe.make(
      StorePorts(
        secure: phone.keychain(), plain: plain, entropy: app.next(), console: phone.console,
        trace: NotedPoints(phone.journal)))
  }

  /// What the next launch reads.
  private enum Reading: Equatable {
    case nothing
    case first
    case second
    /// A text that nobody stored, and perhaps no Unicode text at all.
    case garbage
  }

  private func read() async throws -> Reading { try await read(store()) }

  private func read(_ store: any SessionStore) async throws -> Reading {
    switch try await store.item("k") {
    case nil: .nothing
    case JavaScriptString(first): .first
    case JavaScriptString(second): .second
    default: .garbage
    }
  }

  private let first = "{\"session\":1,\"padding\":\"\(String(repeating: "a", count: 600))\"}"
  private let second = "{\"session\":2,\"padding\":\"\(String(repeating: "b", count: 600))\"}"

  private func saveFirst() async throws {
    try await store().setItem("k", to: JavaScriptString(first))
    _ = phone.journal.take()
  }

  private func reject(_ store: any SessionStore) async -> String? {
    let error = await #expect(throws: StoreError.self) {
      try await store.setItem("k", to: JavaScriptString(second))
    }
    return error.map { "\($0)" }
  }

  @Test func `reaches K0 K1 B0 B1 M1 in this order at the first save, and M1 only then`()
    async throws
  {
    let store = try store()
    for (text, expected) in [
      (first, ["K0", "K1", "B0", "B1", "M1"]), (second, ["K0", "K1", "B0", "B1"]),
    ] {
      try await store.setItem("k", to: JavaScriptString(text))
      let points = phone.journal.take().filter { $0.hasPrefix("point") }
      #expect(points == expected.map { "point \($0)" })
    }
    #expect(try await read() == .second)
  }

  @Test func `reads nothing after a keychain reset, and the blob stays`() async throws {
    try await saveFirst()
    phone.daemon.service = nil
    try FileManager.default.removeItem(at: phone.url(IOSLayout.keychainDirectory))
    let during = await #expect(throws: StoreError.self) { try await read() }
    #expect("\(during.map { "\($0)" } ?? "")".contains("No keychain is available."))
    phone.restartDaemon()
    #expect(try await read() == .nothing)
    #expect(phone.exists(try phone.layout.valueFile(for: "k")))
  }

  @Test func `reads nothing after a reinstall, and the stale key stays`() async throws {
    try await saveFirst()
    try FileManager.default.removeItem(at: phone.url(phone.layout.container))
    #expect(try await read() == .nothing)
    #expect(phone.ask(.list)?.items?.count == 1)
    try await store().setItem("k", to: JavaScriptString(second))
    #expect(try await read() == .second)
  }

  @Test func `reads garbage for ever when killed between the two writes`() async throws {
    try await saveFirst()
    let store = try store()
    phone.files.dies = { _, _ in true }
    _ = await reject(store)
    for _ in 0..<2 {
      #expect(try await read() == .garbage)
    }
  }

  @Test(arguments: ["create", "write", "fsync", "setxattr", "rename"])
  func `reads garbage when killed inside the write of the blob`(call: String) async throws {
    try await saveFirst()
    let store = try store()
    phone.files.dies = { asked, _ in asked == call }
    _ = await reject(store)
    #expect(try await read() == .garbage)
  }

  @Test func `reads garbage with an old blob and a newer key`() async throws {
    try await saveFirst()
    let file = try phone.layout.valueFile(for: "k")
    let old = try phone.text(of: file)
    try await store().setItem("k", to: JavaScriptString(second))
    try phone.put(old, at: file)
    #expect(try await read() == .garbage)
  }

  @Test func `reads garbage with an old key and a newer blob`() async throws {
    try await saveFirst()
    phone.daemon.service?.stop()
    let database = String(IOSLayout.keychainDatabase.dropFirst())
    let old = try phone.scratch.bytes(of: database)
    phone.restartDaemon()
    try await store().setItem("k", to: JavaScriptString(second))
    phone.daemon.service?.stop()
    try phone.put(old, at: IOSLayout.keychainDatabase)
    phone.restartDaemon(seed: 3)
    #expect(try await read() == .garbage)
  }

  @Test func `reads fine in the process whose blob did not fit, and garbage in the next`()
    async throws
  {
    try await saveFirst()
    let store = try store()
    phone.files.refuse = { call, _ in call == "write" ? FileError.noSpace : nil }
    #expect(await reject(store)?.contains("Code=640") == true)
    #expect(try await read(store) == .second)
    #expect(try await read() == .garbage)
  }

  @Test func `keeps the old session when the key could not be written`() async throws {
    try await saveFirst()
    _ = phone.ask(.setLockState(.locked))
    #expect(await reject(try store())?.contains("User interaction is not allowed.") == true)
    _ = phone.ask(.setLockState(.unlocked))
    #expect(try await read() == .first)
  }

  @Test func `rejects a read while locked, and before the first unlock at the blob`()
    async throws
  {
    try await saveFirst()
    _ = phone.ask(.setLockState(.locked))
    let locked = await #expect(throws: StoreError.self) { try await read() }
    #expect("\(locked.map { "\($0)" } ?? "")".contains("User interaction is not allowed."))
    let store = try store()
    phone.files.refuse = { call, _ in call == "read" ? FileError.notPermitted : nil }
    _ = phone.journal.take()
    let sealed = await #expect(throws: StoreError.self) { try await store.item("k") }
    #expect("\(sealed.map { "\($0)" } ?? "")".contains("Failed to read storage file."))
    #expect(!phone.journal.lines.contains { $0.hasPrefix("CopyMatching") })
  }

  @Test func `loses everything to a torn manifest, without an error`() async throws {
    try await saveFirst()
    try phone.put("{\"k\":nu", at: phone.layout.manifest)
    #expect(try await read() == .nothing)
  }

  @Test func `keeps the session without any fault`() async throws {
    try await saveFirst()
    phone.restartDaemon()
    #expect(try await read() == .first)
  }
}
