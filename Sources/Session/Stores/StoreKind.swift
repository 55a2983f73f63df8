/// A kind of store: how it is called, what it is, and how to make one.
///
/// To add a store, write it, and add it to ``all``.
package struct StoreKind: Sendable {
  /// The word of the command line and of reports.
  package let name: String
  /// One sentence for lists.
  package let summary: String
  /// Whether an item has a part in the key half, and in the blob half.
  package let parts: Parts
  /// Whether each save puts something new into the key half. Where it does not, the key half holds
  /// a key from which each save derives one of its own.
  package let savesChangeKey: Bool
  private let making: @Sendable (StorePorts, StoreSettings) throws(StoreError) -> any SessionStore

  package struct Parts: OptionSet, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    package static let key = Parts(rawValue: 1)
    package static let blob = Parts(rawValue: 2)
  }

  package init(
    name: String, summary: String, parts: Parts, savesChangeKey: Bool = true,
    make: @escaping @Sendable (StorePorts, StoreSettings) throws(StoreError) -> any SessionStore
  ) {
    self.name = name
    self.summary = summary
    self.parts = parts
    self.savesChangeKey = savesChangeKey
    making = make
  }

  /// A new store, as each launch of the app makes one.
  ///
  /// - Throws: ``StoreError/cipher(_:)`` when the crypto library does not start.
  package func make(
    _ ports: StorePorts, _ settings: StoreSettings = StoreSettings()
  ) throws(StoreError) -> any SessionStore {
    try making(ports, settings)
  }

  /// All kinds, in the order of lists.
  package static let all = [recipe, healing, keychainOnly, durable]

  package static func named(_ name: String) -> StoreKind? {
    (all + [chunked]).first { $0.name == name }
  }

  package static let recipe = StoreKind(
    name: "recipe",
    summary: "The published two-half store: a new AES key in the keychain, then the ciphertext.",
    parts: [.key, .blob]
  ) { ports, _ throws(StoreError) in try RecipeStore(ports) }

  package static let healing = StoreKind(
    name: "healing",
    summary: "The recipe, but a read that fails removes both halves and answers with nothing.",
    parts: [.key, .blob]
  ) { ports, _ throws(StoreError) in try HealingStore(ports) }

  package static let keychainOnly = StoreKind(
    name: "keychain-only",
    summary: "The whole session as one keychain item, with the 2,048-byte rule as a setting.",
    parts: .key
  ) { ports, settings throws(StoreError) in KeychainOnlyStore(ports, rule: settings.sizeRule) }

  /// In no list: other clients than Better Auth's do not use it, and scenarios of it name it.
  package static let chunked = StoreKind(
    name: "chunked",
    summary: "Better Auth's jar: several keychain items for one text; the setting 'jar' says how.",
    parts: .key
  ) { ports, settings throws(StoreError) in
    ChunkedStore(ports, settings.jar.layout, rule: settings.sizeRule)
  }

  package static let durable = StoreKind(
    name: "durable",
    summary: "One long-lived key; a save replaces the older of two authenticated blobs.",
    parts: [.key, .blob], savesChangeKey: false
  ) { ports, _ throws(StoreError) in try DurableStore(ports) }
}
