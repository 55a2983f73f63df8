import JSON

/// One of the two places that a session is split over.
package enum Half: String, CaseIterable, Sendable {
  /// The small AES key, in the keychain or behind the keystore.
  case key
  /// The big encrypted text, in plain storage.
  case blob
}

extension Half {
  /// Backups by name, with the halves in each, for an image file.
  static func stored(_ snapshots: [String: Set<Half>]) -> JSONValue {
    .object(
      JSONObject(
        snapshots.map { name, halves in
          let words = halves.map(\.rawValue).sorted().map(JSONValue.text)
          return JSONObject.Member(key: name, value: .list(words))
        }))
  }

  /// Reads what ``stored(_:)`` gives.
  static func snapshots(from node: JSONNode) throws(JSONError) -> [String: Set<Half>] {
    var snapshots: [String: Set<Half>] = [:]
    for member in try node.members() {
      snapshots[member.key] = Set(
        try member.node.list { half throws(JSONError) in try half.word("half", as: Half.self) })
    }
    return snapshots
  }
}
