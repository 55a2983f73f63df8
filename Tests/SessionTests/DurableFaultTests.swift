import Ports
import Session
import Testing

@Suite struct `A durable store that meets a fault at any native call` {
  static let name = DurableBench.name
  static let one = JavaScriptString("{\"generation\":1}")
  static let two = JavaScriptString("{\"generation\":2}")

  @Test func `keeps the old session or the new one, through a save`() async throws {
    let save = DurableWork(setUp: DurableBench.saved(Self.one)) { store in
      try await store.setItem(Self.name, to: Self.two)
    }
    var found: Set<String> = []
    try await save.meetEachFault { met in
      let text = try await met.bench.read()
      #expect(text == Self.one || text == Self.two, "\(met.place)")
      if met.isDone, met.fault != .lies { #expect(text == Self.two, "\(met.place)") }
      #expect(met.bench.key.changeCount == 1, "the key half is not written, \(met.place)")
      try await met.bench.afterEachPowerCut { cut in
        let text = try await met.bench.read()
        #expect(text == Self.one || text == Self.two, "\(met.place), \(cut)")
        found.insert(text?.text ?? "nothing")
      }
      #expect(met.bench.heals.isEmpty, "\(met.place)")
    }
    #expect(found.count == 2, "cuts show both sessions")
  }

  @Test func `keeps the old session when a power cut tears the file of the new one`()
    async throws
  {
    let bench = DurableBench()
    try await DurableBench.saved(Self.one)(bench)
    for (save, expected) in [(Self.two, Self.one), (Self.one, Self.two)] {
      try await bench.launch().setItem(Self.name, to: Self.two)
      try await bench.launch().setItem(Self.name, to: expected)
      let before = bench.blob.items
      try await bench.launch().setItem(Self.name, to: save)
      let whole = bench.blob.items
      let written = try #require(whole.first { before[$0.key] != $0.value }?.key)
      for torn in ["", "1.", String(whole[written]?.dropLast(40) ?? "")] {
        bench.blob.items = whole
        bench.blob.items[written] = torn
        let text = try await bench.read()
        #expect(text == expected)
      }
      bench.blob.items = whole
    }
    #expect(bench.heals.isEmpty)
  }

  /// The twin: the same faults do lose a session of the published recipe.
  @Test func `is not the recipe, which loses the session`() async throws {
    var lost = 0
    for call in 1...2 {
      let bench = DurableBench()
      let ports = StorePorts(
        secure: bench.key, plain: bench.blob, entropy: bench.entropy, console: bench.console,
        trace: FakeTrace(bench.trace))
      try await StoreKind.recipe.make(ports).setItem(Self.name, to: Self.one)
      bench.arm(.isKilledAfter, atCall: call)
      _ = await failure { () throws(StoreError) in
        try await StoreKind.recipe.make(ports).setItem(Self.name, to: Self.two)
      }
      if try await bench.read() == nil { lost += 1 }
    }
    #expect(lost == 1, "after the key, before the blob")
  }

  @Test func `is signed in or cleanly signed out, after a first save`() async throws {
    let save = DurableWork { store in try await store.setItem(Self.name, to: Self.one) }
    var found: Set<String> = []
    try await save.meetEachFault { met in
      try await met.bench.afterEachPowerCut { cut in
        let text = try await met.bench.read()
        #expect(text == Self.one || (text == nil && met.bench.isEmpty), "\(met.place), \(cut)")
        found.insert(text?.text ?? "nothing")
        try await met.bench.launch().setItem(Self.name, to: Self.two)
        let next = try await met.bench.read()
        #expect(next == Self.two, "\(met.place), \(cut)")
      }
      let text = try await met.bench.read()
      if met.isDone, met.fault != .lies { #expect(text != nil, "\(met.place)") }
    }
    #expect(found.count == 2, "a cut can lose a first save whose key was not durable")
  }

  @Test func `never brings a session back after a sign-out`() async throws {
    let signOut = DurableWork(setUp: DurableBench.saved(Self.one)) { store in
      try await store.removeItem(Self.name)
    }
    try await signOut.meetEachFault { met in
      if met.isDone { #expect(met.bench.isEmpty, "\(met.place)") }
      let text = try await met.bench.read()
      #expect(text == nil ? met.bench.isEmpty : text == Self.one && !met.isDone, "\(met.place)")
      if text == nil {
        try await met.bench.launch().removeItem(Self.name)
        #expect(met.bench.isEmpty, "\(met.place)")
      }
    }
  }

  @Test func `cleans out what is broken, at the next launch at the latest`() async throws {
    for damage in DurableDamage.all {
      let heal = DurableWork(
        setUp: { bench in
          try await DurableBench.saved(Self.one)(bench)
          damage.make(bench)
        },
        work: { store in
          let text = try await store.item(Self.name)
          #expect(text == nil)
        })
      try await heal.meetEachFault { met in
        let place = "\(damage.name), \(met.place)"
        let isLeft = !met.bench.isEmpty
        if met.isDone, met.fault != .lies { #expect(!isLeft, "\(place)") }
        let text = try await met.bench.read()
        #expect(text == nil, "\(place)")
        #expect(met.bench.isEmpty, "\(place)")
        #expect(met.bench.heals.count <= 1, "\(place)")
        // What ends between the last removal and the report is clean, and not reported.
        if met.isDone || isLeft { #expect(met.bench.heals.count == 1, "\(place)") }
        #expect(met.bench.console.warnings.count == met.bench.heals.count, "\(place)")
      }
    }
  }

  @Test func `moves a session of the recipe without losing it`() async throws {
    let migration = DurableWork(setUp: DurableBench.legacy(Self.one)) { store in
      let text = try await store.item(Self.name)
      #expect(text == Self.one)
    }
    try await migration.meetEachFault { met in
      #expect(met.bench.key.changeCount == 0, "the key half is not written, \(met.place)")
      try await met.bench.afterEachPowerCut { cut in
        let text = try await met.bench.read()
        #expect(text == Self.one, "\(met.place), \(cut)")
        let isMoved = met.bench.blob.items.values.contains { $0.hasPrefix("1.") }
        #expect(isMoved, "\(met.place), \(cut)")
      }
      #expect(met.bench.heals.isEmpty, "\(met.place)")
    }
  }

  @Test(arguments: 1...4)
  func `keeps the session through each step of a rotation`(step: Int) async throws {
    let rotation = DurableWork(
      setUp: { bench in
        try await DurableBench.saved(Self.one)(bench)
        for _ in 1..<step { _ = try await bench.launch().rotateKey(of: Self.name) }
      },
      work: { store in
        _ = try await store.rotateKey(of: Self.name)
        _ = try await store.rotateKey(of: Self.name)
        try await store.setItem(Self.name, to: Self.two)
        _ = try await store.rotateKey(of: Self.name)
      })
    try await rotation.meetEachFault { met in
      try await met.bench.afterEachPowerCut { cut in
        let text = try await met.bench.read()
        #expect(text == Self.one || text == Self.two, "step \(step), \(met.place), \(cut)")
      }
      let text = try await met.bench.read()
      if met.isDone, met.fault != .lies { #expect(text == Self.two, "\(met.place)") }
    }
  }

  /// The twin: what the steps protect from is real.
  @Test func `would lose the session, were a step to rest on its own process`() async throws {
    let bench = DurableBench()
    try await DurableBench.saved(Self.one)(bench)
    bench.settle()
    for _ in 1...3 { _ = try await bench.launch().rotateKey(of: Self.name) }
    var lost = 0
    try await bench.afterEachPowerCut { _ in
      if try await bench.read() == nil { lost += 1 }
    }
    #expect(lost > 0, "three launches, none of them durable")
  }
}

/// A state that nothing will ever read.
struct DurableDamage: Sendable {
  var name: String
  var make: @Sendable (DurableBench) -> Void

  init(name: String, make: @escaping @Sendable (DurableBench) -> Void) {
    (self.name, self.make) = (name, make)
  }

  /// Both places of the blob half come to hold something else.
  init(name: String, blobs: @escaping @Sendable (String) -> String) {
    self.init(name: name) { $0.blob.items = $0.blob.items.mapValues(blobs) }
  }

  static let all = [
    DurableDamage(name: "the key is gone") { $0.key.items = [:] },
    DurableDamage(name: "the key is empty") { $0.key.items[DurableBench.name] = "" },
    DurableDamage(name: "another key") {
      $0.key.items[DurableBench.name] = "1.AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
    },
    DurableDamage(name: "the blob is gone") { $0.blob.items = [:] },
    DurableDamage(name: "the blob is cut", blobs: { String($0.dropLast()) }),
    DurableDamage(
      name: "the blob is one of the recipe, with another key",
      blobs: { _ in String(repeating: "5c", count: 90) }),
    DurableDamage(name: "the blob is of a later version", blobs: { "2" + $0.dropFirst() }),
  ]
}
