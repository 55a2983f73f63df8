import JSON
import Ports
import Session
import Testing
import Wire

/// Long values under writes that fail or are cut off (G12).
@Suite struct `A long value in chunks` {
  static func value(_ name: String, _ length: Int) -> String {
    name + String(repeating: "0123456789", count: length / 10)
  }

  /// What a read finds after the write of a second value was cut off before a write of the store.
  private func found(
    _ layout: ChunkedStorage.Layout, cutAt write: Int, _ old: String, _ new: String
  ) async throws -> String? {
    let store = RecordedStore()
    let storage = ChunkedStorage(store, layout, console: CountingConsole())
    await storage.setItem("jar", to: old)
    store.restart()
    store.failAtWrite = write
    await storage.setItem("jar", to: new)
    return try await storage.item("jar")
  }

  // G12 (b)
  @Test func `is gone after a cut, but never a mix`() async throws {
    let (old, new) = (Self.value("old", 5000), Self.value("new", 5000))
    var states: Set<String?> = []
    for write in 0...5 { states.insert(try await found(.chunks, cutAt: write, old, new)) }
    #expect(states == [old, "", new])
  }

  // G12 (b)
  @Test func `is the old or the new one where chunks alternate`() async throws {
    for length in [100, 1800, 1810, 5000, 9000] {
      let (old, new) = (Self.value("old", 5000), Self.value("new", length))
      var states: Set<String?> = []
      for write in 0...8 { states.insert(try await found(.alternating, cutAt: write, old, new)) }
      #expect(states == [old, new], "\(length)")
    }
  }

  // G12 (c)
  @Test func `leaves no chunk behind where chunks alternate`() async throws {
    for layout in [ChunkedStorage.Layout.chunks, .alternating] {
      let store = RecordedStore()
      let storage = ChunkedStorage(store, layout, console: CountingConsole())
      await storage.setItem("jar", to: Self.value("secret", 5000))
      await storage.setItem("jar", to: Self.value("secret", 9000))
      await storage.setItem("jar", to: "{}")
      let left = store.items.filter { $0.key != "jar" }
      #expect(left.isEmpty == (layout == .alternating), "\(left.keys.sorted())")
    }
  }

  // G12 (c)
  @Test func `leaves nothing of a cut behind after the next write`() async throws {
    for write in 0..<6 {
      let store = RecordedStore()
      let storage = ChunkedStorage(store, .alternating, console: CountingConsole())
      await storage.setItem("jar", to: Self.value("old", 5000))
      store.restart()
      store.failAtWrite = write
      await storage.setItem("jar", to: Self.value("new", 9000))
      await storage.setItem("jar", to: "{}")
      #expect(store.items.keys.sorted() == ["jar"], "\(write)")
    }
  }

  // G12 (a)
  @Test func `is lost without a word by a store that refuses more than 2 KB`() async throws {
    for layout in [ChunkedStorage.Layout.single, .chunks, .alternating] {
      let store = RefusingStore()
      let console = CountingConsole()
      let storage = ChunkedStorage(store, layout, console: console)
      let value = Self.value("jar", 5000)
      await storage.setItem("jar", to: value)
      #expect(try await storage.item("jar") == (layout == .single ? nil : value))
      #expect(console.count == (layout == .single ? 1 : 0))
    }
  }

  // G12 (d): sizes are counted in code units, and a store counts bytes.
  @Test func `of letters of three bytes is one item that a store may refuse`() async throws {
    let value = String(repeating: "名", count: 1000)
    let store = RefusingStore()
    let storage = ChunkedStorage(store, .chunks, console: CountingConsole())
    await storage.setItem("user", to: value)
    #expect(try await storage.item("user") == nil)
  }

  @Test func `keeps a character at a border whole where chunks alternate`() async throws {
    let value = String(repeating: "x", count: 1799) + "😀" + String(repeating: "y", count: 500)
    for layout in [ChunkedStorage.Layout.chunks, .alternating] {
      let storage = ChunkedStorage(RecordedStore(), layout, console: CountingConsole())
      await storage.setItem("jar", to: value)
      #expect((try await storage.item("jar") == value) == (layout == .alternating))
    }
  }

  @Test func `is read by the layout that alternates, however it was written`() async throws {
    let value = Self.value("jar", 5000)
    for layout in [ChunkedStorage.Layout.single, .chunks] {
      let store = RecordedStore()
      await ChunkedStorage(store, layout, console: CountingConsole()).setItem("jar", to: value)
      let storage = ChunkedStorage(store, .alternating, console: CountingConsole())
      #expect(try await storage.item("jar") == value)
      await storage.setItem("jar", to: "{}")
      #expect(store.items.keys.sorted() == ["jar"])
    }
  }
}

/// Refuses what is longer than 2,048 bytes.
private final class RefusingStore: SecureStorage {
  private var items: [String: String] = [:]

  func item(_ name: String) async throws(NativeError) -> String? { items[name] }

  func setItem(_ name: String, to value: String) async throws(NativeError) {
    guard value.utf8.count <= 2048 else { throw NativeError(message: "too long") }
    items[name] = value
  }

  func removeItem(_ name: String) async throws(NativeError) { items[name] = nil }
}
