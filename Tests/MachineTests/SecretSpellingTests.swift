import Machine
import Testing

@Suite struct `What may be a key in a line` {
  /// Thirty-two bytes, as a key has.
  static let bytes = (0..<32).map { ($0 * 37 + 200) % 251 }

  private static func hexadecimal(_ separator: String, _ prefix: String = "") -> String {
    bytes.map { byte in
      let digits = String(byte, radix: 16)
      return prefix + (digits.count < 2 ? "0" : "") + digits
    }.joined(separator: separator)
  }

  private static func octal(
    _ separator: String, _ prefix: String = "", digitCount: Int = 3
  ) -> String {
    bytes.map { byte in
      let digits = String(byte, radix: 8)
      return prefix + String(repeating: "0", count: max(0, digitCount - digits.count)) + digits
    }.joined(separator: separator)
  }

  static let spellings = [
    octal(" "), octal("", "\\"), octal(", ", "0o", digitCount: 1), octal(",", digitCount: 1),
    stride(from: 0, to: 32, by: 2).map { index in
      let digits = String(bytes[index + 1] << 8 | bytes[index], radix: 8)
      return String(repeating: "0", count: 6 - digits.count) + digits
    }.joined(separator: " "),
    hexadecimal(""), hexadecimal(":"), hexadecimal(" "), hexadecimal("-"), hexadecimal(", "),
    hexadecimal(", ", "0x"), hexadecimal(",", "0x"), hexadecimal("", "\\x"),
    hexadecimal("", "\\u00"), hexadecimal("", "%"), hexadecimal(":").uppercased(),
    "[" + bytes.map(String.init).joined(separator: ",") + "]",
    "Uint8Array(32) [ " + bytes.map(String.init).joined(separator: ", ") + " ]",
    "[" + bytes.map(String.init).joined(separator: " ") + "]",
    "{" + bytes.enumerated().map { "\"\($0.offset)\":\($0.element)" }.joined(separator: ",") + "}",
    "{ " + bytes.enumerated().map { "'\($0.offset)': \($0.element)" }.joined(separator: ", ")
      + " }",
    "<Buffer \(hexadecimal(" "))>",
    "b'\\xc8Q*\\x9f\\x14\\x8e#\\x91z\\xe0\\x05Kq\\xfe\\x80~\\x01\\xbb'",
    // Base64 of either alphabet, and one without a digit.
    "yO0SN1yBpssQNVp_pMnuEzhdgqfM8RY7YIWqz_QZPmM=", "yO0SN1yBps/QNVp/pMn+EzhdgqfM8RY7YIWqz/QZPmM=",
    "qL/mZ+bXcKwTyFhN/aSdRgUoPz", "yOQSNdyBpMsQNVpzpMnuEzhdgqfMxRYjYIWqzRQZPmM",
    "58211920349582731094857203948572039485720394857",
  ]

  @Test(arguments: spellings)
  func `is cut, and the rest stays`(spelling: String) {
    let shown = SecretSpelling("the key is \(spelling) of it").shown
    #expect(shown.hasPrefix("the key is "))
    #expect(shown.contains("…"))
    #expect(shown.hasSuffix(" of it"))
    // No three characters in a row are left of it.
    let left = shown.dropFirst(11).dropLast(6).split(separator: "…")
    let words = ["Uint8Array(32) [ ", "<Buffer "]
    #expect(left.allSatisfy { $0.count < 4 || words.contains(String($0)) }, "\(shown)")
  }

  @Test(arguments: [
    "at async AsyncLoaderHooksOnLoaderHookWorker.load (node:internal/modules/esm/hooks:410:20)",
    "MAC 00:1b:44:11:3a:b7, address 2001:0db8:85a3:0000:0000:8a2e:0370:7334",
    "127.0.0.1:54321 at 2026-11-30T23:36:39.123Z", "versions 1.2.3, 4.5.6 and 22.13.0",
    "0000020 0000040 0000060", "modes 755, 644, 0o600 and 4755", "at 100644 100755 040000",
    "[1, 2, 3, 4, 5, 6, 7, 8]", "sizes 12, 34, 56", "<Buffer aa bb cc dd ee>",
    "/home/ada/Projects/MyApp/src/storage/LargeSecureStore.ts:12:5",
    "file:///srv/node_modules/@react-native-async-storage/async-storage/lib/AsyncStorage.js",
    "\\x1b[31mred\\x1b[0m", "caf\\xe9", "https://demo.supabase.co/auth/v1/token?grant_type=none",
    "the generation is 2, and the clock 1790003300000",
  ])
  func `is none, and stays`(line: String) {
    #expect(SecretSpelling(line).shown == line)
  }

  @Test func `is cut out of a path, whose other words stay`() {
    let path = "/tmp/user-770BDE3D-1C72-401E-97F8-69A236D894FC/work/page.tsx"
    #expect(SecretSpelling(path).shown == "/tmp/…/work/page.tsx")
  }

  @Test func `is cut where it goes over several lines, as node prints it`() {
    let rows = stride(from: 0, to: 32, by: 8).map { first in
      Self.bytes[first..<first + 8].map { " \($0)" }.joined(separator: ",")
    }
    let lines =
      ["{ key: Uint8Array(32) ["] + rows.dropLast().map { " \($0)," } + [
        " \(rows[3])", "  ] }", "done: [1, 2, 3]",
      ]
    var isInList = false
    let shown = lines.map { line in
      defer { isInList = SecretSpelling.opensList(line, isInList: isInList) }
      return SecretSpelling(line, isInList: isInList).shown
    }
    #expect(shown[0] == lines[0] && shown[5] == lines[5] && shown[6] == lines[6])
    #expect(shown[1...4].map { $0.filter(\.isNumber) } == ["", "", "", ""], "\(shown)")
  }

  @Test func `is cut one number a line, as JSON is printed`() {
    #expect(SecretSpelling.opensList("[", isInList: false))
    #expect(SecretSpelling("  200,", isInList: true).shown == "  …,")
    #expect(SecretSpelling.opensList("  200,", isInList: true))
    #expect(SecretSpelling("  17", isInList: true).shown == "  …")
    #expect(!SecretSpelling.opensList("  17", isInList: true))
    #expect(SecretSpelling("  17", isInList: false).shown == "  17")
  }

  @Test func `is cut with the parts that a dot joins to it`() {
    let token = "eyJhbGciOiJIUzI1NiIs.eyJzdWIi.c2lnbmF0dXJl"
    #expect(SecretSpelling("bearer \(token)!").shown == "bearer ….….…!")
  }
}
