import Testing

@testable import Phone

@Suite struct `The text of a file of preferences` {
  private func map(_ entries: KeyValuePairs<String, PreferenceValue>) -> PreferencesMap {
    var map = PreferencesMap()
    for (name, value) in entries { map[name] = value }
    return map
  }

  private func text(_ entries: KeyValuePairs<String, PreferenceValue>) -> String {
    String(decoding: PreferencesXML.bytes(of: map(entries)), as: UTF8.self)
  }

  private static let declaration = "<?xml version='1.0' encoding='utf-8' standalone='yes' ?>\n"

  private static let everyType: KeyValuePairs<String, PreferenceValue> = [
    "s": .text("a\"b"), "i": .primitive(.int, "-3"), "l": .primitive(.long, "4294967296"),
    "f": .primitive(.float, "1.5E-5"), "b": .primitive(.boolean, "true"),
    "t": .texts(["x", "y"]), "e": .texts([]), "n": .null,
  ]

  @Test func `is Android's, byte for byte`() {
    #expect(text([:]) == Self.declaration + "<map />\n")
    #expect(
      text(["k": .text("v"), "empty": .text("")])
        == Self.declaration + """
          <map>
              <string name="k">v</string>
              <string name="empty"></string>
          </map>

          """)
    #expect(
      text(Self.everyType)
        == Self.declaration + """
          <map>
              <boolean name="b" value="true" />
              <string name="s">a&quot;b</string>
              <set name="t">
                  <string>x</string>
                  <string>y</string>
              </set>
              <set name="e" />
              <float name="f" value="1.5E-5" />
              <int name="i" value="-3" />
              <long name="l" value="4294967296" />
              <null name="n" />
          </map>

          """)
  }

  @Test func `has each name once, with its last value, and two spellings apart`() throws {
    let map = try PreferencesXML.map(
      from: Array(
        ("<map><int name='a' value='1'/><null name='\u{e9}'/>"
          + "<int name='a' value='2'/><null name='e\u{301}'/></map>").utf8))
    #expect(map.entries.count == 3)
    #expect(map["a"] == .primitive(.int, "2"))
  }

  @Test func `escapes four signs and all control characters`() {
    #expect(
      text(["<\t>": .text("a&b<c>d\"e'f\u{0}\r\u{1f}é🙂")])
        == Self.declaration
        + "<map>\n    <string name=\"&lt;&#9;&gt;\">a&amp;b&lt;c&gt;d&quot;e'f&#0;&#13;&#31;é🙂"
        + "</string>\n</map>\n")
  }

  @Test func `grows a value that ends with a line end, as Android's does`() throws {
    let bytes = PreferencesXML.bytes(of: map(["k": .text("v\n")]))
    #expect(try PreferencesXML.map(from: bytes)["k"] == .text("v\n    "))
  }

  @Test func `has the order of a hash map of Java`() {
    let names = { (map: PreferencesMap) in map.entries.map(\.name) }
    let fruit = map(["cherry": .null, "banana": .null, "apple": .null])
    #expect(names(fruit) == ["banana", "cherry", "apple"])
    // "Aa" and "BB" have one hash: the order of insertion decides.
    #expect(names(map(["BB": .null, "Aa": .null])) == ["BB", "Aa"])
    #expect(names(map(["Aa": .null, "BB": .null])) == ["Aa", "BB"])
  }

  @Test func `changes its order when the table grows, and not back when it empties`() {
    var map = map(["a": .null, "p": .null, "q": .null])
    #expect(map.entries.map(\.name) == ["p", "a", "q"])
    let others = (0..<10).map { "other\($0)" }
    for name in others { map[name] = .null }
    for name in others { map[name] = nil }
    #expect(map.entries.map(\.name) == ["a", "p", "q"])
  }

  @Test func `is read as it was written`() throws {
    let written = map(Self.everyType)
    let read = try PreferencesXML.map(from: PreferencesXML.bytes(of: written))
    #expect(read.entries.map(\.name) == written.entries.map(\.name))
    #expect(read.entries.map(\.value) == written.entries.map(\.value))
  }

  @Test func `is an error wherever it is cut, up to the end of the map`() {
    let bytes = PreferencesXML.bytes(of: map(Self.everyType))
    for count in 0..<(bytes.count - 1) {
      #expect(throws: PreferencesXML.Malformed.self, "\(count) bytes") {
        try PreferencesXML.map(from: Array(bytes.prefix(count)))
      }
    }
    #expect(throws: Never.self) { try PreferencesXML.map(from: bytes.dropLast()) }
  }

  @Test func `is an error when zeros stand in place of its tail`() {
    let bytes = PreferencesXML.bytes(of: map(["k": .text("v")]))
    for count in 0..<(bytes.count - 1) {
      let torn = bytes.prefix(count) + [UInt8](repeating: 0, count: bytes.count - count)
      #expect(throws: PreferencesXML.Malformed.self, "\(count) bytes") {
        try PreferencesXML.map(from: Array(torn))
      }
    }
  }

  @Test(arguments: [
    "<list />", "x<map />", "<map><double name='d' value='1' /></map>",
    "<map><int name='i' value='x' /></map>", "<map><int name='i' value='9999999999' /></map>",
    "<map><int name='i' /></map>", "<map><string>v</string></map>",
    "<map><string name='k'>v</int></map>", "<map><string name='k'>&bad;</string></map>",
    "<map><string name='k'>&#x110000;</string></map>",
    "<map><string name='k'><b>v</b></string></map>",
    "<map><string name=k>v</string></map>", "<map><set name='s'><int value='1' /></set></map>",
  ])
  func `is an error when something does not belong there`(text: String) {
    #expect(throws: PreferencesXML.Malformed.self) {
      try PreferencesXML.map(from: Array(text.utf8))
    }
  }

  @Test func `may have comments, other quotes, and text between its elements`() throws {
    let text = """
      <!-- by hand --><map> text <!-- <int> -->
      <string name='k' >&#x41;&apos;</string><int value="1" name="i"></int></map> garbage <
      """
    let map = try PreferencesXML.map(from: Array(text.utf8))
    #expect(map["k"] == .text("A'"))
    #expect(map["i"] == .primitive(.int, "1"))
  }
}
