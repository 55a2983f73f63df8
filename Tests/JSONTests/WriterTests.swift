import JSON
import Testing

@Suite struct `The writer` {
  @Test func `sorts keys by their bytes`() {
    let value: JSONValue = ["b": 1, "a": [true, nil], "B": 1.5, "é": "x", "": -1]
    #expect(JSONWriter.text(of: value) == #"{"":-1,"B":1.5,"a":[true,null],"b":1,"é":"x"}"#)
  }

  @Test func `indents by two blanks`() {
    let value: JSONValue = ["a": [1, ["b": 2], [:], []], "c": "d"]
    #expect(
      JSONWriter.text(of: value, .pretty) == """
        {
          "a": [
            1,
            {
              "b": 2
            },
            {},
            []
          ],
          "c": "d"
        }
        """)
  }

  @Test func `escapes what must be escaped, and nothing else`() {
    #expect(
      JSONWriter.text(of: "\"\\/\u{8}\t\n\u{C}\r\u{0}\u{1F}\u{7F}é\u{2028}😀")
        == "\"\\\"\\\\/\\b\\t\\n\\f\\r\\u0000\\u001f\u{7F}é\u{2028}😀\"")
  }

  @Test func `keeps numbers as they are`() {
    let value: JSONValue = [
      .integer(Int64.min), .unsigned(.max), 0.1, 1e300, .double(.leastNonzeroMagnitude), 1.0, -0.0,
    ]
    #expect(
      JSONWriter.text(of: value)
        == "[-9223372036854775808,18446744073709551615,0.1,1e+300,5e-324,1.0,-0.0]")
  }

  @Test func `writes null for what is no number`() {
    #expect(JSONWriter.text(of: [.double(.nan), .double(.infinity)]) == "[null,null]")
  }

  @Test func `is read back as the same value`() throws {
    for seed in UInt64(0)..<1000 {
      var random = RandomDocument(draws: SplitMix(seed), json5: false)
      let value = random.value()
      for layout in [JSONWriter.Layout.compact, .pretty] {
        let bytes = JSONWriter.bytes(of: value, layout)
        #expect(try JSONReader.read(bytes).value == value, "seed \(seed)")
      }
    }
  }

  @Test func `chooses the case that a reader would`() {
    #expect(JSONValue.number(7) == .integer(Int64(7)))
    #expect(JSONValue.number(1 << 63) == .unsigned(1 << 63))
  }
}

@Suite struct `An object` {
  @Test func `finds, replaces, adds and removes members`() {
    var object = JSONObject()
    for key in ["d", "b", "a", "c", "b"] { object[key] = .text(key) }
    #expect(object.members.map(\.key) == ["a", "b", "c", "d"])
    object["b"] = 2
    object["c"] = nil
    object["absent"] = nil
    #expect(JSONValue.object(object) == ["a": "a", "b": 2, "d": "d"])
    #expect(object["c"] == nil)
    #expect(object["b"] == 2)
  }

  @Test func `keeps the last of equal keys`() {
    let members = [1, 2, 3].map { JSONObject.Member(key: "a", value: .integer($0)) }
    #expect(JSONObject(members).members.map(\.value) == [3])
  }

  @Test func `gives its values by type`() {
    let value: JSONValue = ["t": "x", "i": 1, "b": true, "l": [1], "o": [:]]
    #expect(value["t"]?.text == "x")
    #expect(value["i"]?.integer == 1)
    #expect(value["b"]?.bool == true)
    #expect(value["l"]?.list == [1])
    #expect(value["o"]?.object == JSONObject())
    #expect(value["t"]?.integer == nil)
    #expect(value["t"]?["x"] == nil)
  }
}
