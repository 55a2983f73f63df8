import Device
import Linux
package import Phone
import Session

extension HostedPhone {
  /// What both halves hold now, by a look of the lab.
  ///
  /// The key half is not known while an operation of the keychain's service is held.
  package func inventory() throws(PhoneHostError) -> Inventory {
    let phone = state.withLock { $0.phone }
    return look { files in phone.inventory(files: files, ask: answer) }
  }

  /// The same, with what it follows from. While the files are as they were and the service answers as
  /// it did, it is what it was.
  ///
  /// - Parameters:
  ///   - last: A look at this phone since its operating system has changed anything.
  ///   - readsOrphans: As the phone's inventory has it; the same for `last`.
  /// - Returns: What is seen now.
  func inventoryLook(after last: InventoryLook?, readsOrphans: Bool = true) -> InventoryLook {
    let phone = state.withLock { $0.phone }
    let files = withDevice { device in
      device.noteShares()
      return device.live.digest(below: phone.inventoryFolder)
    }
    // All questions are asked again: each one counts in what the service draws.
    var known: [InventoryLook.Exchange] = []
    if let last, last.files == files, isServiceRunning {
      for exchange in last.exchanges {
        known.append(InventoryLook.Exchange(exchange.request, answer(exchange.request)))
        if known.last?.answer != exchange.answer { break }
      }
      if known == last.exchanges { return last }
    }
    var exchanges: [InventoryLook.Exchange] = []
    let inventory = look { files in
      phone.inventory(files: files, readsOrphans: readsOrphans) { request in
        let isKnown = known.indices.contains(exchanges.count)
        precondition(
          !isKnown || known[exchanges.count].request == request, "what is asked follows from files")
        let answer = isKnown ? known[exchanges.count].answer : answer(request)
        exchanges.append(InventoryLook.Exchange(request, answer))
        return answer
      }
    }
    return InventoryLook(files: files, exchanges: exchanges, inventory: inventory)
  }

  /// A service that does not answer shows as an unknown key half.
  private func answer(_ request: String) -> String? {
    do { return isServiceFree ? try ask(request) : nil } catch { return nil }
  }

  /// What is stored for one session's name.
  func halves(of item: String) throws(PhoneHostError) -> HalvesView {
    halves(of: item, in: try inventory())
  }

  func halves(of item: String, in inventory: Inventory) -> HalvesView {
    let keys = inventory.keys ?? []
    let written = state.withLock { $0.items.written }
    // What is shorter than a key of 128 bits in base64 is a version or a count, and no part of it.
    let isPart = { (name: String?, half: Half, bytes: Int) in
      name.map { written[half]?.contains($0) == true } == true && bytes >= 22
    }
    // Better Auth's jar lies in several items.
    let own =
      [keys.first { $0.name == item || $0.name == nil }].compactMap(\.self)
      + keys.filter { key in
        guard key.name != item, key.name != nil else { return false }
        return key.name?.hasPrefix("\(item).") == true || isPart(key.name, .key, key.bytes ?? .max)
      }
    // After an upgrade an old database may hold the item, too.
    let places = DurableStore.places(of: item)
    // A file that a power cut has left empty holds nothing.
    let blobs = inventory.blobs.filter { blob in
      blob.bytes ?? 0 > 0 && places.contains { $0 == blob.name }
        || isPart(blob.name, .blob, blob.bytes ?? 0)
    }
    var view = HalvesView(
      key: own.isEmpty ? nil : own.map { $0.digest ?? "undecryptable" }.joined(separator: " "),
      blob: blobs.isEmpty
        ? nil : blobs.map { $0.digest ?? "unreadable" }.joined(separator: " "))
    view.keyBytes = Self.total(own.map(\.bytes))
    view.blobBytes = Self.total(blobs.map(\.bytes))
    let phone = state.withLock { $0.phone }
    view.isUnreadablyLong = blobs.contains { !phone.canRead($0) }
    view.secrets = inventory.keys.map { _ in Set(keys.compactMap(\.name)) }
    view.orphanCount = inventory.blobs.count { $0.name == nil }
    return view
  }

  private static func total(_ sizes: [Int?]) -> Int? {
    let known = sizes.compactMap(\.self)
    return known.isEmpty || known.count < sizes.count ? nil : known.reduce(0, +)
  }
}

/// A look at what both halves hold.
struct InventoryLook {
  /// Of all files that it depends on.
  let files: ImageDigest
  /// What the service was asked, in order.
  let exchanges: [Exchange]
  let inventory: Inventory

  struct Exchange: Equatable {
    let request: String
    let answer: String?

    init(_ request: String, _ answer: String?) {
      (self.request, self.answer) = (request, answer)
    }
  }
}
