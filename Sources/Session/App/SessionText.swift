package import Crypto
import JSON

/// Made-up sessions of a Supabase server, in the form in which the client stores them.
///
/// A text depends on its arguments alone, so that two runs make the same one. Nothing in it opens
/// anything: tokens are digests of their names, the mail is at `example.com`, signatures are
/// noise. The text is ASCII, keys sorted. Beside the server's fields it has `lab_generation`, the
/// number of refreshes since the sign-in plus one.
package enum SessionText {
  package enum Size: String, CaseIterable, Sendable {
    /// 3.5 to 4 KB, as a session with two identities has: its blob has 7 to 8 KB.
    case standard
    /// Under 2,048 bytes, so that it fits into one item where the size rule is enforced.
    case compact
    /// In fewer than 1,800 characters, but over 2,048 bytes, as with names in Chinese.
    case wide
    /// Over 1 MiB, as with a picture in the user's metadata: its blob is longer than a row that
    /// Android can read.
    case huge
  }

  static let lifetimeSeconds: Int64 = 3600

  /// The session of a user at a generation.
  ///
  /// - Parameters:
  ///   - user: A short name, such as `ada`.
  ///   - generation: 1 after the sign-in, one more after each refresh.
  ///   - issuedAtMs: When the server issued it, milliseconds since 1970.
  ///   - size: How much the user record holds.
  /// - Returns: One JSON object.
  /// - Throws: Only when the crypto library fails.
  package static func make(
    user: String, generation: Int, issuedAtMs: Int64, size: Size = .standard
  ) throws(CryptoError) -> String {
    let names = try Names(user: user, generation: generation)
    let issuedAt = issuedAtMs / 1000
    var record = JSONObject()
    record["access_token"] = .text(try accessToken(names, issuedAt: issuedAt, size))
    record["expires_at"] = .integer(issuedAt + lifetimeSeconds)
    record["expires_in"] = .integer(lifetimeSeconds)
    record["lab_generation"] = .integer(generation)
    record["refresh_token"] = .text(names.refreshToken)
    record["token_type"] = "bearer"
    record["user"] = userRecord(names, size)
    return JSONWriter.text(of: .object(record))
  }

  /// Texts derived from the name and the generation.
  private struct Names {
    var user: String
    var userID: String
    var sessionID: String
    var mail: String
    var refreshToken: String
    var signature: [UInt8]

    init(user: String, generation: Int) throws(CryptoError) {
      self.user = user
      userID = try Self.uuid("user/\(user)")
      sessionID = try Self.uuid("session/\(user)")
      mail = "\(user)@example.com"
      let letters = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
      let token = try sha256(Array("lab/refresh/\(user)/\(generation)".utf8)).prefix(12)
      refreshToken = String(
        decoding: token.map { letters[Int($0 & 31)] }, as: UTF8.self)
      signature = try sha256(Array("lab/signature/\(user)/\(generation)".utf8))
    }

    /// A version 4 UUID that is a digest of its name.
    private static func uuid(_ name: String) throws(CryptoError) -> String {
      var bytes = Array(try sha256(Array("lab/\(name)".utf8)).prefix(16))
      bytes[6] = bytes[6] & 0x0f | 0x40
      bytes[8] = bytes[8] & 0x3f | 0x80
      let digits = Array(Hexadecimal.encodeToBytes(bytes))
      let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32]
      return groups.map { String(decoding: digits[$0], as: UTF8.self) }.joined(separator: "-")
    }
  }

  private static func accessToken(
    _ names: Names, issuedAt: Int64, _ size: Size
  ) throws(CryptoError) -> String {
    let header: JSONValue = ["alg": "HS256", "kid": "lab-signing-key", "typ": "JWT"]
    let claims: JSONValue = [
      "aal": "aal1", "amr": [["method": "password", "timestamp": .integer(issuedAt)]],
      "app_metadata": appMetadata(size), "aud": "authenticated", "email": .text(names.mail),
      "exp": .integer(issuedAt + lifetimeSeconds), "iat": .integer(issuedAt),
      "is_anonymous": false, "iss": "https://auth.example.com/auth/v1", "phone": "",
      "role": "authenticated", "session_id": .text(names.sessionID), "sub": .text(names.userID),
      "user_metadata": userMetadata(names, size),
    ]
    let parts = [
      JSONWriter.bytes(of: header), JSONWriter.bytes(of: claims), names.signature,
    ]
    return parts.map(Base64URL.encode).joined(separator: ".")
  }

  private static func userRecord(_ names: Names, _ size: Size) -> JSONValue {
    var record: JSONValue = [
      "app_metadata": appMetadata(size), "aud": "authenticated", "email": .text(names.mail),
      "id": .text(names.userID), "is_anonymous": false,
      "phone": .text(size == .wide ? String(repeating: "文", count: 400) : ""),
      "role": "authenticated", "user_metadata": userMetadata(names, size),
    ]
    guard size != .compact, size != .wide, case .object(var fields) = record else { return record }
    for field in ["confirmed_at", "created_at", "email_confirmed_at"] {
      fields[field] = .text(signedUpAt)
    }
    for field in ["last_sign_in_at", "updated_at"] { fields[field] = "2026-03-14T08:15:42.731902Z" }
    if size == .huge { fields["picture"] = .text(String(repeating: "A", count: 1 << 20)) }
    fields["identities"] = .list(["email", "google"].map { identity(names, provider: $0) })
    record = .object(fields)
    return record
  }

  private static let signedUpAt = "2026-01-05T09:30:00.120394Z"

  private static func appMetadata(_ size: Size) -> JSONValue {
    switch size {
    case .standard, .huge: ["provider": "email", "providers": ["email", "google"]]
    case .compact, .wide: ["provider": "email", "providers": ["email"]]
    }
  }

  private static func userMetadata(_ names: Names, _ size: Size) -> JSONValue {
    switch size {
    case .compact, .wide: return ["email": .text(names.mail)]
    case .standard, .huge:
      return [
        "avatar_url": .text("https://cdn.example.com/avatars/\(names.userID)/large.png"),
        "email": .text(names.mail), "email_verified": true,
        "full_name": .text("\(names.user) of the example company"), "locale": "en-GB",
        "onboarding": "finished on 2026-01-05 with 4 of 4 steps",
        "phone_verified": false, "sub": .text(names.userID),
        "theme": "system", "time_zone": "Europe/London",
      ]
    }
  }

  private static func identity(_ names: Names, provider: String) -> JSONValue {
    [
      "created_at": .text(signedUpAt), "email": .text(names.mail), "id": .text(names.userID),
      "identity_data": userMetadata(names, .standard), "identity_id": .text(names.sessionID),
      "last_sign_in_at": .text(signedUpAt), "provider": .text(provider),
      "updated_at": .text(signedUpAt), "user_id": .text(names.userID),
    ]
  }
}
