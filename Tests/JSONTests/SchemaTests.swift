import JSON
import Testing

private enum Phone: String, CaseIterable { case ios, android }

@Suite struct `Decoding by a schema` {
  private func node(_ text: String) throws -> JSONNode { try JSONReader.read(text, .json5) }

  private func message(_ text: String, _ body: (JSONNode) throws -> Void) -> String {
    do {
      try body(try JSONReader.read(text, .json5))
      return "accepted"
    } catch {
      return "\(error)"
    }
  }

  @Test func `gives values of the wanted type`() throws {
    #expect(try node("'a'").text() == "a")
    #expect(try node("true").bool())
    #expect(try node("-3").integer() == -3)
    #expect(try node("3").integer(in: 1...3) == 3)
    #expect(try node("18446744073709551615").unsigned() == .max)
    #expect(try node("5").unsigned() == 5)
    #expect(try node("5").double() == 5)
    #expect(try node("18446744073709551615").double() == 18_446_744_073_709_551_616)
    let numbers = try node("[1, 2]").list { element throws(JSONError) in try element.integer() }
    #expect(numbers == [1, 2])
    #expect(try node("'ios'").word("phone", as: Phone.self) == .ios)
    #expect(try node("'b'").word("letter", of: ["a", "b"]) == "b")
  }

  @Test func `says which type it found`() {
    #expect(message("\n 1") { _ = try $0.text() } == "2:2: expected text, found number")
    #expect(message("null") { _ = try $0.bool() } == "1:1: expected true or false, found null")
    #expect(
      message("2.5") { _ = try $0.integer() } == "1:1: expected whole number, found number 2.5")
    #expect(message("'2'") { _ = try $0.unsigned() } == "1:1: expected whole number, found text")
    #expect(message("'2'") { _ = try $0.double() } == "1:1: expected number, found text")
    #expect(message("{}") { _ = try $0.list() } == "1:1: expected list, found object")
    #expect(message("[]") { _ = try $0.members() } == "1:1: expected object, found list")
    #expect(message("[]") { _ = try $0.object("a step") } == "1:1: expected object, found list")
  }

  @Test func `says which values are in range`() throws {
    #expect(message("4") { _ = try $0.integer(in: 1...3) } == "1:1: 4 is out of range")
    #expect(message("-1") { _ = try $0.unsigned() } == "1:1: -1 is out of range")
    #expect(message("Infinity") { _ = try $0.double() } == "1:1: inf is out of range")
    for text in ["9223372036854775808"] {
      #expect(message(text) { _ = try $0.integer() } == "1:1: \(text) is out of range")
      #expect(message(text) { _ = try $0.integer(in: 1...3) } == "1:1: \(text) is out of range")
    }
    func allowed(_ range: ClosedRange<Int>) throws -> String? {
      do {
        _ = try node("-5").integer(in: range)
        return "accepted"
      } catch let error as JSONError {
        return error.problem.allowed
      }
    }
    #expect(try allowed(1...3) == "1 to 3")
    #expect(try allowed(1...Int.max) == "1 or more")
    #expect(try allowed(Int.min...(-6)) == "-6 or less")
  }

  @Test func `names the nearest word, inside the quotes`() {
    let text = message("'andriod'") { _ = try $0.word("phone", as: Phone.self) }
    #expect(text == "1:2: unknown phone 'andriod'; nearest: android")
    #expect(
      message("'windows'") { _ = try $0.word("phone", of: ["ios"]) }
        == "1:2: unknown phone 'windows'")
  }

  @Test func `takes an error of the caller's own`() throws {
    let error = try node("'kill@K9'").error("no point 'K9'", allowed: "K0 K1")
    #expect("\(error)" == "1:2: no point 'K9'")
    #expect(error.problem.allowed == "K0 K1")
    #expect(try node("12").error("odd").range == SourceRange(line: 1, column: 1, width: 2))
  }
}

@Suite struct `An object reader` {
  private func message(_ text: String, _ body: (inout ObjectReader) throws -> Void) -> String {
    do {
      var reader = try JSONReader.read(text, .json5).object("a step")
      try body(&reader)
      try reader.finish()
      return "accepted"
    } catch {
      return "\(error)"
    }
  }

  @Test func `takes the keys that were asked for`() {
    let text = message("{do: 'x', to: null}") {
      let word = try $0.required("do").text()
      let found = [$0.has("to"), $0.has("from")]
      let absent = $0.optional("by")
      #expect(word == "x")
      #expect(found == [true, false])
      #expect(absent == nil)
    }
    #expect(text == "accepted")
  }

  @Test func `refuses a key that nobody asked for`() {
    let text = message("{do: 'x',\n tmies: 2}") {
      _ = try $0.required("do")
      _ = $0.optional("times")
    }
    #expect(text == "2:2: unknown key 'tmies' in a step; nearest: times")
  }

  @Test func `names the key that was meant, when one is missing`() {
    #expect(
      message("{od: 1}") { _ = try $0.required("do") }
        == "1:2: unknown key 'od' in a step; nearest: do")
    #expect(message(" {at: 1}") { _ = try $0.required("title") } == "1:2: a step has no 'title'")
  }

  @Test func `refuses unknown keys at once when the keys are declared`() throws {
    let node = try JSONReader.read("{phone: 1}", .json5)
    #expect {
      _ = try node.object("a scenario", keys: ["phones", "title"])
    } throws: { error in
      "\(error)" == "1:2: unknown key 'phone' in a scenario; nearest: phones"
        && (error as? JSONError)?.problem.allowed == "phones title"
    }
    var reader = try node.object("a scenario", keys: ["phone", "phones"])
    do {
      _ = try reader.required("phones")
      Issue.record("not missing")
    } catch {
      #expect(error == JSONError(.missingKey("phones", of: "a scenario"), at: node.range))
    }
    try reader.finish()
  }
}
