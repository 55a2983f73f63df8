package import Session

/// A store that is broken on purpose, in one way that an oracle of the lab must catch.
///
/// As far as it can, a twin is a real store over broken halves, or with one call replaced. It is
/// used like any store, by the name `zoo/NAME`, and stands in no list of stores.
package struct Twin: Sendable {
  package let kind: StoreKind
  /// The verdict that shows the flaw, by its word.
  package let failure: String

  /// The name that a command line and a scenario use: `zoo/NAME`.
  package var storeName: String { kind.name }
  /// The same without `zoo/`.
  package var name: String { String(storeName.dropFirst(Self.prefix.count)) }
  /// One sentence: what is broken.
  package var flaw: String { kind.summary }

  package static let prefix = "zoo/"

  init(
    _ name: String, _ flaw: String, shows failure: String, base: StoreKind,
    parts: StoreKind.Parts? = nil, savesChangeKey: Bool? = nil,
    make: @escaping @Sendable (StorePorts, StoreSettings) throws(StoreError) -> any SessionStore
  ) {
    kind = StoreKind(
      name: Self.prefix + name, summary: flaw, parts: parts ?? base.parts,
      savesChangeKey: savesChangeKey ?? base.savesChangeKey, make: make)
    self.failure = failure
  }

  /// A twin that is its base with some of its calls replaced.
  init(
    _ name: String, _ flaw: String, shows failure: String, breaking base: StoreKind,
    parts: StoreKind.Parts? = nil, savesChangeKey: Bool? = nil,
    _ breakCalls: @escaping @Sendable (_ store: Store, _ ports: StorePorts) -> Void
  ) {
    self.init(
      name, flaw, shows: failure, base: base, parts: parts, savesChangeKey: savesChangeKey
    ) { ports, settings throws(StoreError) in
      let store = Store(try base.make(ports, settings))
      breakCalls(store, ports)
      return store
    }
  }

  /// A twin that is its base, but for what it does about a session that is no JSON.
  init(
    _ name: String, _ flaw: String, shows failure: String, ofBrokenTextIn base: StoreKind,
    _ handle:
      @escaping @Sendable (
        _ ports: StorePorts, _ name: String, _ text: JavaScriptString
      ) async throws(StoreError) -> JavaScriptString?
  ) {
    self.init(name, flaw, shows: failure, breaking: base) { store, ports in
      let read = store.reading
      store.reading = { name async throws(StoreError) in
        let text = try await read(name)
        guard let text, text.isBroken else { return text }
        return try await handle(ports, name, text)
      }
    }
  }

  /// All, in the order of lists: broken saves, broken reads and recoveries, broken removals.
  package static let all = saves + reads + removals

  /// By its name, with or without `zoo/`.
  package static func named(_ name: String) -> Twin? {
    all.first { [$0.name, $0.storeName].contains(name) }
  }

  /// Those that an ended process is enough to show, on every phone.
  package static let canaries = [
    blobBeforeKey, savesInMemory, doubleWriter, constantKey, markerTrusted, crashLoop, neverAtRest,
  ]
}

/// All stores that a name may mean: the real ones, and those of the zoo.
package enum KnownStores {
  package static func named(_ name: String) -> StoreKind? {
    StoreKind.named(name) ?? Twin.all.first { $0.kind.name == name }?.kind
  }
}
