package import Crypto
package import JSON

/// JSON Web Tokens (RFC 7519) in their compact form, signed with HMAC and SHA-256.
package enum SignedToken {
  private static let header = Base64URL.encode(Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8))

  package static func make(
    _ claims: JSONObject, key: [UInt8]
  ) throws(CryptoError) -> String {
    let signed = "\(header).\(Base64URL.encode(JSONWriter.bytes(of: .object(claims))))"
    let code = try HMACSHA256.code(for: Array(signed.utf8), key: key)
    return "\(signed).\(Base64URL.encode(code))"
  }

  /// The claims of a token that this key signed, or `nil` for any other text.
  ///
  /// Says nothing about the time: whether the token has expired is the caller's to ask.
  package static func claims(
    of token: String, key: [UInt8]
  ) throws(CryptoError) -> JSONObject? {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    // The one header that is made here, so that no token chooses its own algorithm.
    guard parts.count == 3, parts[0] == header,
      let code = decoded(parts[2]), let payload = decoded(parts[1]),
      try HMACSHA256.isCode(code, for: Array("\(parts[0]).\(parts[1])".utf8), key: key)
    else { return nil }
    do {
      return try JSONReader.read(payload).value.object
    } catch {
      return nil
    }
  }

  private static func decoded(_ part: Substring) -> [UInt8]? {
    do {
      return try Base64URL.decode(String(part))
    } catch {
      return nil
    }
  }
}
