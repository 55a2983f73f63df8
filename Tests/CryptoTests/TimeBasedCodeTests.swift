import Crypto
import Testing

@Suite struct `Time-based codes` {
  /// RFC 6238, appendix B, the rows of SHA-1.
  @Test(
    arguments: [
      (59, "94287082"), (1_111_111_109, "07081804"), (1_111_111_111, "14050471"),
      (1_234_567_890, "89005924"), (2_000_000_000, "69279037"), (20_000_000_000, "65353130"),
    ] as [(Int64, String)])
  func `agree with RFC 6238`(seconds: Int64, code: String) throws {
    let secret = ascii("12345678901234567890")
    #expect(try TimeBasedCode.code(secret: secret, at: seconds, digits: 8) == code)
    #expect(try TimeBasedCode.code(secret: secret, at: seconds) == String(code.suffix(6)))
  }

  @Test func `are good for one period before and after theirs, and no longer`() throws {
    let secret = ascii("12345678901234567890")
    let code = try TimeBasedCode.code(secret: secret, at: 3000)
    for (seconds, isGood) in [(2969, false), (2970, true), (3059, true), (3060, false)] {
      #expect(
        try TimeBasedCode.isCode(code, secret: secret, at: Int64(seconds)) == isGood, "\(seconds)")
    }
  }

  /// RFC 4648 §10, without the padding.
  @Test(arguments: [
    ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"),
    ("fooba", "MZXW6YTB"), ("foobar", "MZXW6YTBOI"),
  ])
  func `have secrets in Base32 as RFC 4648 writes it`(plain: String, text: String) {
    #expect(Base32.encode(ascii(plain)) == text)
    #expect(Base32.decode(text) == ascii(plain))
  }

  @Test func `have no secret with other digits`() {
    #expect(Base32.decode("MZXW6YT1") == nil)
    #expect(Base32.decode("mzxw6ytb") == nil)
  }
}
