import Ports
import Session
import Testing

@MainActor @Suite struct `A durable store with calls that overlap` {
  typealias Piece = @MainActor (DurableStore) async throws -> Void

  static let name = DurableBench.name

  /// Starts pieces of work in order, lets them interleave at every native call, and waits for all.
  private func overlap(
    _ store: DurableStore, _ pieces: [Piece]
  ) async throws {
    let tasks = pieces.map { piece in Task { @MainActor in try await piece(store) } }
    for task in tasks { try await task.value }
  }

  private func save(_ text: String) -> Piece {
    { store in try await store.setItem(Self.name, to: JavaScriptString(text)) }
  }

  @Test func `makes one key for first saves at once, and ends with the last`() async throws {
    let bench = DurableBench()
    try await overlap(try bench.launch(), (1...9).map { save("\($0)") })
    #expect(bench.key.changeCount == 1 && bench.blob.changeCount == 10)
    #expect(try await bench.read() == "9")
  }

  @Test func `reads the last session whose save has ended`() async throws {
    let bench = DurableBench()
    let store = try bench.launch()
    try await store.setItem(Self.name, to: "1")
    var seen: [JavaScriptString?] = []
    let read: Piece = { store in
      seen.append(try await store.item(Self.name))
    }
    try await overlap(store, [read, save("2"), read, save("3"), read])
    #expect(seen == ["1", "2", "3"])
  }

  @Test func `never removes the key of a first save under way`() async throws {
    let bench = DurableBench()
    let read: Piece = { store in _ = try await store.item(Self.name) }
    try await overlap(try bench.launch(), [read, save("1"), read, read])
    #expect(try await bench.read() == "1")
    #expect(bench.heals.isEmpty)
  }

  @Test func `signs out between two saves, and the later one has a key of its own`()
    async throws
  {
    let bench = DurableBench()
    let signOut: Piece = { store in try await store.removeItem(Self.name) }
    try await overlap(try bench.launch(), [save("1"), signOut, save("2")])
    #expect(try await bench.read() == "2")
    let keys = Set(bench.key.history.compactMap { $0[Self.name] })
    #expect(keys.count == 2)
    try await overlap(try bench.launch(), [save("3"), signOut])
    #expect(bench.isEmpty)
  }

  /// The twin: without turns the same interleaving breaks the halves apart.
  @Test func `is not the recipe, whose overlapping saves mix`() async throws {
    let bench = DurableBench()
    let ports = StorePorts(
      secure: bench.key, plain: bench.blob, entropy: bench.entropy, console: bench.console,
      trace: FakeTrace(bench.trace))
    let store = try StoreKind.recipe.make(ports)
    let first = Task { @MainActor in try await store.setItem(Self.name, to: "1") }
    let second = Task { @MainActor in
      try await store.removeItem(Self.name)
    }
    try await first.value
    try await second.value
    #expect(bench.key.items.isEmpty && !bench.blob.items.isEmpty)
  }
}

@Suite struct `The rotation of a master key` {
  @Test func `takes three launches, and moves the session to a new key`() async throws {
    let bench = DurableBench()
    let name = DurableBench.name
    try await DurableBench.saved("1")(bench)
    let old = try #require(bench.key.items[name])
    for expected in [DurableStore.Rotation.begun, .moved, .finished] {
      let store = try bench.launch()
      #expect(try await store.rotateKey(of: name) == expected)
      if expected != .finished {
        #expect(try await store.rotateKey(of: name) == expected, "nothing more in one process")
      }
      #expect(try await bench.read() == "1")
    }
    let new = try #require(bench.key.items[name])
    #expect(new != old && new.utf8.count == 45)
  }

  @Test func `saves under the old key until the new one was there at a launch`() async throws {
    let bench = DurableBench()
    let name = DurableBench.name
    let store = try bench.launch()
    try await store.setItem(name, to: "1")
    let old = bench.key.items
    #expect(try await store.rotateKey(of: name) == .begun)
    let both = bench.key.items
    try await store.setItem(name, to: "2")
    bench.key.items = old
    #expect(try await bench.read() == "2", "a power cut took the new key back")
    bench.key.items = both
    try await bench.launch().setItem(name, to: "3")
    #expect(try await bench.read() == "3")
    #expect(try await bench.launch().rotateKey(of: name) == .finished)
  }

  @Test func `needs an item that reads`() async throws {
    let bench = DurableBench()
    let store = try bench.launch()
    let error = await failure { () throws(StoreError) in
      _ = try await store.rotateKey(of: DurableBench.name)
    }
    #expect(error == .undecided && bench.isEmpty)
  }
}
