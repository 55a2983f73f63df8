import Crypto
import JSON

/// What the client reads of an access token. It checks no signature.
struct AccessToken {
  /// The claims.
  let payload: JSONValue

  /// Decodes a token.
  ///
  /// - Throws: ``AuthError/invalidToken(message:)`` when it is no token, ``AuthError/defect(name:message:)``
  ///   when a part is not JSON.
  init(_ text: String) throws(AuthError) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3 else { throw .invalidToken(message: "Invalid JWT structure") }
    var bytes: [[UInt8]] = []
    for part in parts { bytes.append(try Self.decoded(part)) }
    _ = try Self.json(bytes[0])
    payload = try Self.json(bytes[1])
  }

  private static func decoded(_ part: Substring) throws(AuthError) -> [UInt8] {
    do throws(Base64URL.DecodingError) {
      return try Base64URL.decode(String(part))
    } catch {
      throw .invalidToken(message: "JWT not in base64url format")
    }
  }

  private static func json(_ bytes: [UInt8]) throws(AuthError) -> JSONValue {
    try JavaScriptValue.parse(String(decoding: bytes, as: UTF8.self)).get()
  }
}
