import Device
import Linux
package import Phone
import Session

extension HostedPhone {
  /// What both halves hold now, by a look of the lab.
  ///
  /// The key half is not known while an operation of the keychain's service is held.
  package func inventory() throws(PhoneHostError) -> Inventory {
    let isFree = isServiceFree
    let phone = state.withLock { $0.phone }
    return look { files in
      phone.inventory(files: files) { request in
        // A service that does not answer shows as an unknown key half.
        do { return isFree ? try ask(request) : nil } catch { return nil }
      }
    }
  }

  /// What is stored for one session's name.
  func halves(of item: String, token: [UInt8]?) throws(PhoneHostError) -> HalvesView {
    let inventory = try inventory()
    let keys = inventory.keys ?? []
    // Better Auth's jar lies in several items.
    let own =
      [keys.first { $0.name == item || $0.name == nil }].compactMap(\.self)
      + keys.filter { $0.name?.hasPrefix("\(item).") == true }
    // After an upgrade an old database may hold the item, too.
    let places = DurableStore.places(of: item)
    // A file that a power cut has left empty holds nothing.
    let blobs = inventory.blobs.filter { blob in
      blob.bytes ?? 0 > 0 && places.contains { $0 == blob.name }
    }
    var view = HalvesView(
      key: own.isEmpty ? nil : own.map { $0.digest ?? "undecryptable" }.joined(separator: " "),
      blob: blobs.isEmpty
        ? nil : blobs.map { $0.digest ?? "unreadable" }.joined(separator: " "))
    let limit = state.withLock { $0.phone.blobBytesMax } ?? Int.max
    view.isUnreadablyLong = blobs.contains { $0.bytes ?? 0 > limit }
    view.secrets = inventory.keys.map { _ in Set(keys.compactMap(\.name)) }
    view.orphanCount = inventory.blobs.count { $0.name == nil }
    if let token {
      view.showsToken = withDevice { $0.live.holds(token) }
    }
    return view
  }
}

extension Volume {
  /// Whether any file holds these bytes, within one page or across two.
  ///
  /// - Complexity: O(*n*) for all bytes stored.
  package func holds(_ needle: [UInt8]) -> Bool {
    guard let first = needle.first else { return false }
    return inodes.values.contains { inode in
      guard inode.kind == .file else { return false }
      let bytes = inode.read(at: 0, count: inode.sizeBytes)
      var start = bytes.startIndex
      while let hit = bytes[start...].firstIndex(of: first) {
        if bytes[hit...].starts(with: needle) { return true }
        start = hit + 1
      }
      return false
    }
  }
}
