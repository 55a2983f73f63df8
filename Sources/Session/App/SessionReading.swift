package import Crypto
import JSON

/// What a stored text is to the auth client.
package enum SessionReading: Equatable, Sendable {
  /// JSON, with the members that the client asks for.
  case session(SessionIdentity)
  /// The client's `JSON.parse` throws.
  case notJSON
  /// The word `null`, which the client takes as nothing stored.
  case null
  /// JSON, but no object with `access_token`, `refresh_token` and `expires_at`.
  case notASession

  /// Reads a text as auth-js does: the three members must be there, their types are not checked.
  ///
  /// Differs from `JSON.parse` in refusing `\u` escapes of lone surrogates and more than 128
  /// levels. A lone surrogate inside the text counts as any other character.
  ///
  /// - Throws: Only when the crypto library fails.
  package static func of(_ text: JavaScriptString) throws(CryptoError) -> SessionReading {
    let node: JSONNode
    do throws(JSONError) {
      node = try JSONReader.read(text.repaired, JSONRules(.json, duplicateKeys: .lastWins))
    } catch {
      return .notJSON
    }
    if case .null = node.content { return .null }
    guard node["access_token"] != nil, node["expires_at"] != nil,
      let refresh = node["refresh_token"]
    else { return .notASession }
    var user: String?
    if case .text(let id) = node["user"]?["id"]?.content { user = id }
    var generation: Int?
    if case .integer(let number) = node["lab_generation"]?.content {
      generation = Int(exactly: number)
    }
    return .session(
      SessionIdentity(
        user: user, generation: generation,
        refreshDigest: try shortDigest(JSONWriter.bytes(of: refresh.value)),
        textDigest: try digest(of: text)))
  }

  /// The digest under which results speak of a text.
  static func digest(of text: JavaScriptString) throws(CryptoError) -> String {
    if let text = text.text { return try shortDigest(Array(text.utf8)) }
    return try shortDigest(text.units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] })
  }

  private static func shortDigest(_ bytes: [UInt8]) throws(CryptoError) -> String {
    Hexadecimal.encode(Array(try sha256(bytes).prefix(8)))
  }
}
