import Crypto
import Session
import Testing

@Suite struct `The model of aes-js` {
  static let key = (0..<32).map { UInt8($0 * 3) }
  static var keyText: JavaScriptString { JavaScriptString(Hexadecimal.encode(key)) }

  @Test func `gives back every text of the basic plane (R-STORE-7)`() throws {
    var cipher = try AESJSCipher()
    var draws = UnitDraws(state: 1)
    for length in 0..<300 {
      let text = JavaScriptString(units: draws.basicPlane(length))
      let blob = JavaScriptString(try cipher.encrypt(text, key: Self.key))
      #expect(try cipher.decrypt(blob, keyText: Self.keyText) == text, "\(length) units")
    }
  }

  @Test func `breaks every text outside of it, and swallows what follows`() throws {
    var cipher = try AESJSCipher()
    let blob = JavaScriptString(try cipher.encrypt("a😀bcd", key: Self.key))
    let text = try cipher.decrypt(blob, keyText: Self.keyText)
    // Three bytes of F0 9F 98 80 give U+07D8; the stray 80 takes "b" and "c" with it.
    #expect(text == JavaScriptString(units: [0x61, 0x7d8, 0x8a3, 0x64]))
  }

  @Test func `keeps half of a surrogate pair that a wrong key gives`() throws {
    var cipher = try AESJSCipher()
    // ED A0 80 is how the decoder spells U+D800.
    var bytes: [UInt8] = [0xed, 0xa0, 0x80]
    var mode = try AESCounterMode()
    try mode.apply(to: &bytes, key: Self.key, counter: AESCounterMode.counterBlock(1))
    let blob = JavaScriptString(Hexadecimal.encode(bytes))
    let text = try cipher.decrypt(blob, keyText: Self.keyText)
    #expect(text.units == [0xd800])
    #expect(text.text == nil && text.repaired == "\u{fffd}" && text.utf8Bytes == 3)
  }

  @Test func `never throws for a wrong key`() throws {
    var cipher = try AESJSCipher()
    var draws = UnitDraws(state: 3)
    let session = try sessionText()
    let blob = JavaScriptString(try cipher.encrypt(session, key: Self.key))
    for _ in 0..<200 {
      let wrong = (0..<32).map { _ in UInt8(truncatingIfNeeded: draws.next()) }
      let text = try cipher.decrypt(
        blob, keyText: JavaScriptString(Hexadecimal.encode(wrong)))
      #expect(try SessionReading.of(text) == .notJSON)
    }
  }

  @Test func `refuses a key before it looks at the blob`() throws {
    var cipher = try AESJSCipher()
    #expect(throws: AESJSError.invalidValue(in: .key, values: [nil])) {
      try cipher.decrypt("zz", keyText: "zz")
    }
    #expect(throws: AESJSError.keySize(bytes: 1)) { try cipher.decrypt("zz", keyText: "aa") }
    #expect(throws: AESJSError.keySize(bytes: 0)) { try cipher.decrypt("zz", keyText: "") }
    #expect(throws: AESJSError.invalidValue(in: .blob, values: [nil])) {
      try cipher.decrypt("zz", keyText: Self.keyText)
    }
    #expect(throws: AESJSError.keySize(bytes: 20)) {
      try cipher.encrypt("text", key: [UInt8](repeating: 0, count: 20))
    }
  }

  /// Each text beside plain digits for what ECMAScript's `parseInt(pair, 16)` gives.
  @Test func `reads pairs of characters as parseInt does`() throws {
    var cipher = try AESJSCipher()
    for (pair, digits) in [
      ("4G", "04"), ("4g", "04"), (" 4", "04"), ("+4", "04"), ("4 ", "04"), ("4", "04"),
      ("-0", "00"), ("+0", "00"), ("\u{feff}4", "04"), ("\u{a0}4", "04"), ("4\0", "04"),
      ("4é", "04"), ("4x", "04"), ("0g", "00"), ("aB", "ab"), ("Fe+1\t2f", "fe01020f"),
    ] {
      let lenient = try cipher.decrypt(JavaScriptString(pair), keyText: Self.keyText)
      let plain = try cipher.decrypt(JavaScriptString(digits), keyText: Self.keyText)
      #expect(lenient == plain, "\(pair)")
    }
    for pair in ["g4", "  ", "+", "-", "+-", "0x", "0X", "\0\0", "é1"] {
      #expect(throws: AESJSError.self, "\(pair)") {
        try cipher.decrypt(JavaScriptString(pair), keyText: Self.keyText)
      }
    }
    #expect(throws: AESJSError.invalidValue(in: .blob, values: [-4])) {
      try cipher.decrypt("-4", keyText: Self.keyText)
    }
  }

  @Test func `says what is wrong without showing the key`() throws {
    var cipher = try AESJSCipher()
    let broken = JavaScriptString("zz" + Hexadecimal.encode(Self.key).dropFirst(2))
    do throws(AESJSError) {
      _ = try cipher.decrypt("00", keyText: broken)
      Issue.record("a broken key was taken")
    } catch {
      #expect(error.javaScriptText.hasPrefix("Error: Array contains invalid value: NaN,3,6,9,"))
      #expect(
        "\(error)"
          == "Error: Array contains invalid value: 1 of 32 in the key (values not shown)")
      let dump = String(reflecting: StoreError.cipher(error))
      #expect(dump.contains("values not shown") && !dump.contains("Optional"))
    }
  }
}

@Suite struct `A JavaScript text` {
  @Test func `is equal by code units, not by what it looks like`() {
    #expect(JavaScriptString("é") == JavaScriptString(units: [0xe9]))
    #expect(JavaScriptString("é") != JavaScriptString("e\u{301}"))
    #expect(JavaScriptString(units: [0xd800]) == JavaScriptString(units: [0xd800]))
    #expect(JavaScriptString(units: [0xd800]) != JavaScriptString(units: [0xdc00]))
    #expect(JavaScriptString(units: [0xd800]) != JavaScriptString("\u{fffd}"))
    #expect(JavaScriptString(units: [0xd83d, 0xde00]) == "😀")
  }

  @Test func `keeps any sequence of code units`() {
    for units in [
      [], [0x61], [0xd83d, 0xde00], [0xd83d], [0xde00], [0xde00, 0xd83d], [0xd83d, 0xd83d, 0xde00],
      [0xd83d, 0x61], [0xfeff, 0x61], [0xffff],
    ] as [[UInt16]] {
      let text = JavaScriptString(units: units)
      #expect(text.units == units)
      #expect(text.isEmpty == units.isEmpty)
      #expect((text.text == nil) == (text.repaired.utf16.elementsEqual(units) == false))
    }
  }

  @Test func `has its size in UTF-8 with three bytes for half of a pair`() {
    #expect(JavaScriptString("aé€😀").utf8Bytes == 10)
    #expect(JavaScriptString(units: [0x61, 0xd800]).utf8Bytes == 4)
  }
}
