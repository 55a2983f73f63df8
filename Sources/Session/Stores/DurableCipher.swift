import Crypto
import JSON

/// Seals a text into the blob half of the durable store, and opens it.
///
/// A blob is `1.` and the Base64url of *salt (32) ‖ ciphertext ‖ tag (32)*. A fresh pair of keys
/// comes from the master key by HKDF-SHA-256 over the salt, with the version and the item's name
/// as info; the number of the save and the text are encrypted by AES-256 in counter mode from 1,
/// and salt and ciphertext are authenticated by HMAC-SHA-256. So a blob opens only as a whole,
/// under its own name, with its own master key. `DurableStore.md` has the format byte by byte.
///
/// It also opens what the published recipe wrote: hexadecimal without authentication, taken for
/// readable when it is JSON.
struct DurableCipher: ~Copyable {
  static let saltBytes = 32
  private static let numberBytes = 4
  private static let version = "1."
  private static let counter = AESCounterMode.counterBlock(1)
  private var mode: AESCounterMode

  /// A text out of a blob.
  struct Opened: Equatable {
    var text: String
    /// Which save of the item it is of; 0 for a blob of the published recipe.
    var number: UInt32
    /// Which of the item's keys opened it.
    var keyIndex: Int
  }

  private struct Keys {
    var encryption: [UInt8]
    var authentication: [UInt8]

    mutating func wipeAll() {
      wipe(&encryption)
      wipe(&authentication)
    }
  }

  init() throws(CryptoError) { mode = try AESCounterMode() }

  /// Makes the blob of the text of a save. A salt must never be used twice.
  mutating func seal(
    _ text: String, number: UInt32, name: String, key: [UInt8], salt: [UInt8]
  ) throws(CryptoError) -> String {
    var keys = try Self.keys(of: key, salt: salt, name: name)
    defer { keys.wipeAll() }
    var bytes = (0..<Self.numberBytes).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
    bytes += text.utf8
    try mode.apply(to: &bytes, key: keys.encryption, counter: Self.counter)
    let body = salt + bytes
    let tag = try HMACSHA256.code(for: body, key: keys.authentication)
    return Self.version + Base64URL.encode(body + tag)
  }

  /// The text of a blob, or `nil` when none of the item's keys opens it.
  ///
  /// - Throws: Only when the crypto library fails, which says nothing of the blob.
  mutating func open(
    _ blob: String, name: String, with item: DurableKeyItem
  ) throws(CryptoError) -> Opened? {
    for (index, key) in item.keys.enumerated().reversed() {
      let opened =
        blob.hasPrefix(Self.version)
        ? try openSealed(blob, name: name, key: key)
        : try openLegacy(blob, key: key)
      if let (number, text) = opened {
        return Opened(text: text, number: number, keyIndex: index)
      }
    }
    return nil
  }

  private mutating func openSealed(
    _ blob: String, name: String, key: [UInt8]
  ) throws(CryptoError) -> (UInt32, String)? {
    guard let bytes = try? Base64URL.decode(String(blob.dropFirst(Self.version.count))),
      bytes.count >= Self.saltBytes + Self.numberBytes + HMACSHA256.codeBytes
    else { return nil }
    let body = Array(bytes.dropLast(HMACSHA256.codeBytes))
    var keys = try Self.keys(of: key, salt: Array(body.prefix(Self.saltBytes)), name: name)
    defer { keys.wipeAll() }
    guard
      try HMACSHA256.isCode(
        Array(bytes.suffix(HMACSHA256.codeBytes)), for: body, key: keys.authentication)
    else { return nil }
    var plain = try decrypt(Array(body.dropFirst(Self.saltBytes)), key: keys.encryption)
    defer { wipe(&plain) }
    let number = plain.prefix(Self.numberBytes).reduce(0) { $0 << 8 | UInt32($1) }
    return String(validating: plain.dropFirst(Self.numberBytes), as: UTF8.self)
      .map { (number, $0) }
  }

  private mutating func openLegacy(
    _ blob: String, key: [UInt8]
  ) throws(CryptoError) -> (UInt32, String)? {
    guard let bytes = try? Hexadecimal.decode(blob),
      let text = String(validating: try decrypt(bytes, key: key), as: UTF8.self),
      (try? JSONReader.read(text, JSONRules(.json, duplicateKeys: .lastWins))) != nil
    else { return nil }
    return (0, text)
  }

  private mutating func decrypt(_ bytes: [UInt8], key: [UInt8]) throws(CryptoError) -> [UInt8] {
    var bytes = bytes
    try mode.apply(to: &bytes, key: key, counter: Self.counter)
    return bytes
  }

  private static func keys(
    of master: [UInt8], salt: [UInt8], name: String
  ) throws(CryptoError) -> Keys {
    var derived = try HKDF.derive(
      from: master, salt: salt, info: Array("durable 1 \(name)".utf8), count: 64)
    defer { wipe(&derived) }
    return Keys(encryption: Array(derived.prefix(32)), authentication: Array(derived.suffix(32)))
  }
}
