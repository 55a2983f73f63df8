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
  private static let info = Array("durable 1 ".utf8)
  /// Where the keys lie in what is derived for a blob.
  private static let encryption = 0..<32
  private static let authentication = 32..<64
  private static let counter = AESCounterMode.counterBlock(1)
  private var mode: AESCounterMode
  private var hmac: HMACSHA256

  /// A text out of a blob.
  struct Opened: Equatable {
    var text: String
    /// Which save of the item it is of; 0 for a blob of the published recipe.
    var number: UInt32
    /// Which of the item's keys opened it.
    var keyIndex: Int
  }

  init() throws(CryptoError) {
    let mode = try AESCounterMode()
    let hmac = try HMACSHA256(key: [])
    self.mode = mode
    self.hmac = hmac
  }

  /// Makes the blob of the text of a save. A salt must never be used twice.
  mutating func seal(
    _ text: String, number: UInt32, name: String, key: [UInt8], salt: [UInt8]
  ) throws(CryptoError) -> String {
    var keys = try keys(of: key.span, salt: salt.span, name: name)
    defer { wipe(&keys) }
    defer { hmac.forget() }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(
      Self.saltBytes + Self.numberBytes + text.utf8.count + HMACSHA256.codeBytes)
    bytes += salt
    for index in 0..<Self.numberBytes {
      bytes.append(UInt8(truncatingIfNeeded: number >> (24 - 8 * index)))
    }
    bytes += text.utf8
    try apply(to: &bytes, from: Self.saltBytes, key: keys.span.extracting(Self.encryption))
    try hmac.setKey(keys.span.extracting(Self.authentication))
    try hmac.update(bytes.span)
    try hmac.finish(onto: &bytes)
    return Base64URL.encode(bytes, after: "1.")
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
    guard var bytes = try? Base64URL.decode(blob.dropFirst(Self.version.count)),
      bytes.count >= Self.saltBytes + Self.numberBytes + HMACSHA256.codeBytes
    else { return nil }
    defer { wipe(&bytes) }
    let tagStart = bytes.count - HMACSHA256.codeBytes
    var keys = try keys(
      of: key.span, salt: bytes.span.extracting(first: Self.saltBytes), name: name)
    defer { wipe(&keys) }
    defer { hmac.forget() }
    try hmac.setKey(keys.span.extracting(Self.authentication))
    guard
      try hmac.isCode(
        bytes.span.extracting(tagStart...), for: bytes.span.extracting(..<tagStart))
    else { return nil }
    bytes.removeLast(HMACSHA256.codeBytes)
    try apply(to: &bytes, from: Self.saltBytes, key: keys.span.extracting(Self.encryption))
    let textStart = Self.saltBytes + Self.numberBytes
    let number = bytes[Self.saltBytes..<textStart].reduce(0) { $0 << 8 | UInt32($1) }
    return String(validating: bytes[textStart...], as: UTF8.self).map { (number, $0) }
  }

  private mutating func openLegacy(
    _ blob: String, key: [UInt8]
  ) throws(CryptoError) -> (UInt32, String)? {
    guard var bytes = try? Hexadecimal.decode(blob) else { return nil }
    try mode.apply(to: &bytes, key: key, counter: Self.counter)
    guard let text = String(validating: bytes, as: UTF8.self),
      (try? JSONReader.read(text, JSONRules(.json, duplicateKeys: .lastWins))) != nil
    else { return nil }
    return (0, text)
  }

  /// Encrypts or decrypts all from a place on.
  private mutating func apply(
    to bytes: inout [UInt8], from start: Int, key: Span<UInt8>
  ) throws(CryptoError) {
    try mode.start(key: key, counter: Self.counter)
    defer { mode.forget() }
    try mode.apply(to: &bytes, from: start)
  }

  /// Both keys of a blob, behind each other.
  private mutating func keys(
    of master: Span<UInt8>, salt: Span<UInt8>, name: String
  ) throws(CryptoError) -> [UInt8] {
    let info = Self.info + name.utf8
    return try HKDF.derive(
      from: master, salt: salt, info: info.span, count: Self.authentication.upperBound, by: &hmac)
  }
}
