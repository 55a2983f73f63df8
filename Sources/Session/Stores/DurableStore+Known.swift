extension DurableStore {
  /// What this process knows of an item, as long as the key half stays the same.
  final class Known {
    let keyText: String
    /// The same, as it was read.
    let keyItem: DurableKeyItem
    let places: [String]
    /// Whether the newest key was added by this process. It may not be durable, so it is not used.
    var addedKey = false
    /// Whether this process has written the blob, which may not be durable.
    var wroteBlob = false
    /// The newest save that opens; `nil` before this process has looked.
    var newest: Newest?
    /// By place, whether a write was refused. AsyncStorage may have taken it into its memory: a
    /// later write would be acknowledged, and never reach its index.
    var isRefused = [false, false]

    init(_ name: String, _ keyText: String, _ keyItem: DurableKeyItem) {
      self.keyText = keyText
      self.keyItem = keyItem
      places = DurableStore.places(of: name)
    }

    /// The newest key, unless this process added it.
    var activeKey: [UInt8] { keyItem.keys[addedKey ? 0 : keyItem.keys.count - 1] }
  }

  struct Newest {
    var place: Int
    var number: UInt32
    /// When this process wrote it; `nil` when another one did, or when it cannot tell.
    var writtenAtMs: Int64?
  }

  /// A key half that was found: what is known of the item when it says the same as before, or else
  /// read anew, which ``known`` does not hold yet. `nil` for a text that is none.
  func reading(_ keyText: String, of name: String) -> Known? {
    if let known = known[name], known.keyText == keyText { return known }
    return DurableKeyItem(keyText).map { Known(name, keyText, $0) }
  }
}
