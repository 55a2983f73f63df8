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
}
