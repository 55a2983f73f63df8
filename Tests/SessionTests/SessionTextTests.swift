import Crypto
import JSON
import Session
import Testing

@Suite struct `A made-up session` {
  static let issuedAtMs: Int64 = 1_790_000_000_123

  func text(_ generation: Int = 1, user: String = "ada", _ size: SessionText.Size = .standard)
    throws -> String
  {
    try SessionText.make(
      user: user, generation: generation, issuedAtMs: Self.issuedAtMs, size: size)
  }

  @Test func `has the size of a real one, or fits into one item (R-STORE-1)`() throws {
    for generation in [1, 2, 999_999] {
      for user in ["ada", "a", "somebody-with-a-longer-name"] {
        let bytes = try text(generation, user: user).utf8.count
        #expect((3500...4000).contains(bytes))
        #expect(try text(generation, user: user, .compact).utf8.count <= SizeRule.limitBytes)
      }
    }
  }

  @Test func `depends on its arguments alone, and on each of them`() throws {
    #expect(try text(1) == text(1))
    let others = [
      try text(1), try text(2), try text(1, user: "bob"), try text(1, .compact),
      try SessionText.make(user: "ada", generation: 1, issuedAtMs: Self.issuedAtMs + 1000),
    ]
    #expect(Set(others).count == others.count)
  }

  @Test func `has the fields of the server, and a token of three readable parts`() throws {
    for size in SessionText.Size.allCases {
      let session = try JSONReader.read(text(3, size))
      #expect(try #require(session["expires_at"]).integer() == Self.issuedAtMs / 1000 + 3600)
      #expect(try #require(session["expires_in"]).integer() == 3600)
      #expect(try #require(session["token_type"]).text() == "bearer")
      #expect(try #require(session["refresh_token"]).text().utf8.count == 12)
      let token = try #require(session["access_token"]).text()
      let parts = token.split(separator: ".", omittingEmptySubsequences: false)
      try #require(parts.count == 3)
      let header = try JSONReader.read(Base64URL.decode(String(parts[0])))
      #expect(try #require(header["alg"]).text() == "HS256")
      let claims = try JSONReader.read(Base64URL.decode(String(parts[1])))
      #expect(claims["sub"]?.value == session["user"]?["id"]?.value)
      #expect(claims["exp"]?.value == session["expires_at"]?.value)
      for name in ["aal", "amr", "aud", "iat", "iss", "role", "session_id"] {
        #expect(claims[name] != nil, "\(name)")
      }
      #expect(try Base64URL.decode(String(parts[2])).count == 32)
    }
  }

  @Test func `has the form of a UUID as user, the same in all generations`() throws {
    let ids = try (1...3).map { try #require(JSONReader.read(text($0))["user"]?["id"]).text() }
    #expect(Set(ids).count == 1)
    let groups = ids[0].split(separator: "-").map(\.count)
    #expect(groups == [8, 4, 4, 4, 12])
    #expect(ids[0].dropFirst(14).first == "4")
  }

  @Test func `is read back as its user and generation`() throws {
    let user = try #require(JSONReader.read(text(1))["user"]?["id"]).text()
    var digests: Set<String> = []
    for generation in [1, 2, 77] {
      guard case .session(let session) = try SessionReading.of(JavaScriptString(text(generation)))
      else {
        Issue.record("generation \(generation) is no session")
        continue
      }
      #expect(session.generation == generation && session.user == user)
      digests.formUnion([session.refreshDigest, session.textDigest])
    }
    #expect(digests.count == 6)
  }

  @Test func `is never the same after any one bit was flipped`() throws {
    let plain = Array(try text(1, .compact).utf8)
    let identity = try SessionReading.of(JavaScriptString(text(1, .compact)))
    var accepted = 0
    for bit in stride(from: 0, to: plain.count * 8, by: 5) {
      var bytes = plain
      bytes[bit / 8] ^= 1 << (bit % 8)
      // As the JavaScript decoder reads them.
      let blob = JavaScriptString(Hexadecimal.encode(bytes))
      let reading = try SessionReading.of(Self.decodedByAESJS(blob))
      #expect(reading != identity, "bit \(bit)")
      if case .session = reading { accepted += 1 }
    }
    #expect(accepted > 1000, "most flips go unnoticed by the client")
  }

  /// Undoes a hexadecimal text as the cipher would with a key stream of zeroes: encrypting zeroes
  /// gives the key stream, which is applied first.
  static func decodedByAESJS(_ blob: JavaScriptString) throws -> JavaScriptString {
    let key = [UInt8](repeating: 1, count: 32)
    var bytes = try Hexadecimal.decode(blob.repaired)
    var mode = try AESCounterMode()
    try mode.apply(to: &bytes, key: key, counter: AESCounterMode.counterBlock(1))
    var cipher = try AESJSCipher()
    return try cipher.decrypt(
      JavaScriptString(Hexadecimal.encode(bytes)),
      keyText: JavaScriptString(Hexadecimal.encode(key)))
  }

  @Test func `is read as JSON.parse reads it: the last of equal members wins`() throws {
    let text: JavaScriptString =
      "{\"access_token\":1,\"refresh_token\":1,\"expires_at\":1,\"lab_generation\":1,\"lab_generation\":2}"
    guard case .session(let session) = try SessionReading.of(text) else {
      Issue.record("no session")
      return
    }
    #expect(session.generation == 2)
  }

  @Test func `with half of a surrogate pair inside is still JSON`() throws {
    let units = Array("{\"a\":\"".utf16) + [0xd800] + Array("\"}".utf16)
    #expect(try SessionReading.of(JavaScriptString(units: units)) == .notASession)
    #expect(try SessionReading.of(JavaScriptString(units: [0xd800])) == .notJSON)
  }
}
