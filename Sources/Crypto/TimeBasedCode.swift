import COpenSSL

/// Time-based one-time codes (RFC 6238) with SHA-1, as authenticator apps show them.
package enum TimeBasedCode {
  package static let periodSeconds: Int64 = 30

  /// The code of a moment.
  ///
  /// - Parameters:
  ///   - secret: The bytes that server and app share.
  ///   - seconds: Since 1970.
  ///   - digits: 6 to 8.
  /// - Returns: Decimal digits, with leading zeroes.
  /// - Throws: ``CryptoError/library(call:)``.
  package static func code(
    secret: [UInt8], at seconds: Int64, digits: Int = 6
  ) throws(CryptoError) -> String {
    let counter = UInt64(bitPattern: seconds / periodSeconds)
    let message = (0..<8).map { UInt8(truncatingIfNeeded: counter >> (56 - 8 * UInt64($0))) }
    let hash = try hmacSHA1(of: message, key: secret)
    let offset = Int(hash[19] & 15)
    let number = hash[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7fff_ffff
    let text = String(number)
    let padded = String(repeating: "0", count: max(0, digits - text.count)) + text
    return String(padded.suffix(digits))
  }

  /// Whether a code is that of the moment, or of so many periods before or after.
  package static func isCode(
    _ code: String, secret: [UInt8], at seconds: Int64, skewPeriods: Int64 = 1
  ) throws(CryptoError) -> Bool {
    for step in -skewPeriods...skewPeriods {
      let moment = max(0, seconds + step * periodSeconds)
      if try self.code(secret: secret, at: moment) == code { return true }
    }
    return false
  }

  private static func hmacSHA1(of message: [UInt8], key: [UInt8]) throws(CryptoError) -> [UInt8] {
    guard OpenSSLLibrary.ready else { throw .library(call: "OPENSSL_init_crypto") }
    var code = [UInt8](repeating: 0, count: 20)
    let result = unsafe EVP_Q_mac(
      nil, "HMAC", nil, "SHA1", nil, key, key.count, message, message.count, &code, code.count, nil)
    guard unsafe result != nil else { throw .library(call: "EVP_Q_mac") }
    return code
  }
}
