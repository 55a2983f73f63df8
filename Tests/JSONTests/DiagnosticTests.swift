import JSON
import Testing

@Suite struct `A diagnostic` {
  private let source = """
    { schema: "lab.scenario/1", title: "My save", phones: ["ios"],
      story: "The app is killed.",
      steps: [ { do: "sign-in" },
               { do: "refresh", to: 2, fault: "kill@each" } ],
      expect: {
        good: { K0: ["recovr"], K1: ["keep", "recover"] },
      } }
    """
  private let verdicts = ["keep", "recover", "defer", "cleanOut", "reject"]

  private func verdictError() throws -> JSONError {
    let node = try JSONReader.read(source, .json5)
    let words = try #require(node["expect"]?["good"]?["K0"])
    do {
      _ = try words.list().first?.word("verdict", of: verdicts)
    } catch {
      return error
    }
    throw Missing()
  }

  private struct Missing: Error {}

  @Test func `shows the line, the caret and what is allowed`() throws {
    let text = Diagnostic(try verdictError(), file: "my-save.json5", source: source).text
    #expect(
      text == """
        my-save.json5:6:19: unknown verdict 'recovr'; nearest: recover
          6 |     good: { K0: ["recovr"], K1: ["keep", "recover"] },
            |                   ^^^^^^  allowed: keep recover defer cleanOut reject
        """)
  }

  @Test func `stays within 100 columns`() throws {
    let long =
      "[" + String(repeating: "1, ", count: 100) + "x" + String(repeating: " ,1", count: 60)
    for place in [long, "[x" + String(repeating: " ", count: 300), long + "]"] {
      do {
        _ = try JSONReader.read(place, .json5)
        Issue.record("accepted")
      } catch {
        let lines = Diagnostic(error, file: "f", source: place).text.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines.allSatisfy { $0.count <= 100 })
        let caret = try #require(lines[2].firstIndex(of: "^"))
        let shown = Array(lines[1])[lines[2].distance(from: lines[2].startIndex, to: caret)]
        #expect(shown == "x")
      }
    }
  }

  @Test func `puts a long list of words below the caret`() throws {
    let words = (0..<30).map { "word-\($0)" }
    let source = "'wrod-7'"
    do {
      _ = try JSONReader.read(source, .json5).word("thing", of: words)
    } catch {
      let lines = Diagnostic(error, file: "f", source: source).text.split(separator: "\n")
      #expect(lines[2] == "    |  ^^^^^^")
      #expect(lines[3].hasPrefix("    |   allowed: word-0 word-1"))
      #expect(lines.count > 4 && lines.allSatisfy { $0.count <= 100 })
    }
  }

  @Test func `shows the end of a text, tabs and control characters`() {
    let atEnd = Diagnostic(
      JSONError(.unexpectedEnd(expected: "a value"), at: SourceRange(line: 2, column: 3)),
      file: "f", source: "[\r\n\t\u{1}")
    #expect(
      atEnd.text == """
        f:2:3: the text ends too early; expected a value
          2 |  ?
            |   ^
        """)
    let empty = Diagnostic(
      JSONError(.unexpectedEnd(expected: "a value"), at: SourceRange(line: 1, column: 1)),
      file: "f", source: "")
    #expect(empty.text.hasSuffix("  1 | \n    | ^"))
    #expect(empty.headline == "f:1:1: the text ends too early; expected a value")
  }

  @Test func `knows what is allowed`() {
    let allowed: [(JSONProblem, String?)] = [
      (.controlCharacter(8), #"\b"#), (.controlCharacter(9), #"\t"#),
      (.controlCharacter(10), #"\n"#), (.controlCharacter(12), #"\f"#),
      (.controlCharacter(13), #"\r"#), (.controlCharacter(1), #"\u0001"#),
      (.badEscape("q"), #"\" \\ \/ \b \f \n \r \t \uXXXX"#),
      (.loneSurrogate("q"), #"two escapes, \uD800-\uDBFF and then \uDC00-\uDFFF"#),
      (.unknownKey("a", of: "b", allowed: []), nil), (.unterminatedText, nil),
    ]
    for (problem, expected) in allowed { #expect(problem.allowed == expected) }
  }
}
