import Foundation
import Testing

/// `Documentation/Adapter.md`, whose programs the tests run.
enum AdapterPage {
  static func example(_ language: String) throws -> String {
    let page = try Repository.text("Documentation/Adapter.md")
    let parts = page.components(separatedBy: "```\(language)\n")
    try #require(parts.count == 2)
    return try #require(parts[1].components(separatedBy: "```").first)
  }
}

/// A program in Python that breaks the protocol, and what the lab says of it.
struct Misdeed: CustomTestStringConvertible {
  var name: String
  var program: String
  var words: String
  var testDescription: String { name }

  init(_ name: String, _ program: String, says words: String) {
    (self.name, self.program, self.words) = (name, program, words)
  }

  /// What it begins with: ways to read commands and to answer them.
  static let obedient = """
    import json, os, sys, time
    def commands():
        for line in sys.stdin: yield json.loads(line)
    def answer(command, **more): print(json.dumps({"id": command["id"], **more}), flush=True)

    """
}
