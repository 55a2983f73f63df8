import Ports

extension AndroidInventory {
  /// The key half: entries of `SecureStore.xml` as the next launch would load them, those of older
  /// versions last, and then the keys of the keystore that no entry uses. Nothing is changed.
  ///
  /// - Returns: The items, or `nil` when the keystore does not answer.
  static func keys(
    files: any FileSystem, ask: (String) -> String?
  ) -> [Inventory.KeyItem]? {
    guard let aliases = answer(.list, ask)?.aliases else { return nil }
    let prefix = SecureStoreEntry.name(for: "")
    let entries = SharedPreferences.peek(AndroidLayout.secureStore, on: files).entries
    var items: [Inventory.KeyItem] = []
    var used: Set<String> = []
    for isOlder in [false, true] {
      for (name, value) in entries where name.hasPrefix(prefix) != isOlder {
        let item = isOlder ? name : String(name.dropFirst(prefix.count))
        let opened = open(value, item, ask)
        if let alias = opened.alias { used.insert(alias) }
        items.append(
          Inventory.KeyItem(
            name: item, detail: "SecureStore.xml \(name)", bytes: opened.value?.count,
            digest: opened.value.flatMap(fingerprint)))
      }
    }
    return items
      + aliases.filter { !used.contains($0) }.map {
        Inventory.KeyItem(name: $0, detail: "keystore", bytes: nil, digest: nil)
      }
  }

  private static func open(
    _ value: PreferenceValue, _ item: String, _ ask: (String) -> String?
  ) -> (alias: String?, value: [UInt8]?) {
    guard case .text(let text) = value else { return (nil, nil) }
    do {
      let header = try SecureStoreEntry.header(of: text, for: item)
      let entry = try SecureStoreEntry(header, for: item)
      let opened = answer(
        .decrypt(alias: header.alias, nonce: entry.nonce, data: entry.ciphertext), ask)
      return (header.alias, opened?.data)
    } catch {
      // An entry that is damaged is shown without a value.
      return (nil, nil)
    }
  }

  private static func answer(
    _ request: KeystoreRequest, _ ask: (String) -> String?
  ) -> KeystoreAnswer? {
    ask(request.text).map(KeystoreAnswer.reading)
  }

  private static func fingerprint(_ bytes: [UInt8]) -> String? {
    do { return try Fingerprint.of(bytes) } catch { return nil }
  }
}
