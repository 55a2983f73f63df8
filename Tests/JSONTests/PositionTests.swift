import JSON
import Testing

@Suite struct `The place of a value` {
  private func place(_ text: String, _ path: String...) throws -> SourceRange {
    var node = try JSONReader.read(text, .json5)
    for key in path { node = try #require(node[key]) }
    return node.range
  }

  @Test func `is its first character`() throws {
    #expect(try place("1") == SourceRange(line: 1, column: 1))
    #expect(try place("\n\n  true") == SourceRange(line: 3, column: 3, width: 4))
    #expect(try place("{a: 12}", "a") == SourceRange(line: 1, column: 5, width: 2))
    #expect(try place("{a: [1]}", "a") == SourceRange(line: 1, column: 5, width: 1))
  }

  @Test(arguments: ["\n", "\r", "\r\n"]) func `counts each kind of line end once`(end: String)
    throws
  {
    let text = "{" + end + "a:" + end + end + " 1}"
    #expect(try place(text, "a") == SourceRange(line: 4, column: 2))
  }

  @Test func `counts characters, not bytes`() throws {
    #expect(try place("{'é名😀': 1}", "é名😀") == SourceRange(line: 1, column: 9))
    #expect(try place("/* é */ 1") == SourceRange(line: 1, column: 9))
    #expect(try place("/* é\n é */ 1") == SourceRange(line: 2, column: 7))
    #expect(try place("[1]\u{A0}") == SourceRange(line: 1, column: 1))
  }

  @Test func `goes on after a continued line and an escape`() throws {
    #expect(try place("{a: 'x\\\ny', b: 2}", "b") == SourceRange(line: 2, column: 8))
    #expect(try place(#"{a: "\u00e9", b: 2}"#, "b") == SourceRange(line: 1, column: 18))
  }

  @Test func `covers a text with its quotes, and a key without`() throws {
    let node = try JSONReader.read(#"{ "key": "words" }"#)
    let member = try #require(node.members().first)
    #expect(member.keyRange == SourceRange(line: 1, column: 4, width: 3))
    #expect(member.node.range == SourceRange(line: 1, column: 10, width: 7))
    #expect(member.node.range.insideQuotes == SourceRange(line: 1, column: 11, width: 5))
  }

  @Test func `stays whole where nothing is inside the quotes`() {
    #expect(SourceRange(line: 1, column: 4, width: 2).insideQuotes.column == 4)
  }
}
