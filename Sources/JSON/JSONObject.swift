/// Members under distinct keys, always sorted by the bytes of the key.
///
/// Not a dictionary, because `String` equates keys that JSON keeps apart, and because the order
/// of a dictionary differs in every process.
package struct JSONObject: Equatable, Sendable {
  package struct Member: Equatable, Sendable {
    package var key: String
    package var value: JSONValue

    package init(key: String, value: JSONValue) {
      self.key = key
      self.value = value
    }
  }

  package private(set) var members: [Member]

  package init() { members = [] }

  /// Sorts the members; of two under one key the last one wins.
  ///
  /// - Complexity: O(*n* log *n*).
  package init(_ members: [Member]) {
    self.members = []
    self.members.reserveCapacity(members.count)
    // The standard library's sort is stable, so the last of equal keys comes last.
    for member in members.sorted(by: { Self.precedes($0.key, $1.key) }) {
      if let last = self.members.last, last.key.isSameKey(as: member.key) {
        self.members[self.members.count - 1] = member
      } else {
        self.members.append(member)
      }
    }
  }

  /// The value under a key; setting `nil` removes the member.
  ///
  /// - Complexity: O(log *n*) to read, O(*n*) to add or remove.
  package subscript(key: String) -> JSONValue? {
    get {
      let index = self.index(of: key)
      guard index < members.count, members[index].key.isSameKey(as: key) else { return nil }
      return members[index].value
    }
    set {
      let index = self.index(of: key)
      let isThere = index < members.count && members[index].key.isSameKey(as: key)
      switch (newValue, isThere) {
      case (.some(let value), true): members[index].value = value
      case (.some(let value), false): members.insert(Member(key: key, value: value), at: index)
      case (.none, true): members.remove(at: index)
      case (.none, false): break
      }
    }
  }

  /// The first index whose key is not before `key`.
  private func index(of key: String) -> Int {
    var low = 0
    var high = members.count
    while low < high {
      let middle = (low + high) / 2
      if Self.precedes(members[middle].key, key) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private static func precedes(_ one: String, _ other: String) -> Bool {
    one.utf8.lexicographicallyPrecedes(other.utf8)
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// Of two equal keys the last one wins.
  package init(dictionaryLiteral elements: (String, JSONValue)...) {
    self.init(elements.map { Member(key: $0.0, value: $0.1) })
  }
}
