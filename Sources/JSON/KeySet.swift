/// Finds out whether an object has a key already: by looking while it is small, by hash later.
struct KeySet {
  private static let lookMax = 16
  private var indexes: [String: Int] = [:]

  /// The index of an earlier member under this key; otherwise notes the key as the next member.
  mutating func insert(_ key: String, into members: [JSONMember]) -> Int? {
    if members.count < Self.lookMax {
      return members.firstIndex { $0.key.isSameKey(as: key) }
    }
    if indexes.isEmpty {
      for (index, member) in members.enumerated() where indexes[member.key] == nil {
        indexes[member.key] = index
      }
    }
    guard indexes[key] != nil else {
      indexes[key] = members.count
      return nil
    }
    // A hit may be a composed form of another key: rare, so look again byte by byte.
    return members.firstIndex { $0.key.isSameKey(as: key) }
  }
}
