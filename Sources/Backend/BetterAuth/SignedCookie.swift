import Crypto
import Ports
import Wire

/// A cookie of the server, signed with its secret: `value.signature`, escaped as a whole.
struct SignedCookie {
  var name: String
  /// Whether browsers may send it over HTTPS only, which its name says too.
  var isSecure: Bool

  init(_ name: String, _ environment: BetterAuthEnvironment) {
    isSecure = environment.baseURL.hasPrefix("https:")
    self.name = (isSecure ? "__Secure-" : "") + "better-auth.\(name)"
  }

  func header(
    _ value: String, maxAge: Int64, secret: [UInt8]
  ) throws(CryptoError) -> String {
    let code = try HMACSHA256.code(for: Array(value.utf8), key: secret)
    let signed = FormText.encodeComponent("\(value).\(Self.base64(code))")
    return "\(name)=\(signed); Max-Age=\(maxAge); Path=/; HttpOnly; \(attributes)"
  }

  var deletion: String { "\(name)=; Max-Age=0; Path=/; HttpOnly; \(attributes)" }

  /// The value of the cookie in a request; `nil` if it is missing or was signed by another.
  func value(in cookies: RequestCookies, secret: [UInt8]) throws(CryptoError) -> String? {
    guard let signed = cookies[name], let dot = signed.lastIndex(of: ".") else { return nil }
    let value = String(signed[..<dot])
    let code = try HMACSHA256.code(for: Array(value.utf8), key: secret)
    return signed[signed.index(after: dot)...] == Self.base64(code) ? value : nil
  }

  private var attributes: String { (isSecure ? "Secure; " : "") + "SameSite=Lax" }

  /// The alphabet of RFC 4648 §4, with its padding.
  private static func base64(_ bytes: [UInt8]) -> String {
    let text = Base64URL.encode(bytes).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
    return String(text) + String(repeating: "=", count: (4 - text.count % 4) % 4)
  }
}
