import Crypto
import Testing

@Suite struct `Hexadecimal text` {
  @Test func `has two lower-case digits for each of the 256 bytes`() throws {
    for value in UInt8.min...UInt8.max {
      let digits = String(value, radix: 16)
      #expect(Hexadecimal.encode([value]) == (value < 16 ? "0" : "") + digits)
      #expect(try Hexadecimal.decode(Hexadecimal.encode([value])) == [value])
    }
  }

  @Test func `survives the round trip at every length, in both cases`() throws {
    var draws = Draws(state: 21)
    for length in 0..<100 {
      let message = draws.bytes(length)
      let text = Hexadecimal.encode(message)
      #expect(try Hexadecimal.decode(text) == message)
      #expect(try Hexadecimal.decode(text.uppercased()) == message)
      #expect(Hexadecimal.encodeToBytes(message) == Array(text.utf8))
    }
  }

  /// RFC 4648, section 10.
  @Test(arguments: [
    ("", ""), ("f", "66"), ("fo", "666F"), ("foo", "666F6F"), ("foob", "666F6F62"),
    ("fooba", "666F6F6261"), ("foobar", "666F6F626172"),
  ])
  func `agrees with RFC 4648`(plain: String, encoded: String) throws {
    #expect(try Hexadecimal.decode(encoded) == ascii(plain))
    #expect(Hexadecimal.encode(ascii(plain)).uppercased() == encoded)
  }

  @Test func `takes the 22 digits, and no other byte in either place`() throws {
    let digits = Set("0123456789abcdefABCDEF".utf8)
    for byte in UInt8.min...UInt8.max {
      for (place, text) in [[byte, 0x30], [0x30, byte]].enumerated() {
        if digits.contains(byte) {
          #expect(try Hexadecimal.decode(text).count == 1)
        } else {
          #expect(throws: Hexadecimal.DecodingError.notADigit(at: place)) {
            try Hexadecimal.decode(text)
          }
        }
      }
    }
  }

  /// Long enough for registers, whose lanes all have to look.
  @Test func `sees a bad byte at any place of a long text`() throws {
    var draws = Draws(state: 22)
    let text = Hexadecimal.encodeToBytes(draws.bytes(100))
    let digits = Set("0123456789abcdefABCDEF".utf8)
    for place in text.indices {
      for byte in UInt8.min...UInt8.max where !digits.contains(byte) {
        var bad = text
        bad[place] = byte
        #expect(throws: Hexadecimal.DecodingError.notADigit(at: place)) {
          try Hexadecimal.decode(bad)
        }
      }
    }
  }

  @Test func `refuses an odd count, and says where the first bad digit is`() throws {
    #expect(throws: Hexadecimal.DecodingError.oddCount(3)) { try Hexadecimal.decode("abc") }
    #expect(throws: Hexadecimal.DecodingError.notADigit(at: 4)) {
      try Hexadecimal.decode("abcdgg00")
    }
    for text in ["0x12", " 12 ", "+1-1", "1g", "é"] {
      #expect(throws: Hexadecimal.DecodingError.self, "\(text)") { try Hexadecimal.decode(text) }
    }
  }
}

@Suite struct `Base64url text` {
  /// RFC 4648, section 10, without padding.
  @Test(arguments: [
    ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"),
    ("fooba", "Zm9vYmE"), ("foobar", "Zm9vYmFy"),
  ])
  func `agrees with RFC 4648`(plain: String, encoded: String) throws {
    #expect(Base64URL.encode(ascii(plain)) == encoded)
    #expect(try Base64URL.decode(encoded) == ascii(plain))
  }

  @Test func `uses the URL-safe letters`() throws {
    #expect(Base64URL.encode([0xfb, 0xff, 0xbf]) == "-_-_")
    #expect(try Base64URL.decode("-_-_") == [0xfb, 0xff, 0xbf])
  }

  @Test func `survives the round trip, and agrees with openssl's base64`() throws {
    var draws = Draws(state: 22)
    // Around the sizes at which vector registers come in, and leave a rest.
    for length in 0..<200 {
      let message = draws.bytes(length)
      #expect(try Base64URL.decode(Base64URL.encode(message)) == message)
    }
    for length in [1, 2, 3, 27, 28, 29, 48, 51, 52, 53, 1000, 1001, 1002] {
      let message = draws.bytes(length)
      let theirs = try Tool.openssl(["base64", "-A"], input: message)
      let text = String(decoding: theirs, as: UTF8.self).replacing("+", with: "-")
        .replacing("/", with: "_").filter { $0 != "=" && $0 != "\n" }
      #expect(Base64URL.encode(message) == text)
    }
  }

  @Test func `refuses padding, foreign letters, impossible counts and stray bits`() throws {
    #expect(throws: Base64URL.DecodingError.notInAlphabet(at: 2)) { try Base64URL.decode("Zg==") }
    #expect(throws: Base64URL.DecodingError.notInAlphabet(at: 1)) { try Base64URL.decode("Z+8") }
    #expect(throws: Base64URL.DecodingError.notInAlphabet(at: 0)) {
      try Base64URL.decode(" Zm9v  ")
    }
    #expect(throws: Base64URL.DecodingError.badCount(5)) { try Base64URL.decode("Zm9vY") }
    #expect(throws: Base64URL.DecodingError.strayBits) { try Base64URL.decode("Zh") }
    #expect(throws: Base64URL.DecodingError.strayBits) { try Base64URL.decode("Zm9") }
  }

  @Test func `has 64 characters, wherever in a text one stands`() throws {
    let letters = Set(ascii("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"))
    for place in [0, 31, 32, 75, 99] {
      for byte in UInt8(0)..<128 {
        var text = ascii(String(repeating: "Zm9v", count: 25))
        text[place] = byte
        let read = Result { () throws(Base64URL.DecodingError) in
          try Base64URL.decode(String(decoding: text, as: UTF8.self))
        }
        switch read {
        case .success(let bytes):
          #expect(letters.contains(byte), "\(byte) at \(place)")
          #expect(Array(Base64URL.encode(bytes).utf8) == text)
        case .failure(let error):
          #expect(!letters.contains(byte) && error == .notInAlphabet(at: place), "\(byte)")
        }
      }
    }
  }

  @Test func `stands behind a prefix`() {
    #expect(Base64URL.encode(ascii("foobar"), after: "1.") == "1.Zm9vYmFy")
    #expect(Base64URL.encode([], after: "1.") == "1.")
  }
}

@Suite struct `Secrets` {
  @Test func `are zeroes after a wipe`() {
    var secret: [UInt8] = [1, 2, 3, 255]
    wipe(&secret)
    #expect(secret == [0, 0, 0, 0])
    var nothing: [UInt8] = []
    wipe(&nothing)
    #expect(nothing.isEmpty)
  }

  @Test func `drawn from the system have the size asked for and differ`() {
    for count in [0, 1, 32, 255, 256, 257, 1000] {
      #expect(randomBytes(count).count == count)
    }
    #expect(Set((0..<100).map { _ in randomBytes(32) }).count == 100)
    // 4,096 bytes miss a given value with a chance of about 1 in ten million.
    #expect(Set(randomBytes(4096)).count > 250)
  }
}
