import Crypto
import Testing

@Suite struct `Digests` {
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
  ])
  func `of SHA-256 agree with FIPS 180-4`(message: String, digest: String) throws {
    #expect(try hex(sha256(ascii(message))) == digest)
  }

  @Test(arguments: [
    ("abc", "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "75388b16512776cc5dba5da1fd890150b0c6455cb4f58b1952522525"
    ),
  ])
  func `of SHA-224 agree with FIPS 180-4`(message: String, digest: String) throws {
    #expect(try hex(sha224(ascii(message))) == digest)
  }

  @Test func `of SHA-256 agree with FIPS 180-4 on a million letters, in pieces`() throws {
    var digest = try MessageDigest(.sha256)
    let piece = [UInt8](repeating: 0x61, count: 997)
    var left = 1_000_000
    while left > 0 {
      try digest.update(Array(piece.prefix(left)))
      left -= min(left, piece.count)
    }
    #expect(
      try hex(digest.finish()) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
    )
    try digest.update(ascii("abc"))
    #expect(
      try hex(digest.finish())
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
      "the same value starts a new message")
  }

  /// RFC 1321, A.5.
  @Test(arguments: [
    ("", "d41d8cd98f00b204e9800998ecf8427e"),
    ("a", "0cc175b9c0f1b6a831c399e269772661"),
    ("abc", "900150983cd24fb0d6963f7d28e17f72"),
    ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
    ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
    (
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
      "d174ab98d277d9f5a5611c2c9f419d9f"
    ),
    (
      "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
      "57edf4a22be3c955ac49da2e2107b67a"
    ),
  ])
  func `of MD5 agree with RFC 1321`(message: String, digest: String) throws {
    #expect(try hex(md5(ascii(message))) == digest)
  }

  @Test func `agree with openssl on random messages`() throws {
    var draws = Draws(state: 11)
    for length in [0, 1, 55, 56, 63, 64, 65, 1000] {
      let message = draws.bytes(length)
      #expect(try sha256(message) == Tool.openssl(["dgst", "-sha256", "-binary"], input: message))
      #expect(try md5(message) == Tool.openssl(["dgst", "-md5", "-binary"], input: message))
    }
  }
}

@Suite struct `HMAC with SHA-256` {
  @Test(arguments: HMACVector.all)
  func `agrees with RFC 4231`(vector: HMACVector) throws {
    var hmac = try HMACSHA256(key: vector.key)
    for _ in 0..<2 {
      #expect(try hex(hmac.code(for: vector.message)).hasPrefix(vector.code))
    }
  }

  @Test func `agrees with openssl on random keys and messages`() throws {
    var draws = Draws(state: 12)
    for length in [1, 31, 32, 64, 65, 200] {
      let key = draws.bytes(length)
      let message = draws.bytes(3 * length)
      #expect(
        try HMACSHA256.code(for: message, key: key)
          == Tool.openssl(
            ["dgst", "-sha256", "-mac", "HMAC", "-macopt", "hexkey:\(hex(key))", "-binary"],
            input: message))
    }
  }

  @Test func `gives a message in pieces the code of the whole, again and again`() throws {
    var draws = Draws(state: 13)
    let (key, message) = (draws.bytes(32), draws.bytes(300))
    let whole = try HMACSHA256.code(for: message, key: key)
    var hmac = try HMACSHA256(key: key)
    for cut in [0, 1, 63, 64, 65, 300] {
      var bytes: [UInt8] = [9]
      try hmac.update(message.span.extracting(..<cut))
      try hmac.update(message.span.extracting(cut...))
      try hmac.finish(onto: &bytes)
      #expect(bytes == [9] + whole, "cut at \(cut)")
    }
  }

  @Test func `tells the right code from any other`() throws {
    let code = try HMACSHA256.code(for: [1, 2], key: [3])
    #expect(try HMACSHA256.isCode(code, for: [1, 2], key: [3]))
    #expect(try !HMACSHA256.isCode(code, for: [1, 2], key: [4]))
    #expect(try !HMACSHA256.isCode(Array(code.dropLast()), for: [1, 2], key: [3]))
    for index in code.indices {
      var other = code
      other[index] ^= 1
      #expect(try !HMACSHA256.isCode(other, for: [1, 2], key: [3]), "byte \(index)")
    }
  }

  @Test func `takes an empty key`() throws {
    #expect(
      try hex(HMACSHA256.code(for: [], key: []))
        == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
  }
}

@Suite struct `HKDF with SHA-256` {
  @Test(arguments: HKDFVector.all)
  func `agrees with RFC 5869`(vector: HKDFVector) throws {
    let derived = try HKDF.derive(
      from: vector.secret, salt: vector.salt, info: vector.info, count: vector.output.count / 2)
    #expect(hex(derived) == vector.output)
  }

  @Test func `agrees with openssl on random secrets`() throws {
    var draws = Draws(state: 13)
    for count in [1, 32, 33, 8160] {
      let (secret, salt, info) = (draws.bytes(32), draws.bytes(16), draws.bytes(9))
      let theirs = try Tool.openssl([
        "kdf", "-keylen", "\(count)", "-binary", "-kdfopt", "digest:SHA256",
        "-kdfopt", "hexkey:\(hex(secret))", "-kdfopt", "hexsalt:\(hex(salt))",
        "-kdfopt", "hexinfo:\(hex(info))", "HKDF",
      ])
      #expect(try HKDF.derive(from: secret, salt: salt, info: info, count: count) == theirs)
    }
  }

  @Test func `gives nothing for nothing, and refuses more than 255 blocks`() throws {
    #expect(try HKDF.derive(from: [1], salt: [], info: [], count: 0).isEmpty)
    #expect(throws: CryptoError.outputSize(bytes: 8161)) {
      try HKDF.derive(from: [1], salt: [], info: [], count: 8161)
    }
  }
}
