import Crypto
import Ports

/// A store that loses nothing: a long-lived master key in the keychain, and two places for an
/// authenticated blob that saves replace in turn.
///
/// The contract, argued in `DurableStore.md`:
/// - A save after the first changes one place of the blob half only, that of the older session, so
///   that a kill or a power cut leaves the old session or the new one, even where it tears a file.
///   Soon after another save it goes over that one, which may not be durable yet.
///   The first save stores the key, reads it back, and then fills both places.
/// - A read tells three things apart. *Absent*: no blob and no key; gives `nil`. *Unavailable*: a
///   half rejects; throws, and nothing is changed. *Broken*: the halves will never fit; removes
///   both, reports it once, and gives `nil`.
/// - Something is removed only on proof: two equal looks at both halves, while the app is in the
///   foreground, with a keychain that answers.
/// - Calls take their turn, in the order of arrival. Two stores over one item are not supported.
///
/// A process that has seen an item's key can read and save while the keychain is locked. Keys are
/// per item, under the item's name in both halves, which also is where the published recipe has
/// its own: a key of it is taken over as it is, and a blob of it is sealed anew when it is read.
package final class DurableStore: SessionStore {
  /// The longest text: its blob still fits into a row that Android reads.
  static let textBytesMax = 1_400_000

  let ports: StorePorts
  private var cipher: DurableCipher
  private let turns = SerialQueue()
  /// By the name of the item.
  var known: [String: Known] = [:]

  /// How long a system may take to write back what nobody has synced, twice over.
  static let writeBackMs: Int64 = 60_000

  package init(_ ports: StorePorts) throws(StoreError) {
    cipher = try Self.checked { () throws(CryptoError) in try DurableCipher() }
    self.ports = ports
  }

  package func item(_ name: String) async throws(StoreError) -> JavaScriptString? {
    try await inTurn { () throws(StoreError) in
      let look = try await look(at: name)
      switch try judge(look, name) {
      case .absent: return nil
      case .readable(let opened):
        if opened.number == 0 { await migrate(name, opened.text) }
        return JavaScriptString(opened.text)
      case .broken(let reason):
        try await cleanOut(name, look, reason)
        return nil
      }
    }
  }

  /// - Throws: Before anything is written for a text with a lone surrogate, or one that is too
  ///   long. Whatever is thrown later, the session of before still reads.
  package func setItem(_ name: String, to value: JavaScriptString) async throws(StoreError) {
    guard let text = value.text else { throw .cipher(.malformedText) }
    guard value.utf8Bytes <= Self.textBytesMax else {
      throw .tooLarge(bytes: value.utf8Bytes, limit: Self.textBytesMax)
    }
    try await inTurn { () throws(StoreError) in try await save(name, text) }
  }

  /// Removes the key, then the blobs, and verifies each: a key that cannot be removed keeps its
  /// blob, and what a kill leaves in between opens with nothing.
  package func removeItem(_ name: String) async throws(StoreError) {
    try await inTurn { () throws(StoreError) in try await erase(name) }
  }

  func inTurn<Value>(
    _ body: () async throws(StoreError) -> Value
  ) async throws(StoreError) -> Value {
    await turns.enter()
    defer { turns.leave() }
    return try await body()
  }
}

// MARK: - Looking

extension DurableStore {
  /// What both halves hold, seen once.
  struct Look: Equatable {
    /// By place. `nil` also for an empty text, which is nothing to some versions of AsyncStorage.
    var blobs: [String?]
    var key: KeyAnswer
  }

  enum KeyAnswer: Equatable {
    case text(String)
    case none
    /// The keystore says that it will never decrypt what is stored.
    case undecryptable
    /// The keychain rejected; the key of this process stands in, and proves nothing.
    case remembered(String, NativeError)

    var text: String? {
      switch self {
      case .text(let text), .remembered(let text, _): text
      case .none, .undecryptable: nil
      }
    }
  }

  enum Judgement {
    case absent
    case readable(DurableCipher.Opened)
    case broken(DurableHeal.Reason)
  }

  /// The names of an item's places in the blob half; the first is where the recipe has its blob.
  package static func places(of name: String) -> [String] { [name, "\(name).2"] }

  func look(at name: String) async throws(StoreError) -> Look {
    var blobs: [String?] = []
    for place in Self.places(of: name) {
      let blob = try await native { () throws(NativeError) in try await ports.plain.item(place) }
      blobs.append(blob == "" ? nil : blob)
    }
    return Look(blobs: blobs, key: try await keyAnswer(name))
  }

  func keyAnswer(_ name: String) async throws(StoreError) -> KeyAnswer {
    do throws(NativeError) {
      return try await ports.secure.item(name).map(KeyAnswer.text) ?? .none
    } catch {
      if error.code == "ERR_DECRYPT" { return .undecryptable }
      guard let known = known[name] else { throw .native(error) }
      return .remembered(known.keyText, error)
    }
  }

  func judge(_ look: Look, _ name: String) throws(StoreError) -> Judgement {
    guard look.blobs.contains(where: { $0 != nil }) else {
      return look.key == .none ? .absent : .broken(.blobGone)
    }
    guard let text = look.key.text else { return .broken(.keyGone) }
    guard let known = reading(text, of: name) else { return .broken(.notAuthentic) }
    var newest: (place: Int, opened: DurableCipher.Opened)?
    for case (let place, let blob?) in look.blobs.enumerated() {
      let opened = try Self.checked { () throws(CryptoError) in
        try cipher.open(blob, name: name, with: known.keyItem)
      }
      if let opened, opened.number >= newest?.opened.number ?? 0 { newest = (place, opened) }
    }
    guard let newest else { return .broken(.notAuthentic) }
    self.known[name] = known
    if known.newest?.number != newest.opened.number {
      known.newest = Newest(place: newest.place, number: newest.opened.number)
    }
    return .readable(newest.opened)
  }
}

// MARK: - Changing

extension DurableStore {
  /// Saves into the place of the older session; into both when there is none that opens, so that
  /// later saves create nothing.
  private func save(_ name: String, _ text: String) async throws(StoreError) {
    let known = try await knownForSave(name)
    let key = known.activeKey
    if known.newest == nil { _ = try judge(try await look(at: name), name) }
    guard let newest = known.newest else {
      try await write(name, text, key: key, into: 0, known)
      return try await write(name, text, key: key, into: 1, known)
    }
    let place = isDurable(newest) ? 1 - newest.place : newest.place
    try await write(name, text, key: key, into: place, known)
  }

  /// Whether a save has had the time to become durable. Without a clock it counts as old.
  private func isDurable(_ save: Newest) -> Bool {
    guard let clock = ports.clock, let written = save.writtenAtMs else { return true }
    return !(0..<Self.writeBackMs).contains(clock.nowMs - written)
  }

  /// The item with the key to save under; makes one and stores it when it is proven that there is none.
  private func knownForSave(_ name: String) async throws(StoreError) -> Known {
    let answer = try await keyAnswer(name)
    if let text = answer.text, let found = reading(text, of: name) {
      known[name] = found
      return found
    }
    guard ports.isInForeground(), try await keyAnswer(name) == answer else { throw .undecided }
    let key = ports.entropy.bytes(DurableKeyItem.keyBytes)
    return try await store(DurableKeyItem(keys: [key]), name)
  }

  /// Stores the key half and reads it back: some versions of SecureStore resolve without storing.
  @discardableResult
  func store(_ item: DurableKeyItem, _ name: String) async throws(StoreError) -> Known {
    let text = item.text
    let found = try await native { () throws(NativeError) in
      try await ports.secure.setItem(name, to: text)
      return try await ports.secure.item(name)
    }
    guard found == text, let stored = reading(text, of: name) else { throw .notStored(.key) }
    known[name] = stored
    return stored
  }

  /// Writes the next save into a place.
  func write(
    _ name: String, _ text: String, key: [UInt8], into place: Int, _ known: Known
  ) async throws(StoreError) {
    let number = (known.newest?.number ?? 0) + 1
    let salt = ports.entropy.bytes(DurableCipher.saltBytes)
    let blob = try Self.checked { () throws(CryptoError) in
      try cipher.seal(text, number: number, name: name, key: key, salt: salt)
    }
    known.wroteBlob = true
    let item = known.places[place]
    if known.isRefused[place] {
      try await native { () throws(NativeError) in try await ports.plain.removeItem(item) }
    }
    known.isRefused[place] = true
    try await native { () throws(NativeError) in try await ports.plain.setItem(item, to: blob) }
    known.isRefused[place] = false
    known.newest = Newest(place: place, number: number, writtenAtMs: ports.clock?.nowMs)
  }

  /// Seals a blob of the published recipe anew, under the same key. The text has been read, so a
  /// failure only puts it off to the next read.
  private func migrate(_ name: String, _ text: String) async {
    do throws(StoreError) {
      try await save(name, text)
    } catch {
      ports.console.warn(
        "[DurableStore] the old blob stays for now { key: '\(name)', err: \(error) }")
    }
  }

  /// Removes what will never be read again, once a second look says the same.
  private func cleanOut(
    _ name: String, _ look: Look, _ reason: DurableHeal.Reason
  ) async throws(StoreError) {
    if case .remembered(_, let refusal) = look.key { throw .native(refusal) }
    guard ports.isInForeground(), try await self.look(at: name) == look else { throw .undecided }
    ports.trace.reach(.recoveryBegins)
    try await erase(name)
    ports.console.warn(
      "[DurableStore] unreadable for good, both halves are removed "
        + "{ key: '\(name)', err: \(reason.rawValue) }")
    ports.onHeal(DurableHeal(item: name, reason: reason))
    ports.trace.reach(.recoveryEnds)
  }

  private func erase(_ name: String) async throws(StoreError) {
    try await native { () throws(NativeError) in try await ports.secure.removeItem(name) }
    guard try await isKeyGone(name) else { throw .notRemoved(.key) }
    known[name] = nil
    for place in Self.places(of: name) {
      let blob = try await native { () throws(NativeError) in
        try await ports.plain.removeItem(place)
        return try await ports.plain.item(place)
      }
      guard blob == nil || blob == "" else { throw .notRemoved(.blob) }
    }
  }

  private func isKeyGone(_ name: String) async throws(StoreError) -> Bool {
    switch try await keyAnswer(name) {
    case .none: return true
    case .text, .undecryptable: return false
    case .remembered(_, let refusal): throw .native(refusal)
    }
  }
}

// MARK: - Errors

extension DurableStore {
  func native<Value>(
    _ calls: () async throws(NativeError) -> Value
  ) async throws(StoreError) -> Value {
    do throws(NativeError) {
      return try await calls()
    } catch {
      throw .native(error)
    }
  }

  private static func checked<Value: ~Copyable>(
    _ body: () throws(CryptoError) -> Value
  ) throws(StoreError) -> Value {
    do throws(CryptoError) {
      return try body()
    } catch {
      throw .crypto(error)
    }
  }
}
