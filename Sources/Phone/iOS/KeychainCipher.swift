import Crypto
import JSON

/// Encrypts keychain items for the `data` column, and decrypts them.
///
/// The column holds: version (4 bytes, least significant first), nonce (12), ciphertext, tag (16).
/// The text inside is a JSON object of all real attributes and the value. Class, group and the two
/// hashes that stand beside it in the row are authenticated with it. The real column wraps a key
/// per item and encodes a property list; for what the lab shows it is the same.
struct KeychainCipher: ~Copyable {
  private static let version: [UInt8] = [7, 0, 0, 0]
  private static let nonceBytes = 12
  private var gcm: AESGCM

  enum Failure: Error, Equatable {
    /// Another key, or damaged bytes: the item counts as corrupt and is dropped.
    case undecryptable
    /// Not the format of this column.
    case malformed
    case unavailable
  }

  init() throws(CryptoError) {
    gcm = try AESGCM()
  }

  mutating func seal(
    _ item: SecItem, key: [UInt8], nonce: [UInt8]
  ) throws(CryptoError) -> [UInt8] {
    let query = item.query
    let text = JSONWriter.bytes(of: [
      "acct": .text(query.account), "svce": .text(query.service), "gena": .text(query.generic),
      "v_Data": .text(Hexadecimal.encode(item.data)),
    ])
    let beside = try Self.attributesBeside(item.query, item.accessibility)
    let sealed = try gcm.seal(text, key: key, nonce: nonce, authenticating: beside)
    return Self.version + nonce + sealed.ciphertext + sealed.tag
  }

  /// Decrypts the column of a row.
  mutating func open(
    _ column: [UInt8], of row: KeychainDatabase.Row, accessibility: Accessibility, key: [UInt8]
  ) throws(Failure) -> SecItem {
    let head = Self.version.count + Self.nonceBytes
    guard column.count >= head + AESGCM.tagBytes, column.starts(with: Self.version) else {
      throw .malformed
    }
    let nonce = Array(column[Self.version.count..<head])
    let tag = Array(column.suffix(AESGCM.tagBytes))
    let sealed = AESGCM.Sealed(
      ciphertext: Array(column[head..<(column.count - AESGCM.tagBytes)]), tag: tag)
    let beside = Self.attributesBeside(accessibility, row.accessGroup, row.account, row.service)
    var text: [UInt8]
    do {
      text = try gcm.open(sealed, key: key, nonce: nonce, authenticating: beside)
    } catch {
      throw error == .notAuthentic ? .undecryptable : .unavailable
    }
    defer { wipe(&text) }
    return try Self.item(from: text, accessibility, row.accessGroup)
  }

  private static func item(
    from text: [UInt8], _ accessibility: Accessibility, _ accessGroup: String
  ) throws(Failure) -> SecItem {
    do {
      let fields = try JSONReader.read(text, .json).value
      guard let account = fields["acct"]?.text, let service = fields["svce"]?.text,
        let generic = fields["gena"]?.text, let data = fields["v_Data"]?.text
      else { throw Failure.malformed }
      let query = SecItemQuery(
        account: account, service: service, generic: generic, accessGroup: accessGroup)
      return SecItem(
        query: query, accessibility: accessibility, data: try Hexadecimal.decode(data))
    } catch {
      throw .malformed
    }
  }

  private static func attributesBeside(
    _ query: SecItemQuery, _ accessibility: Accessibility
  ) throws(CryptoError) -> [UInt8] {
    attributesBeside(
      accessibility, query.accessGroup, try sha256(Array(query.account.utf8)),
      try sha256(Array(query.service.utf8)))
  }

  private static func attributesBeside(
    _ accessibility: Accessibility, _ accessGroup: String, _ account: [UInt8], _ service: [UInt8]
  ) -> [UInt8] {
    Array("\(accessibility.rawValue)\u{0}\(accessGroup)\u{0}".utf8) + account + service
  }

  /// A fresh nonce's length.
  static var freshBytes: Int { nonceBytes }
}
