import Crypto
import JSON

/// An encrypted value in `SecureStore.xml`: a JSON text.
struct SecureStoreEntry {
  /// With its tag.
  var ciphertext: [UInt8]
  var nonce: [UInt8]
  var requiresAuthentication: Bool

  /// Members in the order of their insertion, and `/` with an escape, as Android's `JSONObject`
  /// writes them.
  var text: String {
    let members: [(key: String, value: JSONValue)] = [
      ("ct", .text(Self.base64(ciphertext))), ("iv", .text(Self.base64(nonce))),
      ("tlen", .integer(Int64(8 * AESGCM.tagBytes))), ("scheme", .text(Self.scheme)),
      ("usesKeystoreSuffix", true), ("keystoreAlias", .text(Self.service)),
      ("requireAuthentication", .bool(requiresAuthentication)),
    ]
    let texts = members.map { "\"\($0.key)\":\($0.value)" }
    return "{\(texts.joined(separator: ","))}".split(
      separator: "/", omittingEmptySubsequences: false
    ).joined(separator: "\\/")
  }

  private static let scheme = "aes"
  private static let tagBitsMin = 96
}

// MARK: - Names

extension SecureStoreEntry {
  /// The `keychainService` of an app that passes none.
  static let service = "key_v1"

  /// The name of an item's entry. Entries of older versions bear the item's own name.
  static func name(for item: String) -> String { "\(service)-\(item)" }

  /// The key of the keystore that entries with or without authentication are encrypted under.
  static func alias(requiresAuthentication: Bool) -> String {
    "\(legacyAlias):keystore\(requiresAuthentication ? "Authenticated" : "Unauthenticated")"
  }

  /// Versions before 12.5 had one key for both.
  static let legacyAlias = "AES/GCM/NoPadding:\(service)"
}

// MARK: - Reading

extension SecureStoreEntry {
  /// What was read of a text before its key is looked for.
  struct Header {
    var requiresAuthentication: Bool
    var usesKeystoreSuffix: Bool
    fileprivate var members: JSONValue

    /// The key that it was encrypted under.
    var alias: String {
      usesKeystoreSuffix
        ? SecureStoreEntry.alias(requiresAuthentication: requiresAuthentication) : legacyAlias
    }
  }

  /// Reads what is needed to find the key. What is wrong with a text that is no JSON, our reader
  /// says in its own words. The scheme `hybrid`, of Android before 6, is not
  /// modelled, and counts as unknown.
  static func header(of text: String, for item: String) throws(SecureStoreFailure) -> Header {
    let members: JSONValue
    do {
      members = try JSONReader.read(text, .json).value
    } catch {
      throw .decrypt(item, "Could not parse the encrypted JSON item in SecureStore: \(error)")
    }
    guard let found = members["scheme"]?.text, !found.isEmpty else {
      throw .decrypt(item, "Could not find the encryption scheme used for key: \(item)")
    }
    guard found == scheme else {
      // The bracket is the library's.
      throw .decrypt(
        item, "The item for key \(item) in SecureStore has an unknown encoding scheme \(found))")
    }
    return Header(
      requiresAuthentication: members["requireAuthentication"]?.bool ?? false,
      usesKeystoreSuffix: members["usesKeystoreSuffix"]?.bool ?? false, members: members)
  }

  /// Reads what is encrypted.
  init(_ header: Header, for item: String) throws(SecureStoreFailure) {
    ciphertext = try Self.bytes("ct", of: header, for: item)
    nonce = try Self.bytes("iv", of: header, for: item)
    requiresAuthentication = header.requiresAuthentication
    guard let tagBits = header.members["tlen"]?.integer else {
      throw .decrypt(item, "No value for tlen")
    }
    guard tagBits >= Self.tagBitsMin else {
      throw .decrypt(
        item, "Authentication tag length must be at least \(Self.tagBitsMin) bits long")
    }
  }

  /// Whether a text is lost with the key that requires authentication. One that is no JSON is
  /// passed over, as the library does.
  static func needsAuthenticatedKey(_ text: String) -> Bool {
    do {
      let members = try JSONReader.read(text, .json).value
      return members["requireAuthentication"]?.bool == true
        && members["keystoreAlias"]?.text == service
    } catch {
      return false
    }
  }

  private static func bytes(
    _ member: String, of header: Header, for item: String
  ) throws(SecureStoreFailure) -> [UInt8] {
    guard let text = header.members[member]?.text else {
      throw .decrypt(item, "No value for \(member)")
    }
    guard let bytes = bytes(base64: text) else { throw .decrypt(item, "bad base-64") }
    return bytes
  }
}

// MARK: - Base64 with its standard alphabet and padding

extension SecureStoreEntry {
  private static func base64(_ bytes: [UInt8]) -> String {
    let digits = Base64URL.encode(bytes).map { character -> Character in
      switch character {
      case "-": "+"
      case "_": "/"
      default: character
      }
    }
    return String(digits) + String(repeating: "=", count: (4 - digits.count % 4) % 4)
  }

  private static func bytes(base64 text: String) -> [UInt8]? {
    let digits = text.prefix { $0 != "=" }.map { character -> Character in
      switch character {
      case "+": "-"
      case "/": "_"
      // Not of this alphabet.
      case "-", "_": "!"
      default: character
      }
    }
    do {
      return try Base64URL.decode(String(digits))
    } catch {
      return nil
    }
  }
}
