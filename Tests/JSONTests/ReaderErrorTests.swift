import JSON
import Testing

@Suite struct `A text that is refused` {
  private func message(_ bytes: [UInt8], _ rules: JSONRules) -> String {
    do {
      return "accepted: \(try JSONReader.read(bytes, rules).value)"
    } catch {
      return "\(error)"
    }
  }

  private static let ofJSON: [(text: String, message: String)] = [
    ("", "1:1: the text ends too early; expected a value"),
    ("\n ", "2:2: the text ends too early; expected a value"),
    ("[1,\n 2", "2:3: the text ends too early; expected ',' or ']'"),
    ("{", "1:2: the text ends too early; expected a key in double quotes, or '}'"),
    ("nul", "1:1: unexpected 'nul'; expected a value"),
    ("@", "1:1: unexpected '@'; expected a value"),
    ("é", "1:1: unexpected 'é'; expected a value"),
    ("\u{7F}", "1:1: unexpected character U+007F; expected a value"),
    ("\u{FEFF}1", "1:1: unexpected character U+FEFF; expected a value"),
    ("1 true", "1:3: unexpected 'true'; expected the end after the value"),
    ("[,]", "1:2: unexpected ','; expected a value or ']'"),
    ("[1 2]", "1:4: unexpected '2'; expected ',' or ']'"),
    ("[1,]", "1:3: unexpected ',' before ']'; expected no trailing comma"),
    (#"{"a":1,}"#, "1:7: unexpected ',' before '}'; expected no trailing comma"),
    ("{a:1}", "1:2: unexpected 'a'; expected a key in double quotes, or '}'"),
    (#"{"a" 1}"#, "1:6: unexpected '1'; expected ':' after the key"),
    ("// note", "1:1: unexpected '/'; expected a value"),
    ("'a'", "1:1: unexpected '''; expected a value"),
    (#""abc"#, "1:1: a text without its closing quote"),
    ("\"ab\nc\"", "1:1: a text without its closing quote"),
    ("\"a\tb\"", "1:3: control character U+0009 inside a text"),
    (#""a\qb""#, #"1:3: unknown escape '\q'"#),
    (#""\u12g4""#, #"1:2: unknown escape '\u12'"#),
    (#""\é""#, #"1:2: unknown escape '\é'"#),
    (#""\"#, "1:1: a text without its closing quote"),
    (#""\uD83D""#, #"1:2: half of a surrogate pair: '\uD83D'"#),
    (#""\uD83D\u0041""#, #"1:2: half of a surrogate pair: '\uD83D'"#),
    (#""\uDE00""#, #"1:2: half of a surrogate pair: '\uDE00'"#),
    ("-", "1:1: bad number '-': digits must follow"),
    ("[01]", "1:2: bad number '01': no leading zero"),
    ("1.", "1:1: bad number '1.': digits must follow the point"),
    ("1e+", "1:1: bad number '1e+': digits must follow the exponent sign"),
    ("1e400", "1:1: number '1e400' is too large"),
    ("{\n \"a\": 1,\n \"b\": 2, \"a\": 3}", "3:11: key 'a' again; first at 2:3"),
  ]

  private static let ofJSON5: [(text: String, message: String)] = [
    ("/* a\n", "1:1: a comment without its closing */"),
    ("{a-b:1}", "1:3: unexpected '-'; expected ':' after the key"),
    ("{1a:1}", "1:2: unexpected '1a'; expected a key, or '}'"),
    (#"{a\x61:1}"#, #"1:3: unexpected '\'; expected \uXXXX in a key without quotes"#),
    (#"{\u0031:1}"#, "1:2: unknown escape '1'"),
    (#"'\1'"#, #"1:2: unknown escape '\1'"#),
    (#"'\x4g'"#, #"1:2: unknown escape '\x4'"#),
    ("'a\\", "1:1: a text without its closing quote"),
    ("0x", "1:1: bad number '0x': hexadecimal digits must follow"),
    ("0x10000000000000000", "1:1: number '0x10000000000000000' is too large"),
    ("-0x8000000000000001", "1:1: number '-0x8000000000000001' is too large"),
    (".", "1:1: bad number '.': digits must follow the point"),
    ("{a: 1,\n'a': 2}", "2:2: key 'a' again; first at 1:2"),
    ("/x", "1:1: unexpected '/'; expected a value"),
  ]

  @Test func `says why and where, in JSON`() {
    for (text, expected) in Self.ofJSON {
      #expect(message(Array(text.utf8), .json) == expected)
    }
  }

  @Test func `says why and where, in JSON5`() {
    for (text, expected) in Self.ofJSON5 {
      #expect(message(Array(text.utf8), .json5) == expected)
    }
  }

  @Test(
    arguments: [
      [0x80], [0xC0, 0xAF], [0xC3], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
      [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFF],
    ] as [[UInt8]])
  func `names the byte that is not UTF-8`(bytes: [UInt8]) {
    let hex = String(bytes[0], radix: 16)
    let quoted = Array("\n\"a".utf8) + bytes + Array("\"".utf8)
    #expect(message(quoted, .json) == "2:3: byte 0x\(hex) is not UTF-8")
    #expect(message(Array("//".utf8) + bytes, .json5) == "1:3: byte 0x\(hex) is not UTF-8")
    #expect(message(Array("/*".utf8) + bytes, .json5) == "1:3: byte 0x\(hex) is not UTF-8")
    #expect(message(bytes, .json5) == "1:1: byte 0x\(hex) is not UTF-8")
    #expect(message(Array("{".utf8) + bytes, .json5) == "1:2: byte 0x\(hex) is not UTF-8")
  }

  @Test func `is one nested too deep, and the level above is not`() {
    func nested(_ depth: Int) -> [UInt8] {
      Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
    }
    let rules = JSONRules(.json, depthMax: 3)
    #expect(message(nested(3), rules) == "accepted: [[[]]]")
    #expect(
      message(nested(4), rules) == "1:4: more than 3 lists and objects inside one another")
    #expect(message(nested(129), .json).hasSuffix("inside one another"))
    #expect(message(nested(128), .json).hasPrefix("accepted"))
  }

  @Test func `finds a key again among many`() {
    let members = (0..<40).map { "k\($0): \($0)" }.joined(separator: ",")
    let text = "{\(members), k3: 0}"
    #expect(message(Array(text.utf8), .json5).hasSuffix("key 'k3' again; first at 1:20"))
    #expect(message(Array("{\(members), k40: 0}".utf8), .json5).hasPrefix("accepted"))
  }

  @Test func `takes a key again when the last one wins`() throws {
    let rules = JSONRules(.json, duplicateKeys: .lastWins)
    let node = try JSONReader.read(#"{"a":1,"b":2,"a":3}"#, rules)
    #expect(try node.members().map(\.key) == ["a", "b"])
    #expect(node.value == ["a": 3, "b": 2])
  }

  @Test func `keeps composed and decomposed keys apart`() throws {
    let node = try JSONReader.read("{\"\u{E9}\":1,\"e\u{301}\":2}")
    #expect(node["\u{E9}"]?.value == 1)
    #expect(node["e\u{301}"]?.value == 2)
    #expect(JSONWriter.text(of: node.value) == "{\"e\u{301}\":2,\"\u{E9}\":1}")
  }

  @Test func `traps on no cut of a valid text`() {
    let text = Array(#"{"a\u00e9\uD83D\uDE00":[1.5e-3,true,null,"é😀",{"b":-12}]}"#.utf8)
    for rules in [JSONRules.json, .json5] {
      for end in text.indices { #expect(message(Array(text[..<end]), rules).contains(": ")) }
    }
  }
}
