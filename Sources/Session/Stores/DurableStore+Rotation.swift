import Ports

extension DurableStore {
  /// Where the rotation of a master key stands.
  package enum Rotation: Equatable, Sendable {
    /// The key half holds a new key behind the old one; saves use it from the next launch on.
    case begun
    /// The blob is under the new key; the key half still holds both.
    case moved
    /// The old key is gone.
    case finished
  }

  /// Takes one step of replacing an item's master key; to be called at three launches.
  ///
  /// Each step changes one half only, and rests on nothing that this process has written: the
  /// other half is as an earlier process left it, and opens with the old state and the new one. So
  /// no kill can lose the session, and no power cut either, once what an earlier launch has
  /// written is durable. A step that was lost is taken again.
  ///
  /// - Parameter name: The item, which must be readable.
  /// - Returns: What has been reached. Again the same when it needs a later launch.
  /// - Throws: ``StoreError/undecided`` when there is no readable item; otherwise what a half
  ///   rejected with.
  package func rotateKey(of name: String) async throws(StoreError) -> Rotation {
    try await inTurn { () throws(StoreError) in
      let look = try await look(at: name)
      guard case .readable(let opened) = try judge(look, name), let known = known[name],
        let place = known.newest?.place
      else { throw .undecided }
      let item = known.keyItem
      guard item.keys.count == 2 else {
        return try await beginRotation(name, item.keys[0])
      }
      if known.addedKey { return .begun }
      guard opened.keyIndex == 1 else {
        try await write(name, opened.text, key: item.keys[1], into: 1 - place, known)
        return .moved
      }
      if known.wroteBlob { return .moved }
      try await store(DurableKeyItem(keys: [item.keys[1]]), name)
      return .finished
    }
  }

  private func beginRotation(
    _ name: String, _ key: [UInt8]
  ) async throws(StoreError) -> Rotation {
    let added = ports.entropy.bytes(DurableKeyItem.keyBytes)
    let item = DurableKeyItem(keys: [key, added])
    try await store(item, name).addedKey = true
    return .begun
  }
}
