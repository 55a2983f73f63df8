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
    _ = try Self.json(parts[0])
    payload = try Self.json(parts[1])
  }

  private static func json(_ part: Substring) throws(AuthError) -> JSONValue {
    let bytes: [UInt8]
    do throws(Base64URL.DecodingError) {
      bytes = try Base64URL.decode(String(part))
    } catch {
      throw .invalidToken(message: "JWT not in base64url format")
    }
    return try JavaScriptValue.parse(String(decoding: bytes, as: UTF8.self)).get()
  }
}
